// A capture PCM that runs on a clock of its own and hears a sample_source.
//
//     pcm.NAME {
//         type swiped
//         source "/path"      what is written there is heard; removing it unplugs the card
//         speed 1.0           how many seconds pass on the card's clock in one of ours
//         rate 48000          the only rate that the card has; without it 44100, 48000 and 96000
//         format "S16_LE"     or S32_LE, S24_LE, S24_3LE, FLOAT_LE
//         channels 1          the sound is on the first one, the others are silent
//         overrun_at 48000    an overrun once this many frames were read, whatever the reader does
//     }
//
// As on real hardware: a reader who is late gets an overrun (EPIPE) and loses what the ring held, the poll
// descriptor wakes once a period, and an unplugged card answers ENODEV.
#define _GNU_SOURCE
#include "sample_source.h"
#include "virtual_sound_card.h"

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <math.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { MAXIMUM_CHANNELS = 8, MAXIMUM_SAMPLE_BYTES = 4, CHUNK_FRAMES = 2048 };
enum { MINIMUM_PERIOD_BYTES = 64, MAXIMUM_PERIOD_BYTES = 1 << 16, MAXIMUM_BUFFER_BYTES = 1 << 22 };
enum { MAXIMUM_PERIODS = 1024 };
static const double NANOSECONDS = 1e9;

struct options {
    const char *source;
    double speed;
    long rate, channels, overrun_at;
    snd_pcm_format_t format;
};

struct card {
    snd_pcm_ioplug_t io;
    struct sample_source *source;
    double speed;
    long overrun_at;    // 0: never, or done
    int64_t epoch;      // when the stream started, moved by what the source waited
    uint64_t read;      // frames since the start
    uint64_t lifetime;  // frames since the opening
    uint64_t lost;      // frames that an overrun threw away, to be thrown away at the source
    bool is_running;
};

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void arm(struct card *card, double seconds) {
    struct timespec step = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1) * NANOSECONDS)};
    struct itimerspec timer = {.it_interval = step, .it_value = step};
    timerfd_settime(card->io.poll_fd, 0, &timer, NULL);
}

static int on_start(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (sample_source_is_gone(card->source)) return -ENODEV;
    card->epoch = now_ns();
    card->read = 0;
    card->is_running = true;
    arm(card, (double)io->period_size / io->rate / card->speed);
    return 0;
}

static int on_stop(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    card->is_running = false;
    arm(card, 0);
    return 0;
}

static int on_prepare(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (sample_source_is_gone(card->source)) {
        snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
        return -ENODEV;
    }
    int16_t heard_by_nobody[CHUNK_FRAMES];
    for (; card->lost > 0; card->lost -= card->lost < CHUNK_FRAMES ? card->lost : CHUNK_FRAMES)
        sample_source_read(card->source, heard_by_nobody, card->lost < CHUNK_FRAMES ? card->lost : CHUNK_FRAMES);
    card->read = 0;
    return 0;
}

// The timer stays armed after an overrun, so that poll() tells of it.
static snd_pcm_sframes_t overrun(struct card *card, uint64_t lost) {
    card->is_running = false;
    card->lost = lost;
    return -EPIPE;
}

static snd_pcm_sframes_t on_pointer(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (!card->is_running) return 0;
    if (card->overrun_at > 0 && card->lifetime >= (uint64_t)card->overrun_at) {
        card->overrun_at = 0;
        return overrun(card, io->buffer_size);
    }
    double seconds = (double)(now_ns() - card->epoch) / NANOSECONDS;
    uint64_t captured = (uint64_t)fmax(0, seconds * io->rate * card->speed);
    // Whole periods, as of a card that counts at its interrupts: with a pointer that moves all the time a reader
    // would fetch the last few frames again and again.
    captured -= captured % io->period_size;
    if (captured < card->read) captured = card->read;
    if (captured - card->read > io->buffer_size) return overrun(card, captured - card->read);
    return (snd_pcm_sframes_t)(captured % io->buffer_size);
}

static void store(uint8_t *to, snd_pcm_format_t format, int16_t sample) {
    int32_t wide = (int32_t)((uint32_t)sample << 16);
    float real = sample / 32768.0f;
    switch (format) {
    case SND_PCM_FORMAT_S32_LE: memcpy(to, &wide, 4); break;
    case SND_PCM_FORMAT_S24_LE: wide >>= 8; memcpy(to, &wide, 4); break;
    case SND_PCM_FORMAT_S24_3LE: wide >>= 8; memcpy(to, &wide, 3); break;
    case SND_PCM_FORMAT_FLOAT_LE: memcpy(to, &real, 4); break;
    default: memcpy(to, &sample, 2); break;
    }
}

static void spread(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset,
                   const int16_t *samples, size_t count) {
    for (unsigned c = 0; c < io->channels; c++) {
        uint8_t *to = (uint8_t *)areas[c].addr + (areas[c].first + areas[c].step * offset) / 8;
        for (size_t i = 0; i < count; i++, to += areas[c].step / 8) store(to, io->format, c == 0 ? samples[i] : 0);
    }
}

static snd_pcm_sframes_t on_transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
                                     snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
    struct card *card = io->private_data;
    if (sample_source_is_gone(card->source)) return -ENODEV;
    int16_t samples[CHUNK_FRAMES];
    for (snd_pcm_uframes_t done = 0; done < size;) {
        size_t count = size - done < CHUNK_FRAMES ? size - done : CHUNK_FRAMES;
        card->epoch += sample_source_read(card->source, samples, count);
        spread(io, areas, offset + done, samples, count);
        done += count;
    }
    explicit_bzero(samples, sizeof samples);
    card->read += size;
    card->lifetime += size;
    return (snd_pcm_sframes_t)size;
}

static int on_poll(snd_pcm_ioplug_t *io, struct pollfd *fds, unsigned count, unsigned short *events) {
    struct card *card = io->private_data;
    *events = 0;
    if (count == 0 || !(fds[0].revents & POLLIN)) return 0;
    uint64_t expirations;
    if (read(io->poll_fd, &expirations, sizeof expirations) < 0) return 0;
    if (sample_source_is_gone(card->source)) {
        snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
        *events = POLLERR | POLLNVAL;
        return 0;
    }
    snd_pcm_avail_update(io->pcm);
    *events = io->state == SND_PCM_STATE_XRUN ? POLLIN | POLLERR : POLLIN;
    return 0;
}

static int on_close(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    close(io->poll_fd);
    sample_source_close(card->source);
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

static int read_option(struct options *options, const char *id, snd_config_t *node) {
    const char *name;
    if (strcmp(id, "comment") == 0 || strcmp(id, "type") == 0 || strcmp(id, "hint") == 0) return 0;
    if (strcmp(id, "source") == 0) return snd_config_get_string(node, &options->source);
    if (strcmp(id, "speed") == 0) return snd_config_get_ireal(node, &options->speed);
    if (strcmp(id, "rate") == 0) return snd_config_get_integer(node, &options->rate);
    if (strcmp(id, "channels") == 0) return snd_config_get_integer(node, &options->channels);
    if (strcmp(id, "overrun_at") == 0) return snd_config_get_integer(node, &options->overrun_at);
    if (strcmp(id, "format") == 0) {
        int error = snd_config_get_string(node, &name);
        if (error < 0) return error;
        options->format = snd_pcm_format_value(name);
        return 0;
    }
    SNDERR("Unknown field %s", id);
    return -EINVAL;
}

static bool is_valid(const struct options *o) {
    bool is_known = o->format == SND_PCM_FORMAT_S16_LE || o->format == SND_PCM_FORMAT_S32_LE ||
                    o->format == SND_PCM_FORMAT_S24_LE || o->format == SND_PCM_FORMAT_S24_3LE ||
                    o->format == SND_PCM_FORMAT_FLOAT_LE;
    return o->source != NULL && o->speed > 0 && o->rate >= 0 && o->channels >= 1 &&
           o->channels <= MAXIMUM_CHANNELS && o->overrun_at >= 0 && is_known;
}

static void limit(snd_pcm_ioplug_t *io, const struct options *o) {
    const unsigned access[] = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED};
    const unsigned rates[] = {44100, 48000, 96000};
    const unsigned format = (unsigned)o->format, rate = (unsigned)o->rate, channels = (unsigned)o->channels;
    snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 2, access);
    snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 1, &format);
    snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, channels, channels);
    snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_RATE, rate ? 1 : 3, rate ? &rate : rates);
    snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, MINIMUM_PERIOD_BYTES, MAXIMUM_PERIOD_BYTES);
    snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 2 * MINIMUM_PERIOD_BYTES,
                                    MAXIMUM_BUFFER_BYTES);
    snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIODS, 2, MAXIMUM_PERIODS);
}

static int create(struct card *card, const char *name, snd_pcm_stream_t stream, int mode) {
    card->io.version = SND_PCM_IOPLUG_VERSION;
    card->io.name = "swiped virtual sound card";
    card->io.callback = &callbacks;
    card->io.private_data = card;
    card->io.poll_events = POLLIN;
    card->io.poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (card->io.poll_fd < 0) return -errno;
    int error = snd_pcm_ioplug_create(&card->io, name, stream, mode);
    if (error < 0) close(card->io.poll_fd);
    return error;
}

SND_PCM_PLUGIN_DEFINE_FUNC(swiped) {
    (void)root;
    struct options options = {.speed = 1, .channels = 1, .format = SND_PCM_FORMAT_S16_LE};
    snd_config_iterator_t i, next;
    snd_config_for_each(i, next, conf) {
        snd_config_t *node = snd_config_iterator_entry(i);
        const char *id;
        if (snd_config_get_id(node, &id) < 0) continue;
        int error = read_option(&options, id, node);
        if (error < 0) return error;
    }
    if (!is_valid(&options) || stream != SND_PCM_STREAM_CAPTURE) return -EINVAL;

    struct card *card = calloc(1, sizeof *card);
    if (card == NULL) return -ENOMEM;
    card->speed = options.speed;
    card->overrun_at = options.overrun_at;
    int error = sample_source_open(&card->source, options.source);
    if (error == -ENOENT) error = -ENODEV;
    if (error >= 0) error = create(card, name, stream, mode);
    if (error < 0) {
        sample_source_close(card->source);
        free(card);
        return error;
    }
    limit(&card->io, &options);
    *pcmp = card->io.pcm;
    return 0;
}
SND_PCM_PLUGIN_SYMBOL(swiped);
