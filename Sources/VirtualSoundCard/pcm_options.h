// What a PCM of the virtual card is defined by, in ALSA configuration.
//
//     pcm.NAME {
//         type swiped
//         source "/path"      capture: what is written there is heard; removing it unplugs the card
//         sink "/path"        playback: what is played can be read there, as raw S16LE stereo; without it the card
//                             does not play; removing it unplugs the card
//         gain "/path"        capture: the file with its gain (mixer_state.h); without it what is heard is not changed
//         speed 1.0           how many seconds pass on the card's clock in one of ours
//         rate 48000          the only rate that the card has; without it 44100, 48000 and 96000
//         format "S16_LE"     or S32_LE, S24_LE, S24_3LE, FLOAT_LE
//         heads 1             of the capture: so many channels, 3 at most, hear the source, whose samples come in turn
//         channels 1          of the capture: what is more than the heads is silent
//         overrun_at 48000    an overrun once this many frames were read, whatever the reader does
//         underrun_at 48000   the same for what is played
//     }
//
// Whoever makes the file "SOURCE.sleep" puts the capture to sleep: it is taken away, and the PCM is suspended.
#pragma once

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <stdbool.h>

enum { MAXIMUM_HEADS = 3 };

struct pcm_options {
    const char *source, *sink, *gain;
    double speed;
    long rate, heads, channels, overrun_at, underrun_at;
    snd_pcm_format_t format;
};

// Reads the fields of a definition. Returns a negative errno for one that makes no sense.
int pcm_options_read(struct pcm_options *options, snd_config_t *definition);

// Tells libasound what the card can do.
void pcm_options_limit(const struct pcm_options *options, snd_pcm_ioplug_t *io, unsigned channels);
