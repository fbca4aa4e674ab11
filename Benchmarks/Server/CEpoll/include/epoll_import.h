// epoll(7) and eventfd(2), which the Glibc module leaves out.
#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>

static inline struct epoll_event epoll_readable(unsigned long index) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = index};
    return event;
}

static inline struct epoll_event epoll_both(unsigned long index) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.u64 = index};
    return event;
}

static inline unsigned long epoll_index(struct epoll_event event) { return event.data.u64; }
