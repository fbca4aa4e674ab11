#define _GNU_SOURCE
#include "pcm_options.h"

enum { MAXIMUM_CHANNELS = 8 };
enum { MINIMUM_PERIOD_BYTES = 64, MAXIMUM_PERIOD_BYTES = 1 << 19, MAXIMUM_BUFFER_BYTES = 1 << 22 };
enum { MAXIMUM_PERIODS = 1024 };

static int read_option(struct pcm_options *options, const char *id, snd_config_t *node) {
    const char *name;
    if (strcmp(id, "comment") == 0 || strcmp(id, "type") == 0 || strcmp(id, "hint") == 0) return 0;
    if (strcmp(id, "source") == 0) return snd_config_get_string(node, &options->source);
    if (strcmp(id, "sink") == 0) return snd_config_get_string(node, &options->sink);
    if (strcmp(id, "gain") == 0) return snd_config_get_string(node, &options->gain);
    if (strcmp(id, "speed") == 0) return snd_config_get_ireal(node, &options->speed);
    if (strcmp(id, "rate") == 0) return snd_config_get_integer(node, &options->rate);
    if (strcmp(id, "heads") == 0) return snd_config_get_integer(node, &options->heads);
    if (strcmp(id, "channels") == 0) return snd_config_get_integer(node, &options->channels);
    if (strcmp(id, "overrun_at") == 0) return snd_config_get_integer(node, &options->overrun_at);
    if (strcmp(id, "underrun_at") == 0) return snd_config_get_integer(node, &options->underrun_at);
    if (strcmp(id, "format") == 0) {
        int error = snd_config_get_string(node, &name);
        if (error < 0) return error;
        options->format = snd_pcm_format_value(name);
        return 0;
    }
    SNDERR("Unknown field %s", id);
    return -EINVAL;
}

static bool is_valid(const struct pcm_options *o) {
    bool is_known = o->format == SND_PCM_FORMAT_S16_LE || o->format == SND_PCM_FORMAT_S32_LE ||
                    o->format == SND_PCM_FORMAT_S24_LE || o->format == SND_PCM_FORMAT_S24_3LE ||
                    o->format == SND_PCM_FORMAT_FLOAT_LE;
    return o->speed > 0 && o->rate >= 0 && o->channels >= 1 && o->heads >= 1 && o->heads <= MAXIMUM_HEADS &&
           o->channels <= MAXIMUM_CHANNELS && o->overrun_at >= 0 && o->underrun_at >= 0 && is_known;
}

int pcm_options_read(struct pcm_options *options, snd_config_t *definition) {
    *options = (struct pcm_options){.speed = 1, .heads = 1, .channels = 1, .format = SND_PCM_FORMAT_S16_LE};
    snd_config_iterator_t i, next;
    snd_config_for_each(i, next, definition) {
        snd_config_t *node = snd_config_iterator_entry(i);
        const char *id;
        if (snd_config_get_id(node, &id) < 0) continue;
        int error = read_option(options, id, node);
        if (error < 0) return error;
    }
    return is_valid(options) ? 0 : -EINVAL;
}

void pcm_options_limit(const struct pcm_options *o, snd_pcm_ioplug_t *io, unsigned channels) {
    const unsigned access[] = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED};
    const unsigned rates[] = {44100, 48000, 96000};
    const unsigned format = (unsigned)o->format, rate = (unsigned)o->rate;
    snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 2, access);
    snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 1, &format);
    snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, channels, channels);
    snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_RATE, rate ? 1 : 3, rate ? &rate : rates);
    snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, MINIMUM_PERIOD_BYTES, MAXIMUM_PERIOD_BYTES);
    snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 2 * MINIMUM_PERIOD_BYTES,
                                    MAXIMUM_BUFFER_BYTES);
    snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIODS, 2, MAXIMUM_PERIODS);
}
