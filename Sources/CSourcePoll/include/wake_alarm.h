// Tells at once that the machine woke up: the kernel cancels a timer of wall-clock time then, as whenever that clock is set
// (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET).
#pragma once

// A descriptor that becomes readable then; -1 where the kernel gives none.
int wake_alarm_open(void);

// Waits for the next time; -1 where it cannot.
int wake_alarm_wind(int descriptor);
