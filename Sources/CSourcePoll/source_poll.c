// io_setup and its kin have no wrappers in glibc; libaio would be a library for four system calls.
#define _GNU_SOURCE
#include "source_poll.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct source_poll {
    aio_context_t context;
    int wake;
};

struct source_wait {
    struct iocb control;
};

enum { events_at_once = 128 };

// Whether the kernel has this kind of poll, since 4.18: an eventfd can always be written to. 0, or an errno.
static int try_poll(const source_poll *poll) {
    struct iocb control = {
        .aio_lio_opcode = IOCB_CMD_POLL,
        .aio_fildes = (uint32_t)poll->wake,
        .aio_buf = POLLOUT,
    };
    struct iocb *controls[1] = {&control};
    struct io_event event;
    struct timespec now = {0};
    if (syscall(SYS_io_submit, poll->context, 1L, controls) != 1) return errno;
    return syscall(SYS_io_getevents, poll->context, 0L, 1L, &event, &now) == 1 ? 0 : ENOSYS;
}

source_poll *source_poll_open(unsigned most) {
    source_poll *poll = calloc(1, sizeof *poll);
    if (poll == NULL) return NULL;
    poll->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    int failure = errno;
    if (poll->wake >= 0) {
        failure = syscall(SYS_io_setup, most, &poll->context) == 0 ? 0 : errno;
        if (failure == 0) {
            failure = try_poll(poll);
            if (failure == 0) return poll;
            syscall(SYS_io_destroy, poll->context);
        }
    }
    if (poll->wake >= 0) close(poll->wake);
    free(poll);
    errno = failure;
    return NULL;
}

int source_poll_wake_descriptor(const source_poll *poll) { return fcntl(poll->wake, F_DUPFD_CLOEXEC, 0); }

source_wait *source_wait_make(void) { return calloc(1, sizeof(source_wait)); }

int source_wait_begin(source_poll *poll, source_wait *wait, int descriptor, uint64_t number) {
    wait->control = (struct iocb){
        .aio_data = number,
        .aio_lio_opcode = IOCB_CMD_POLL,
        .aio_fildes = (uint32_t)descriptor,
        .aio_buf = POLLIN,
        .aio_flags = IOCB_FLAG_RESFD,
        .aio_resfd = (uint32_t)poll->wake,
    };
    struct iocb *controls[1] = {&wait->control};
    return syscall(SYS_io_submit, poll->context, 1L, controls) == 1 ? 0 : errno;
}

void source_wait_cancel(source_poll *poll, source_wait *wait) {
    struct io_event event;
    // What was told already is not found any more.
    syscall(SYS_io_cancel, poll->context, &wait->control, &event);
}

void source_wait_free(source_wait *wait) { free(wait); }

int source_poll_take(source_poll *poll, uint64_t *numbers, int most) {
    struct io_event events[events_at_once];
    struct timespec now = {0};
    long wanted = most < events_at_once ? most : events_at_once;
    long count = syscall(SYS_io_getevents, poll->context, 0L, wanted, events, &now);
    for (long index = 0; index < count; index++) numbers[index] = events[index].data;
    return count > 0 ? (int)count : 0;
}
