#include <stdio.h>
#include <string.h>

#include "encoder.h"

// Source of the layout: ISO/IEC 7811-2 (characters of 6 bits and a parity bit on track 1, of 4 and one on tracks 2 and 3, the lowest bit
// first, a redundancy character at the end); the MSR606 Programmer's Manual, revision B, for the answers.

enum { LEADING_ZEROS = 30, FIRST_WRONG_BIT = 35, LAST_WRONG_BIT = 80 };

// xorshift64: the same series for the same seed.
unsigned draw(uint64_t *random, unsigned limit) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (unsigned)(*random >> 33) % limit;
}

struct card make_card(unsigned number, uint64_t *random) {
    struct card card = {.is_backward = draw(random, 2)};
    unsigned present = draw(random, 8), damaged = draw(random, TRACKS);
    if (present & 1)
        snprintf(card.texts[0], sizeof card.texts[0], "%%B4111111111111111^DOE/JANE^29121010000000%04u?", number % 10000);
    if (present & 2) snprintf(card.texts[1], sizeof card.texts[1], ";4111111111111111=2912101000000%04u?", number % 10000);
    if (present & 4) snprintf(card.texts[2], sizeof card.texts[2], ";011234567890123445=7247241000000%04u?", number % 10000);
    unsigned wrong = FIRST_WRONG_BIT + draw(random, LAST_WRONG_BIT - FIRST_WRONG_BIT + 1);
    if (number % 5 == 0 && card.texts[damaged][0]) card.wrong_bits[damaged] = wrong;
    return card;
}

struct habits make_habits(uint64_t *random) {
    return (struct habits){
        .blank = draw(random, WAYS_OF_BLANK), .counts_itself = draw(random, 2), .low_bit_first = draw(random, 2),
        .marks_failed = draw(random, 2), .omits_block = draw(random, 4) == 0,
    };
}

static bool is_readable(const struct card *card, int track) { return card->texts[track][0] && !card->wrong_bits[track]; }

static bool has_failed(const struct card *card) {
    return card->wrong_bits[0] || card->wrong_bits[1] || card->wrong_bits[2];
}

// A character's bits and its parity bit, which makes the number of ones odd.
static size_t put_character(uint8_t *bits, unsigned value, unsigned width) {
    uint8_t parity = 1;
    for (unsigned bit = 0; bit < width; bit++) parity ^= bits[bit] = value >> bit & 1;
    bits[width] = parity;
    return width + 1;
}

// In the order in which they pass the head.
static size_t put_bits(const struct card *card, int track, uint8_t bits[MAXIMUM_BITS]) {
    unsigned width = track == 0 ? 6 : 4, first = track == 0 ? 0x20 : 0x30, redundancy = 0;
    size_t count = LEADING_ZEROS;
    memset(bits, 0, MAXIMUM_BITS);
    for (const char *c = card->texts[track]; *c; c++) {
        unsigned value = (unsigned)(unsigned char)*c - first;
        redundancy ^= value;
        count += put_character(bits + count, value, width);
    }
    count += put_character(bits + count, redundancy, width) + LEADING_ZEROS;
    for (size_t i = 0; card->is_backward && i < count / 2; i++) {
        uint8_t other = bits[i];
        bits[i] = bits[count - 1 - i];
        bits[count - 1 - i] = other;
    }
    bits[card->wrong_bits[track]] ^= card->wrong_bits[track] != 0;
    return count;
}

// L, and L bytes of bits.
static size_t put_raw(const struct card *card, int track, const struct habits *habits, uint8_t *bytes) {
    uint8_t bits[MAXIMUM_BITS];
    size_t count = put_bits(card, track, bits), length = (count + 7) / 8;
    memset(bytes, 0, 1 + length);
    bytes[0] = (uint8_t)(length + habits->counts_itself);
    for (size_t i = 0; i < count; i++) bytes[1 + i / 8] |= (uint8_t)(bits[i] << (habits->low_bit_first ? i % 8 : 7 - i % 8));
    return 1 + length;
}

static size_t put_mark(uint8_t mark, uint8_t *bytes) {
    bytes[0] = ESCAPE;
    bytes[1] = mark;
    return 2;
}

static size_t put_blank(const struct habits *habits, bool is_raw, uint8_t *bytes) {
    if (habits->blank == NOTHING) return 0;
    if (habits->blank == MARK || !is_raw) return put_mark('+', bytes);
    bytes[0] = habits->counts_itself;
    return 1;
}

static size_t put_track(const struct card *card, int track, const struct habits *habits, bool is_raw, uint8_t *bytes) {
    size_t length = strlen(card->texts[track]);
    if (length == 0) return put_blank(habits, is_raw, bytes);
    if (card->wrong_bits[track] && (habits->marks_failed || !is_raw)) return put_mark('*', bytes);
    if (is_raw) return put_raw(card, track, habits, bytes);
    memcpy(bytes, card->texts[track], length);
    return length;
}

// 1B 73 · 1B 01 TRACK · 1B 02 TRACK · 1B 03 TRACK · 3F 1C · 1B STATUS
size_t answer_card(const struct card *card, const struct habits *habits, bool is_raw, uint8_t bytes[MAXIMUM_BLOCK]) {
    static const uint8_t failures[] = {0x31, 0x32, 0x39, 0x41};
    size_t length = 0;
    if (has_failed(card) && habits->omits_block)
        return put_mark(failures[(card->wrong_bits[0] + card->wrong_bits[1] + card->wrong_bits[2]) % sizeof failures], bytes);
    length += put_mark(0x73, bytes);
    for (int track = 0; track < TRACKS; track++) {
        length += put_mark((uint8_t)(track + 1), bytes + length);
        length += put_track(card, track, habits, is_raw, bytes + length);
    }
    bytes[length++] = 0x3F;
    bytes[length++] = 0x1C;
    return length + put_mark(has_failed(card) ? 0x31 : 0x30, bytes + length);
}

void expect_card(const struct card *card, const struct habits *habits, bool is_raw, char *line, size_t capacity) {
    bool is_read = !(has_failed(card) && habits->omits_block);
    const char *texts[TRACKS], *direction = "-";
    for (int track = 0; track < TRACKS; track++) {
        texts[track] = is_read && is_readable(card, track) ? card->texts[track] : "-";
        if (is_raw && texts[track] == card->texts[track]) direction = card->is_backward ? "backward" : "forward";
    }
    snprintf(line, capacity, "%s %s %s %s", direction, texts[0], texts[1], texts[2]);
}
