#ifndef SWIPED_SENSITIVE_MEMORY_H
#define SWIPED_SENSITIVE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/// Memory for card data: locked (never swapped), left out of core dumps, zeroed in forked children, wiped when
/// given back. It comes from arenas, up to 12 MiB together; what is beyond, or what the kernel refuses to lock, is wiped
/// all the same, and from then on `swiped_sensitive_is_locked()` is false. NULL only when the machine is out of memory.
/// Thread-safe.
void *swiped_sensitive_allocate(size_t size);

/// Wipes and gives back what `swiped_sensitive_allocate(size)` returned. NULL is allowed.
void swiped_sensitive_free(void *pointer, size_t size);

/// Wipes in a way that no compiler removes, and with it the registers that copies pass through.
void swiped_wipe(void *pointer, size_t size);

/// Whether all memory for card data has been locked, from the start until now.
bool swiped_sensitive_is_locked(void);

#endif
