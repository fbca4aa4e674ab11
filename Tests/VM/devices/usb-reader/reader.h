// A MagneSafe V5 reader: what it says of itself and how it answers, apart from how the bytes travel.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPORT_BYTES = 856, FEATURE_BYTES = 60, MAXIMUM_STRING = 31, MAXIMUM_SERIAL = 15 };

enum feature_mode { ANSWER, STALL, MUTE };

struct reader {
    char serial[MAXIMUM_SERIAL + 1];
    enum feature_mode mode;
    uint8_t answer[FEATURE_BYTES];
};

// What a control request gets: bytes, a stall, or nothing at all.
enum outcome { REPLY, REFUSE, SILENCE };

struct setup {
    uint8_t type, request;
    uint16_t value, index, length;
};

// Answers a control request on endpoint 0. `data` is what came with it; the reply goes into `reply`.
enum outcome reader_control(struct reader *reader, const struct setup *setup, const uint8_t *data, size_t data_length,
                            uint8_t *reply, size_t capacity, size_t *reply_length);
