#define _GNU_SOURCE
#include "sample_source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// One wait for a writer in mid-sound. Longer than a busy machine keeps a `cat` from running.
enum { WAIT_MILLISECONDS = 500 };
enum { BUFFER_BYTES = 8192 };
enum { BYTES_PER_SAMPLE = 2 };

// WAV, as in Microsoft's "Multimedia Programming Interface and Data Specifications 1.0":
//
//     "RIFF" size:4 "WAVE"  then chunks:  id:4 size:4 body  (padded to an even length)
//     "fmt " body:  format:2 channels:2 rate:4 bytes/s:4 block:2 bits:2 …
//     "data" body:  samples
enum { RIFF_HEADER_BYTES = 12, CHUNK_HEADER_BYTES = 8, FORMAT_BYTES = 16 };
enum { FORMAT_PCM = 1, FORMAT_EXTENSIBLE = 0xFFFE };
// A WAV that was written to a pipe does not know its length.
static const uint64_t UNKNOWN_LENGTH = 0xFFFFFFFF;

enum state {
    START,         // nothing of this sound seen yet: "RIFF" or a sample may come
    RAW,           // samples until the writer closes or pauses
    CHUNK_HEADER,  // of a WAV
    FORMAT,        // the body of "fmt "
    SKIP,          // a body that is of no use
    DATA,          // samples
};

struct sample_source {
    int fd;
    enum state state;
    bool is_paused;       // a wait was in vain: no second one before something comes
    uint64_t left;        // bytes of the chunk
    unsigned frame_bytes; // of the WAV; 0 when it is not 16-bit PCM
    unsigned heads;       // samples of a frame that are heard
    size_t used, filled;  // of the buffer
    uint8_t buffer[BUFFER_BYTES];
};

static uint16_t le16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static uint32_t le32(const uint8_t *p) { return le16(p) | (uint32_t)le16(p + 2) << 16; }

int sample_source_open(struct sample_source **source, const char *path, unsigned heads) {
    struct sample_source *s = calloc(1, sizeof *s);
    if (s == NULL) return -ENOMEM;
    s->heads = heads;
    s->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (s->fd < 0) {
        int error = errno;
        free(s);
        return -error;
    }
    *source = s;
    return 0;
}

void sample_source_close(struct sample_source *s) {
    if (s == NULL) return;
    close(s->fd);
    explicit_bzero(s, sizeof *s);
    free(s);
}

bool sample_source_is_gone(const struct sample_source *s) {
    struct stat status;
    return fstat(s->fd, &status) != 0 || status.st_nlink == 0;
}

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// The writer has closed: what comes next is another sound, and half a sample of this one is nothing.
static void end_of_sound(struct sample_source *s) {
    s->state = START;
    s->used = s->filled = 0;
    s->is_paused = false;
}

// Makes `count` bytes available; false when there are not that many now.
static bool need(struct sample_source *s, size_t count, int64_t *waited) {
    while (s->filled - s->used < count) {
        memmove(s->buffer, s->buffer + s->used, s->filled - s->used);
        s->filled -= s->used;
        s->used = 0;
        ssize_t n = read(s->fd, s->buffer + s->filled, BUFFER_BYTES - s->filled);
        if (n > 0) {
            s->filled += (size_t)n;
            s->is_paused = false;
            continue;
        }
        if (n == 0) {
            end_of_sound(s);
            return false;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN || s->is_paused || (s->state == START && s->filled == 0)) return false;
        int64_t before = now_ns();
        struct pollfd writer = {.fd = s->fd, .events = POLLIN};
        if (poll(&writer, 1, WAIT_MILLISECONDS) == 0) {
            s->is_paused = true;
            if (s->state == RAW) s->state = START;
        }
        *waited += now_ns() - before;
    }
    return true;
}

static const uint8_t *take(struct sample_source *s, size_t count) {
    const uint8_t *bytes = s->buffer + s->used;
    s->used += count;
    return bytes;
}

static bool start(struct sample_source *s, int64_t *waited) {
    if (!need(s, BYTES_PER_SAMPLE, waited)) return false;
    // A RIFF header is written in one piece; two bytes that are not "RI" need not wait for two more.
    bool may_be_wav = memcmp(s->buffer + s->used, "RI", 2) == 0;
    if (may_be_wav && need(s, RIFF_HEADER_BYTES, waited) && memcmp(s->buffer + s->used, "RIFF", 4) == 0) {
        take(s, RIFF_HEADER_BYTES);
        s->frame_bytes = 0;
        s->state = CHUNK_HEADER;
    } else {
        s->state = RAW;
    }
    return true;
}

static bool chunk_header(struct sample_source *s, int64_t *waited) {
    if (!need(s, CHUNK_HEADER_BYTES, waited)) return false;
    const uint8_t *header = take(s, CHUNK_HEADER_BYTES);
    uint32_t size = le32(header + 4);
    bool is_data = memcmp(header, "data", 4) == 0;
    bool is_format = memcmp(header, "fmt ", 4) == 0 && size >= FORMAT_BYTES;
    s->left = is_data && (size == 0 || size == UNKNOWN_LENGTH) ? UINT64_MAX : (uint64_t)size + (size & 1);
    s->state = is_data && s->frame_bytes > 0 ? DATA : is_format ? FORMAT : SKIP;
    return true;
}

static bool format(struct sample_source *s, int64_t *waited) {
    if (!need(s, FORMAT_BYTES, waited)) return false;
    const uint8_t *body = take(s, FORMAT_BYTES);
    uint16_t tag = le16(body), bits = le16(body + 14);
    bool is_readable = (tag == FORMAT_PCM || tag == FORMAT_EXTENSIBLE) && bits == 16;
    s->frame_bytes = is_readable ? le16(body + 2) * (unsigned)BYTES_PER_SAMPLE : 0;
    if (s->frame_bytes > BUFFER_BYTES) s->frame_bytes = 0;
    s->left -= FORMAT_BYTES;
    s->state = SKIP;
    return true;
}

static bool skip(struct sample_source *s, int64_t *waited) {
    if (s->left == 0) {
        s->state = CHUNK_HEADER;
        return true;
    }
    if (!need(s, 1, waited)) return false;
    size_t here = s->filled - s->used;
    size_t count = s->left < here ? (size_t)s->left : here;
    take(s, count);
    s->left -= count;
    return true;
}

static void hear(int16_t *frame, unsigned heads, const uint8_t *bytes, size_t count) {
    for (unsigned head = 0; head < heads; head++) {
        size_t at = (size_t)head * BYTES_PER_SAMPLE;
        frame[head] = at + BYTES_PER_SAMPLE <= count ? (int16_t)le16(bytes + at) : 0;
    }
}

// What comes next of the sound, a sample for each head; false when there is nothing now. A WAV may have fewer channels.
static bool next_frame(struct sample_source *s, int16_t *frame, int64_t *waited) {
    for (;;) {
        bool goes_on = true;
        switch (s->state) {
        case START: goes_on = start(s, waited); break;
        case CHUNK_HEADER: goes_on = chunk_header(s, waited); break;
        case FORMAT: goes_on = format(s, waited); break;
        case SKIP: goes_on = skip(s, waited); break;
        case RAW:
            if (!need(s, s->heads * BYTES_PER_SAMPLE, waited)) return false;
            hear(frame, s->heads, take(s, s->heads * BYTES_PER_SAMPLE), s->heads * BYTES_PER_SAMPLE);
            return true;
        case DATA:
            if (s->left < s->frame_bytes) {
                s->state = START;
                break;
            }
            if (!need(s, s->frame_bytes, waited)) return false;
            hear(frame, s->heads, take(s, s->frame_bytes), s->frame_bytes);
            if (s->left != UINT64_MAX) s->left -= s->frame_bytes;
            return true;
        }
        if (!goes_on) return false;
    }
}

int64_t sample_source_read(struct sample_source *s, int16_t *samples, size_t count) {
    int64_t waited = 0;
    size_t done = 0;
    while (done < count && next_frame(s, &samples[done * s->heads], &waited)) done++;
    memset(samples + done * s->heads, 0, (count - done) * s->heads * sizeof *samples);
    return waited;
}
