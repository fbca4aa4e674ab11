// A heap that forgets, and a process that nobody dumps.
#pragma once

#include <stdbool.h>

// Whether freed memory is overwritten in this program: true, except under a sanitizer, which has a heap of its own.
bool wiping_heap_is_at_work(void);

// Keeps the kernel from writing core files of this process and others from attaching to it (prctl(2),
// PR_SET_DUMPABLE). False where the kernel refuses.
bool process_forbid_dumps(void);
