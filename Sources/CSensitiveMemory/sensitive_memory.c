// The arena: one mapping, cut into blocks of 64 bytes, a bit for each block in use, first fit.
// Swipes are rare and short-lived (a few KiB for milliseconds), so a scan of 128 words is cheap enough.
#define _GNU_SOURCE
#include "sensitive_memory.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { block_size = 64, block_count = 8192 };  // 512 KiB, within the usual RLIMIT_MEMLOCK of 8 MiB

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *arena;
static bool arena_tried;
static bool arena_locked;
static size_t blocks_used;
static unsigned char used[block_count];

static void open_arena(void) {
    arena_tried = true;
    void *mapping = mmap(NULL, (size_t)block_size * block_count, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return;
    arena = mapping;
    // MLOCK_ONFAULT: the pages that are used are locked, the others cost nothing.
    arena_locked = mlock2(mapping, (size_t)block_size * block_count, MLOCK_ONFAULT) == 0;
    madvise(mapping, (size_t)block_size * block_count, MADV_DONTDUMP);
    madvise(mapping, (size_t)block_size * block_count, MADV_WIPEONFORK);
}

static size_t blocks_for(size_t size) {
    return size / block_size + (size % block_size != 0 || size == 0);
}

static void *allocate_locked(size_t blocks) {
    if (!arena_tried) open_arena();
    if (arena == NULL || blocks > block_count - blocks_used) return NULL;
    size_t run = 0;
    for (size_t index = 0; index < block_count; index++) {
        run = used[index] ? 0 : run + 1;
        if (run == blocks) {
            size_t first = index + 1 - blocks;
            memset(used + first, 1, blocks);
            blocks_used += blocks;
            return arena + first * block_size;
        }
    }
    return NULL;
}

void *swiped_sensitive_allocate(size_t size) {
    pthread_mutex_lock(&lock);
    void *pointer = allocate_locked(blocks_for(size));
    pthread_mutex_unlock(&lock);
    return pointer != NULL ? pointer : malloc(size == 0 ? 1 : size);
}

void swiped_sensitive_free(void *pointer, size_t size) {
    if (pointer == NULL) return;
    explicit_bzero(pointer, size);
    uintptr_t address = (uintptr_t)pointer, start = (uintptr_t)arena;
    if (arena == NULL || address < start || address >= start + (uintptr_t)block_size * block_count) {
        free(pointer);
        return;
    }
    pthread_mutex_lock(&lock);
    memset(used + (address - start) / block_size, 0, blocks_for(size));
    blocks_used -= blocks_for(size);
    pthread_mutex_unlock(&lock);
}

void swiped_wipe(void *pointer, size_t size) { explicit_bzero(pointer, size); }

bool swiped_sensitive_is_locked(void) {
    pthread_mutex_lock(&lock);
    if (!arena_tried) open_arena();
    bool result = arena_locked;
    pthread_mutex_unlock(&lock);
    return result;
}

size_t swiped_sensitive_bytes_in_use(void) {
    pthread_mutex_lock(&lock);
    size_t result = blocks_used * block_size;
    pthread_mutex_unlock(&lock);
    return result;
}
