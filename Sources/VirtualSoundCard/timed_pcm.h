// What both directions of the virtual card are: a PCM that a timer wakes once a period.
#pragma once

#include "pcm_options.h"

#include <alsa/pcm_ioplug.h>
#include <poll.h>

// Makes it. The timer is io->poll_fd, the caller's to close; here it is closed where this fails.
int timed_pcm_create(snd_pcm_ioplug_t *io, const snd_pcm_ioplug_callback_t *callbacks, void *card, const char *name,
                     snd_pcm_stream_t stream, int mode);

// Tells whoever polled what happened: `ready` (POLLIN or POLLOUT) once a period, an error after an xrun, and the end once the
// card is gone.
int timed_pcm_poll(snd_pcm_ioplug_t *io, const struct pollfd *fds, unsigned count, bool is_gone, unsigned short ready,
                   unsigned short *events);
