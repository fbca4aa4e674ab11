// The clock of a virtual card.
#pragma once

#include <math.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>

static inline int64_t clock_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// Makes a timer expire every so many seconds; 0 stops it.
static inline void clock_arm(int timer, double seconds) {
    struct timespec step = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1) * 1e9)};
    struct itimerspec every = {.it_interval = step, .it_value = step};
    timerfd_settime(timer, 0, &every, NULL);
}
