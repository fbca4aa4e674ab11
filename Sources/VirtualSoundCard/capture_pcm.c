// A capture PCM that runs on a clock of its own and hears a sample_source.
//
// As on real hardware: a reader who is late gets an overrun (EPIPE) and loses what the ring held, the poll
// descriptor wakes once a period, an unplugged card answers ENODEV, and one that slept answers ESTRPIPE until it is prepared.
#define _GNU_SOURCE
#include "card_clock.h"
#include "mixer_state.h"
#include "pcm.h"
#include "sample_source.h"
#include "timed_pcm.h"

#include <unistd.h>

enum { CHUNK_FRAMES = 2048 };
static const double NANOSECONDS = 1e9;

struct card {
    snd_pcm_ioplug_t io;
    struct sample_source *source;
    char *sleep;        // a file beside the source: the card sleeps once for each time that it is made
    char *gain;         // a file with the gain; NULL: none
    unsigned heads;     // channels that hear something
    double speed;
    long overrun_at;    // 0: never, or done
    int64_t epoch;      // when the stream started, moved by what the source waited
    uint64_t read;      // frames since the start
    uint64_t lifetime;  // frames since the opening
    uint64_t lost;      // frames that an overrun threw away, to be thrown away at the source
    bool is_running;
};

static int on_start(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (sample_source_is_gone(card->source)) return -ENODEV;
    card->epoch = clock_now_ns();
    card->read = 0;
    card->is_running = true;
    clock_arm(card->io.poll_fd, (double)io->period_size / io->rate / card->speed);
    return 0;
}

static int on_stop(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    card->is_running = false;
    clock_arm(card->io.poll_fd, 0);
    return 0;
}

static int on_prepare(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (sample_source_is_gone(card->source)) {
        snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
        return -ENODEV;
    }
    int16_t heard_by_nobody[CHUNK_FRAMES * MAXIMUM_HEADS];
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
    if (unlink(card->sleep) == 0) {
        snd_pcm_ioplug_set_state(io, SND_PCM_STATE_SUSPENDED);
        return (snd_pcm_sframes_t)(card->read % io->buffer_size);
    }
    if (card->overrun_at > 0 && card->lifetime >= (uint64_t)card->overrun_at) {
        card->overrun_at = 0;
        return overrun(card, io->buffer_size);
    }
    double seconds = (double)(clock_now_ns() - card->epoch) / NANOSECONDS;
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
                   const int16_t *samples, unsigned heads, size_t count) {
    for (unsigned c = 0; c < io->channels; c++) {
        uint8_t *to = (uint8_t *)areas[c].addr + (areas[c].first + areas[c].step * offset) / 8;
        for (size_t i = 0; i < count; i++, to += areas[c].step / 8)
            store(to, io->format, c < heads ? samples[i * heads + c] : 0);
    }
}

// As an amplifier does that is turned up too far: cut off at the end of the scale.
static void amplify(int16_t *samples, size_t count, double factor) {
    for (size_t i = 0; i < count; i++) samples[i] = (int16_t)fmax(INT16_MIN, fmin(INT16_MAX, round(samples[i] * factor)));
}

static snd_pcm_sframes_t on_transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
                                     snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
    struct card *card = io->private_data;
    if (sample_source_is_gone(card->source)) return -ENODEV;
    int16_t samples[CHUNK_FRAMES * MAXIMUM_HEADS];
    double factor = card->gain ? mixer_state_factor(card->gain) : 1;
    for (snd_pcm_uframes_t done = 0; done < size;) {
        size_t count = size - done < CHUNK_FRAMES ? size - done : CHUNK_FRAMES;
        card->epoch += sample_source_read(card->source, samples, count);
        if (card->gain) amplify(samples, count * card->heads, factor);
        spread(io, areas, offset + done, samples, card->heads, count);
        done += count;
    }
    explicit_bzero(samples, sizeof samples);
    card->read += size;
    card->lifetime += size;
    return (snd_pcm_sframes_t)size;
}

static int on_poll(snd_pcm_ioplug_t *io, struct pollfd *fds, unsigned count, unsigned short *events) {
    struct card *card = io->private_data;
    return timed_pcm_poll(io, fds, count, sample_source_is_gone(card->source), POLLIN, events);
}

static void release(struct card *card) {
    sample_source_close(card->source);
    free(card->sleep);
    free(card->gain);
    free(card);
}

static int on_close(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    close(io->poll_fd);
    release(card);
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

int capture_pcm_open(snd_pcm_t **pcm, const char *name, const struct pcm_options *options, int mode) {
    if (options->source == NULL) return -EINVAL;
    struct card *card = calloc(1, sizeof *card);
    if (card == NULL) return -ENOMEM;
    card->speed = options->speed;
    card->overrun_at = options->overrun_at;
    card->heads = (unsigned)options->heads;
    if (asprintf(&card->sleep, "%s.sleep", options->source) < 0) {
        free(card);
        return -ENOMEM;
    }
    card->gain = options->gain ? strdup(options->gain) : NULL;
    int error = sample_source_open(&card->source, options->source, card->heads);
    if (error == -ENOENT) error = -ENODEV;
    if (error >= 0) error = timed_pcm_create(&card->io, &callbacks, card, name, SND_PCM_STREAM_CAPTURE, mode);
    if (error < 0) {
        release(card);
        return error;
    }
    pcm_options_limit(options, &card->io, (unsigned)(options->channels > options->heads ? options->channels : options->heads));
    *pcm = card->io.pcm;
    return 0;
}
