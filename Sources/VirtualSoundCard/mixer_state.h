// The volume of the virtual card: a file, so that it outlives the program that set it, as in a real card.
//
//     left right is-left-on is-right-on          " 40  40 1 1\n"
#pragma once

#include <stdbool.h>

enum { MIXER_CHANNELS = 2, MIXER_LOUDEST = 100 };

struct mixer_state {
    long volumes[MIXER_CHANNELS];
    long switches[MIXER_CHANNELS];
};

// Both return false for a file that is not there or makes no sense.
bool mixer_state_read(const char *path, struct mixer_state *state);
bool mixer_state_write(const char *path, const struct mixer_state *state);
