#define _GNU_SOURCE
#include "mixer_state.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { TEXT_BYTES = 32 };

static bool read_state(const char *path, struct mixer_state *state, int flags) {
    char text[TEXT_BYTES + 1] = {0};
    int file = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (file < 0) return false;
    ssize_t n = read(file, text, TEXT_BYTES);
    close(file);
    return n > 0 && sscanf(text, "%ld %ld %ld %ld", &state->volumes[0], &state->volumes[1], &state->switches[0],
                           &state->switches[1]) == 4;
}

// A named pipe in place of the file is a mixer that hangs.
bool mixer_state_read(const char *path, struct mixer_state *state) { return read_state(path, state, 0); }

// In one write of always the same length: who reads meanwhile sees the old one or the new one.
bool mixer_state_write(const char *path, const struct mixer_state *state) {
    char text[TEXT_BYTES + 1];
    int length = snprintf(text, sizeof text, "%3ld %3ld %ld %ld\n", state->volumes[0], state->volumes[1],
                          state->switches[0], state->switches[1]);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    bool is_written = write(file, text, (size_t)length) == length;
    close(file);
    return is_written;
}

double mixer_state_factor(const char *path) {
    struct mixer_state state;
    // What is heard does not wait for the mixer.
    if (!read_state(path, &state, O_NONBLOCK) || !state.switches[0]) return 0;
    double range = MIXER_HIGHEST_GAIN - MIXER_LOWEST_GAIN;
    double decibels = (MIXER_LOWEST_GAIN + range * (double)state.volumes[0] / MIXER_LOUDEST) / 100;
    return pow(10, decibels / 20);
}
