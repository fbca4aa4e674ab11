// The sound that the virtual card hears: what is written to a FIFO, or stands in a file.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample_source;

// Opens a FIFO (or a file) of raw signed 16-bit little-endian samples, `heads` of them in turn, or of WAV files one after the
// other, of which the first channels are heard. On failure returns a negative errno.
int sample_source_open(struct sample_source **source, const char *path, unsigned heads);

void sample_source_close(struct sample_source *source);

// True once the path has been removed: the card is unplugged.
bool sample_source_is_gone(const struct sample_source *source);

// Fills `samples` with `count` frames of all heads, in turn; silence where there is nothing to hear. Returns the
// nanoseconds for which it waited for a writer who was in the middle of a sound: time that must not pass on the card's
// clock, or a slow writer would tear a hole into the sound.
int64_t sample_source_read(struct sample_source *source, int16_t *samples, size_t count);
