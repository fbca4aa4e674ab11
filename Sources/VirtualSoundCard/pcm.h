// The two directions of the virtual card.
#pragma once

#include "pcm_options.h"

int capture_pcm_open(snd_pcm_t **pcm, const char *name, const struct pcm_options *options, int mode);
int playback_pcm_open(snd_pcm_t **pcm, const char *name, const struct pcm_options *options, int mode);
