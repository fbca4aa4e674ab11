// Counts every allocation of the process, by standing in front of the C library's.
#pragma once
#include <stdint.h>

uint64_t allocation_count(void);
