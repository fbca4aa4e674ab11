#ifndef SWIPED_SENSITIVE_MEMORY_H
#define SWIPED_SENSITIVE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/// Memory for card data: locked (never swapped), left out of core dumps, zeroed in forked children, wiped when
/// given back. It comes from one arena of fixed size; when that is full, or the kernel refuses to lock it, plain
/// memory that is wiped all the same. NULL only when the machine is out of memory. Thread-safe.
void *swiped_sensitive_allocate(size_t size);

/// Wipes and gives back what `swiped_sensitive_allocate(size)` returned. NULL is allowed.
void swiped_sensitive_free(void *pointer, size_t size);

/// Wipes in a way that no compiler removes.
void swiped_wipe(void *pointer, size_t size);

/// Whether the arena exists and is locked, and how many bytes of it are in use.
bool swiped_sensitive_is_locked(void);
size_t swiped_sensitive_bytes_in_use(void);

#endif
