// Arenas: each one mapping, cut into blocks of 64 bytes, a byte for each block in use, first fit. One is enough for the swipes
// of any counter (a few KiB for milliseconds), so a scan of it is cheap; clients with the right to cards who do not read can
// make hundreds of lines wait, which take more arenas for as long.
#define _GNU_SOURCE
#include "sensitive_memory.h"
#include "vector_registers.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    block_size = 64,
    block_count = 8192,  // 512 KiB
    arena_bytes = block_size * block_count,
    arena_limit = 24,  // 12 MiB, below the service's RLIMIT_MEMLOCK of 16 MiB
};

struct arena {
    unsigned char *start;  // NULL: not mapped
    size_t blocks_used;
    unsigned char used[block_count];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct arena arenas[arena_limit];
static bool all_locked = true;

static bool open_arena(struct arena *arena) {
    void *mapping = mmap(NULL, arena_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return false;
    arena->start = mapping;
    // MLOCK_ONFAULT: the pages that are used are locked, the others cost nothing.
    if (mlock2(mapping, arena_bytes, MLOCK_ONFAULT) != 0) all_locked = false;
    madvise(mapping, arena_bytes, MADV_DONTDUMP);
    madvise(mapping, arena_bytes, MADV_WIPEONFORK);
    return true;
}

// The first arena stays: mapping one for each swipe would cost more than the swipe.
static void close_if_empty(struct arena *arena) {
    if (arena == arenas || arena->blocks_used > 0) return;
    munmap(arena->start, arena_bytes);
    arena->start = NULL;
}

static size_t blocks_for(size_t size) {
    return size / block_size + (size % block_size != 0 || size == 0);
}

static void *allocate_in(struct arena *arena, size_t blocks) {
    if (arena->start == NULL && !open_arena(arena)) return NULL;
    if (blocks > block_count - arena->blocks_used) return NULL;
    size_t run = 0;
    for (size_t index = 0; index < block_count; index++) {
        run = arena->used[index] ? 0 : run + 1;
        if (run == blocks) {
            size_t first = index + 1 - blocks;
            memset(arena->used + first, 1, blocks);
            arena->blocks_used += blocks;
            return arena->start + first * block_size;
        }
    }
    return NULL;
}

static void *allocate_locked(size_t blocks) {
    if (blocks > block_count) return NULL;
    for (size_t index = 0; index < arena_limit; index++) {
        void *pointer = allocate_in(&arenas[index], blocks);
        if (pointer != NULL) return pointer;
    }
    return NULL;
}

void *swiped_sensitive_allocate(size_t size) {
    pthread_mutex_lock(&lock);
    void *pointer = allocate_locked(blocks_for(size));
    if (pointer == NULL) all_locked = false;
    pthread_mutex_unlock(&lock);
    return pointer != NULL ? pointer : malloc(size == 0 ? 1 : size);
}

static struct arena *arena_of(const void *pointer) {
    uintptr_t address = (uintptr_t)pointer;
    for (size_t index = 0; index < arena_limit; index++) {
        uintptr_t start = (uintptr_t)arenas[index].start;
        if (start != 0 && address >= start && address < start + arena_bytes) return &arenas[index];
    }
    return NULL;
}

void swiped_wipe(void *pointer, size_t size) {
    explicit_bzero(pointer, size);
    swiped_forget_vector_registers();
}

void swiped_sensitive_free(void *pointer, size_t size) {
    if (pointer == NULL) return;
    swiped_wipe(pointer, size);
    pthread_mutex_lock(&lock);
    struct arena *arena = arena_of(pointer);
    if (arena != NULL) {
        memset(arena->used + ((unsigned char *)pointer - arena->start) / block_size, 0, blocks_for(size));
        arena->blocks_used -= blocks_for(size);
        close_if_empty(arena);
    }
    pthread_mutex_unlock(&lock);
    if (arena == NULL) free(pointer);
}


bool swiped_sensitive_is_locked(void) {
    pthread_mutex_lock(&lock);
    bool result = (arenas[0].start != NULL || open_arena(&arenas[0])) && all_locked;
    pthread_mutex_unlock(&lock);
    return result;
}
