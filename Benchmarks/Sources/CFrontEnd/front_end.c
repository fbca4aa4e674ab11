// The same steps as SampleHistory, ActivityGate and StripeDecoder.process take while nobody swipes: every sample
// into the ring as float, a sum and a sum of squares a block, then the gate's level and floor.
#include "front_end.h"
#include <stdlib.h>

enum { LEARNING_BLOCKS = 28 };

struct front_end {
    float *ring;
    size_t capacity, write_index;
    uint64_t count;
    size_t block_length, seen;
    float sum, squares;
    float level, floor, slow, previous_mean;
    uint64_t blocks_seen;
};

front_end *front_end_create(int sample_rate) {
    front_end *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->capacity = (size_t)(sample_rate * 4.5);
    f->ring = calloc(f->capacity, sizeof *f->ring);
    size_t block = (size_t)(sample_rate / 1400);
    f->block_length = block < 8 ? 8 : block > 256 ? 256 : block;
    return f;
}

void front_end_destroy(front_end *f) {
    if (f) free(f->ring);
    free(f);
}

static void append(front_end *f, const int16_t *restrict samples, size_t count) {
    float *restrict target = f->ring + f->write_index;
    int32_t sum = 0;
    int64_t squares = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t value = samples[i];
        target[i] = (float)value;
        sum += value;
        squares += (int64_t)(value * value);
    }
    f->sum += (float)sum;
    f->squares += (float)squares;
    f->seen += count;
    f->count += count;
    f->write_index += count;
    if (f->write_index >= f->capacity) f->write_index = 0;
}

static int end_block(front_end *f) {
    float count = (float)f->seen;
    float mean = f->sum / count;
    float variance = f->squares / count - mean * mean;
    if (variance < 0) variance = 0;
    if (f->blocks_seen == 0) f->previous_mean = mean;
    f->slow = 0.73f * (f->slow + mean - f->previous_mean);
    f->previous_mean = mean;
    float power = variance + f->slow * f->slow;
    f->level += (power - f->level) * (f->blocks_seen == 0 ? 1 : 1.0f / 8);
    f->sum = f->squares = 0;
    f->seen = 0;
    f->blocks_seen++;
    if (f->blocks_seen <= LEARNING_BLOCKS) {
        f->floor += (f->level - f->floor) / (float)f->blocks_seen;
        return 0;
    }
    float threshold = f->floor > 0.5f ? f->floor : 0.5f;
    if (f->level > threshold * 1.8f) return 1;
    f->floor += (f->level - f->floor) * (f->level < f->floor ? 1.0f / 32 : 1.0f / 1400);
    return 0;
}

int front_end_process(front_end *f, const int16_t *samples, size_t count) {
    int opened = 0;
    while (count > 0) {
        size_t chunk = f->block_length - f->seen;
        if (chunk > f->capacity - f->write_index) chunk = f->capacity - f->write_index;
        if (chunk > count) chunk = count;
        append(f, samples, chunk);
        samples += chunk;
        count -= chunk;
        if (f->seen >= f->block_length) opened += end_block(f);
    }
    return opened;
}
