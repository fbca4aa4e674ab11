#include "wake_alarm.h"

#include <errno.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

int wake_alarm_open(void) {
    int descriptor = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (descriptor < 0 || wake_alarm_wind(descriptor) == 0) return descriptor;
    close(descriptor);
    return -1;
}

int wake_alarm_wind(int descriptor) {
    uint64_t unused;
    if (read(descriptor, &unused, sizeof unused) < 0) { /* ECANCELED; or nothing was there to read. */ }
    // The last second that the kernel counts to, in the year 2262.
    struct itimerspec never = {.it_value = {.tv_sec = INT64_MAX / 1000000000}};
    int result = timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
    // The clock was set since it was last looked at: it waits all the same.
    return result == 0 || errno == ECANCELED ? 0 : -1;
}
