// A heap that forgets, and a process that nobody dumps and that is small.
#pragma once

#include <stdbool.h>

// Whether freed memory is overwritten in this program: true, except under a sanitizer, which has a heap of its own.
bool wiping_heap_is_at_work(void);

// Keeps the kernel from writing core files of this process and others from attaching to it (prctl(2),
// PR_SET_DUMPABLE). False where the kernel refuses.
bool process_forbid_dumps(void);

// Keeps the kernel from giving this process pages of 2 MiB where 4 KiB are used (prctl(2), PR_SET_THP_DISABLE): where a
// distribution turns them on for all, a thread's stack costs 2 MiB instead of some 16 KiB. Without effect where the kernel
// has none.
void process_use_small_pages(void);
