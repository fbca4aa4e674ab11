// Overwrites every block of the heap when it is freed.
//
// A swipe passes through many hands on its way: reports, arrays of bits, strings, lines, buffers of NIO and of the C
// libraries. Wiping each of them where it is used would need every author of each to think of it for ever. All of
// them give their memory back through free(3) and realloc(3), so those two are where the daemon forgets.
//
// Both forward to glibc's own, so this is the same heap; a program may define them (glibc manual, "Replacing
// malloc"). With the block go the registers that its bytes may have passed through. What is still in use is not covered:
// docs/decisions/0001-wiping-heap.md says what that is.
#define _GNU_SOURCE
#include "wiping_heap.h"

#include <malloc.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <vector_registers.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_FOREIGN_HEAP 1
#endif
#endif

bool process_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0) == 0; }

void process_use_small_pages(void) { prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

#ifdef HAS_FOREIGN_HEAP
bool wiping_heap_is_at_work(void) { return false; }
#else
extern void __libc_free(void *);
extern void *__libc_malloc(size_t);

bool wiping_heap_is_at_work(void) { return true; }

void free(void *block) {
    if (!block) return;
    explicit_bzero(block, malloc_usable_size(block));
    swiped_forget_vector_registers();
    __libc_free(block);
}

// glibc's own may move a block and leave the old one as it was.
void *realloc(void *block, size_t size) {
    if (!block) return __libc_malloc(size);
    if (size == 0) {
        free(block);
        return NULL;
    }
    size_t old = malloc_usable_size(block);
    // Shrinking by less than half is not worth a move; what is given up is forgotten all the same.
    if (size <= old && size >= old / 2) {
        explicit_bzero((char *)block + size, old - size);
        return block;
    }
    void *moved = __libc_malloc(size);
    if (!moved) return NULL;
    memcpy(moved, block, old < size ? old : size);
    free(block);
    return moved;
}
#endif
