// A playback PCM that runs on a clock of its own and hands what it plays to a FIFO, when it is written: ahead of its
// time by what the buffer holds.
//
// As on real hardware: a writer who is late gets an underrun (EPIPE), one program at a time has it (EBUSY), an unplugged
// card answers ENODEV.
#define _GNU_SOURCE
#include "card_clock.h"
#include "pcm.h"
#include "timed_pcm.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEREO = 2, CHUNK_FRAMES = 1024, PIPE_BYTES = 1 << 20 };
// One wait for whoever reads the FIFO. Nobody may: then it is filled once, and not waited for again.
enum { WAIT_MILLISECONDS = 500 };

struct card {
    snd_pcm_ioplug_t io;
    int sink;
    double speed;
    long underrun_at;   // 0: never, or done
    int64_t epoch;      // when the stream started, moved by what the reader of the FIFO was waited for
    uint64_t written;   // frames since the start
    uint64_t lifetime;  // frames since the opening
    bool is_running;
    bool is_unread;     // a wait was in vain: no second one before something is read
};

static bool is_gone(const struct card *card) {
    struct stat status;
    return fstat(card->sink, &status) != 0 || status.st_nlink == 0;
}

static int on_start(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (is_gone(card)) return -ENODEV;
    card->epoch = clock_now_ns();
    card->is_running = true;
    clock_arm(io->poll_fd, (double)io->period_size / io->rate / card->speed);
    return 0;
}

static int on_stop(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    card->is_running = false;
    clock_arm(io->poll_fd, 0);
    return 0;
}

static int on_prepare(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (is_gone(card)) {
        snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
        return -ENODEV;
    }
    card->written = 0;
    return 0;
}

static snd_pcm_sframes_t on_pointer(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (!card->is_running) return 0;
    bool is_due = card->underrun_at > 0 && card->lifetime >= (uint64_t)card->underrun_at;
    double seconds = (double)(clock_now_ns() - card->epoch) / 1e9;
    uint64_t played = (uint64_t)fmax(0, seconds * io->rate * card->speed);
    if (io->state == SND_PCM_STATE_DRAINING && played > card->written) played = card->written;
    if (is_due || played > card->written) {
        if (is_due) card->underrun_at = 0;
        card->is_running = false;
        return -EPIPE;
    }
    return (snd_pcm_sframes_t)(played % io->buffer_size);
}

static int16_t load(const uint8_t *from, snd_pcm_format_t format) {
    int32_t wide = 0;
    int16_t sample;
    float real;
    switch (format) {
    case SND_PCM_FORMAT_S32_LE: memcpy(&wide, from, 4); return (int16_t)(wide >> 16);
    case SND_PCM_FORMAT_S24_LE: memcpy(&wide, from, 4); return (int16_t)(wide >> 8);
    case SND_PCM_FORMAT_S24_3LE: memcpy(&wide, from, 3); return (int16_t)(wide >> 8);
    case SND_PCM_FORMAT_FLOAT_LE: memcpy(&real, from, 4); return (int16_t)(real * 32768.0f);
    default: memcpy(&sample, from, 2); return sample;
    }
}

// Hands over whole, or not at all once nobody reads.
static void hand_over(struct card *card, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t n = write(card->sink, bytes, count);
        if (n > 0) {
            bytes += n;
            count -= (size_t)n;
            card->is_unread = false;
            continue;
        }
        if (n < 0 && errno == EINTR) continue;
        if (n == 0 || errno != EAGAIN || card->is_unread) return;
        int64_t before = clock_now_ns();
        struct pollfd reader = {.fd = card->sink, .events = POLLOUT};
        if (poll(&reader, 1, WAIT_MILLISECONDS) == 0) card->is_unread = true;
        card->epoch += clock_now_ns() - before;
    }
}

static snd_pcm_sframes_t on_transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
                                     snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
    struct card *card = io->private_data;
    if (is_gone(card)) return -ENODEV;
    int16_t samples[CHUNK_FRAMES * STEREO];
    for (snd_pcm_uframes_t done = 0; done < size;) {
        size_t count = size - done < CHUNK_FRAMES ? size - done : CHUNK_FRAMES;
        for (unsigned c = 0; c < STEREO; c++) {
            const uint8_t *from = (uint8_t *)areas[c].addr + (areas[c].first + areas[c].step * (offset + done)) / 8;
            for (size_t i = 0; i < count; i++, from += areas[c].step / 8) samples[i * STEREO + c] = load(from, io->format);
        }
        hand_over(card, (const uint8_t *)samples, count * STEREO * sizeof *samples);
        done += count;
    }
    card->written += size;
    card->lifetime += size;
    return (snd_pcm_sframes_t)size;
}

static int on_poll(snd_pcm_ioplug_t *io, struct pollfd *fds, unsigned count, unsigned short *events) {
    return timed_pcm_poll(io, fds, count, is_gone(io->private_data), POLLOUT, events);
}

static int on_close(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    close(io->poll_fd);
    close(card->sink);
    free(card);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = on_start,
    .stop = on_stop,
    .prepare = on_prepare,
    .pointer = on_pointer,
    .transfer = on_transfer,
    .poll_revents = on_poll,
    .close = on_close,
};

// For reading too: the FIFO then needs no reader to be opened, and keeps what nobody has read yet.
static int open_sink(const char *path) {
    int sink = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (sink < 0) return errno == ENOENT ? -ENODEV : -errno;
    if (flock(sink, LOCK_EX | LOCK_NB) != 0) {
        close(sink);
        return -EBUSY;
    }
    fcntl(sink, F_SETPIPE_SZ, PIPE_BYTES);
    return sink;
}

int playback_pcm_open(snd_pcm_t **pcm, const char *name, const struct pcm_options *options, int mode) {
    if (options->sink == NULL) return -ENXIO;
    struct card *card = calloc(1, sizeof *card);
    if (card == NULL) return -ENOMEM;
    int error = card->sink = open_sink(options->sink);
    if (error < 0) {
        free(card);
        return error;
    }
    card->speed = options->speed;
    card->underrun_at = options->underrun_at;
    error = timed_pcm_create(&card->io, &callbacks, card, name, SND_PCM_STREAM_PLAYBACK, mode);
    if (error < 0) {
        close(card->sink);
        free(card);
        return error;
    }
    pcm_options_limit(options, &card->io, STEREO);
    *pcm = card->io.pcm;
    return 0;
}
