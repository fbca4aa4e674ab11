// The volume of the virtual card: a file, so that it outlives the program that set it, as in a real card.
//
//     left right is-left-on is-right-on          " 40  40 1 1\n"
//
// A gain has the same form: from 0, which is 20 dB down, over 50, which changes nothing, to 100, which is 20 dB up. A choice has it too, with
// an input's number in place of a volume.
#pragma once

#include <stdbool.h>

enum { MIXER_CHANNELS = 2, MIXER_LOUDEST = 100 };
enum { MIXER_LOWEST_GAIN = -2000, MIXER_HIGHEST_GAIN = 2000 };  // in hundredths of a decibel

struct mixer_state {
    long volumes[MIXER_CHANNELS];
    long switches[MIXER_CHANNELS];
};

// Both return false for a file that is not there or makes no sense.
bool mixer_state_read(const char *path, struct mixer_state *state);
bool mixer_state_write(const char *path, const struct mixer_state *state);

// By how much the first channel's gain multiplies; 0 where it is off or cannot be read.
double mixer_state_factor(const char *path);
