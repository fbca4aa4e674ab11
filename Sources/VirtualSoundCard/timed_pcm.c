#define _GNU_SOURCE
#include "timed_pcm.h"

#include <sys/timerfd.h>
#include <unistd.h>

int timed_pcm_create(snd_pcm_ioplug_t *io, const snd_pcm_ioplug_callback_t *callbacks, void *card, const char *name,
                     snd_pcm_stream_t stream, int mode) {
    io->version = SND_PCM_IOPLUG_VERSION;
    io->name = "swiped virtual sound card";
    io->callback = callbacks;
    io->private_data = card;
    io->poll_events = POLLIN;
    io->poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (io->poll_fd < 0) return -errno;
    int error = snd_pcm_ioplug_create(io, name, stream, mode);
    if (error < 0) close(io->poll_fd);
    return error;
}

int timed_pcm_poll(snd_pcm_ioplug_t *io, const struct pollfd *fds, unsigned count, bool is_gone, unsigned short ready,
                   unsigned short *events) {
    *events = 0;
    if (count == 0 || !(fds[0].revents & POLLIN)) return 0;
    uint64_t expirations;
    if (read(io->poll_fd, &expirations, sizeof expirations) < 0) return 0;
    if (is_gone) {
        snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
        *events = POLLERR | POLLNVAL;
        return 0;
    }
    snd_pcm_avail_update(io->pcm);
    *events = io->state == SND_PCM_STATE_XRUN ? ready | POLLERR : ready;
    return 0;
}
