// The parts of an encoder of software: cards that pass its head, and how it words what it read.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRACKS = 3, MAXIMUM_TEXT = 79, MAXIMUM_BITS = 1024, MAXIMUM_BLOCK = 1024 };
enum { ESCAPE = 0x1B };

// Ways in which encoders and what is written about them differ (docs/encoders.md).
struct habits {
    enum { NOTHING, MARK, ZERO_LENGTH, WAYS_OF_BLANK } blank;
    bool counts_itself, low_bit_first, marks_failed;
    // Of a read that failed only the status is sent.
    bool omits_block;
};

struct card {
    // With their sentinels; empty for a track without a record.
    char texts[TRACKS][MAXIMUM_TEXT + 1];
    // The bit that is wrong, as they pass the head; 0 for none.
    unsigned wrong_bits[TRACKS];
    bool is_backward;
};

// The n-th of a series: which tracks it has, what is wrong with it and how it is answered follow from `random` and its number.
struct card make_card(unsigned number, uint64_t *random);
struct habits make_habits(uint64_t *random);

// The answer to a read; returns its length.
size_t answer_card(const struct card *card, const struct habits *habits, bool is_raw, uint8_t bytes[MAXIMUM_BLOCK]);

// What a client is to see: the direction and the three texts, `-` where there is none.
void expect_card(const struct card *card, const struct habits *habits, bool is_raw, char *line, size_t capacity);

// Below `limit`.
unsigned draw(uint64_t *random, unsigned limit);
