// Descriptors that make an eventfd readable, by the kernel's asynchronous poll (IOCB_CMD_POLL of io_submit(2), since Linux 4.18).
//
// An event loop that takes no descriptors of others' waits for the eventfd alone, and no thread stands between the two.
#pragma once
#include <stdint.h>

typedef struct source_poll source_poll;
// One wait for one descriptor; may be begun again once it was told.
typedef struct source_wait source_wait;

// NULL where the kernel gives none, with errno.
source_poll *source_poll_open(unsigned most);

// The eventfd, which does not block: another one each time, for whoever asks to close.
int source_poll_wake_descriptor(const source_poll *poll);

// NULL where memory is out, with errno.
source_wait *source_wait_make(void);

// Waits until something can be read from the descriptor, or its other end is gone; told once, as the number. 0, or an errno.
int source_wait_begin(source_poll *poll, source_wait *wait, int descriptor, uint64_t number);

// Nothing is told of it from now on, but for what is on its way already. The kernel lets go of the descriptor.
void source_wait_cancel(source_poll *poll, source_wait *wait);

void source_wait_free(source_wait *wait);

// The numbers of what is ready, at most so many; returns how many.
int source_poll_take(source_poll *poll, uint64_t *numbers, int most);
