#include "reader.h"

#include <string.h>

// Source of the layout and the commands: MagTek 99875475, "MagneSafe V5 Communication Reference Manual".

#define FIELD(usage, count) 0x75, 0x08, 0x09, usage, 0x95, count, 0x82, 0x02, 0x01
#define WIDE_FIELD(usage) 0x75, 0x20, 0x09, usage, 0x95, 0x01, 0x82, 0x02, 0x01

static const uint8_t report_descriptor[] = {
    0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00,
    FIELD(0x20, 1), FIELD(0x21, 1), FIELD(0x22, 1),        // decode status of tracks 1 to 3
    FIELD(0x28, 1), FIELD(0x29, 1), FIELD(0x2A, 1),        // their lengths
    FIELD(0x38, 1),                                        // card encode type
    FIELD(0x30, 112), FIELD(0x31, 112), FIELD(0x32, 112),  // the tracks
    FIELD(0x39, 1), WIDE_FIELD(0x23), FIELD(0x2B, 1), FIELD(0x33, 128),
    FIELD(0x40, 16), FIELD(0x42, 2), FIELD(0x46, 10),      // serial, encryption status, KSN
    FIELD(0x47, 1), FIELD(0x48, 1), FIELD(0x49, 1),
    FIELD(0x4A, 112), FIELD(0x4B, 112), FIELD(0x4C, 112),  // masked tracks
    FIELD(0x50, 8), FIELD(0x51, 1), FIELD(0x52, 1), FIELD(0x53, 1), FIELD(0x54, 1),
    0x75, 0x08, 0x09, 0x20, 0x95, MAXIMUM_FEATURE, 0xB2, 0x02, 0x01, 0xC0,
};

enum { COMMAND_GET_PROPERTY = 0x00, COMMAND_KSN = 0x09, COMMAND_STATE = 0x14, COMMAND_LEVEL = 0x15, COMMAND_COUNTER = 0x1C };
enum { RESULT_OK = 0, RESULT_BAD_PARAMETER = 2, RESULT_INVALID_OPERATION = 7 };
enum { SERIAL_FIELD_BYTES = MAXIMUM_SERIAL + 1 };

// answer    RR LL data… 00…
static void answer(struct reader *reader, uint8_t result, const void *data, uint8_t length) {
    memset(reader->answer, 0, sizeof reader->answer);
    reader->answer[0] = result;
    reader->answer[1] = length;
    if (length > 0) memcpy(reader->answer + 2, data, length);
}

static void get_property(struct reader *reader, uint8_t property) {
    switch (property) {
    case 0x00: answer(reader, RESULT_OK, "21042812B01", 11); return;
    case 0x01:
    case 0x03: answer(reader, RESULT_OK, reader->serial, (uint8_t)strlen(reader->serial)); return;
    case 0x04: answer(reader, RESULT_OK, "V05", 3); return;
    case 0x07: answer(reader, RESULT_OK, "04040Y", 6); return;
    default: answer(reader, RESULT_BAD_PARAMETER, NULL, 0);
    }
}

// How many swipes its key is still good for; 0xFF in each byte is without a limit.
static uint8_t swipes_left = 0xFF;

// From 3 on it encrypts.
static uint8_t level = 2;

// spend    the last of its keys is used up
// encrypt  it does from now on
static bool obey(struct reader *reader, const char *line) {
    (void)reader;
    if (strcmp(line, "spend") == 0) return swipes_left = 0, true;
    if (strcmp(line, "encrypt") == 0) return level = 3, true;
    return false;
}

// request   CC LL data… 00…
static void receive(struct reader *reader, const uint8_t *request, size_t length) {
    static const uint8_t ksn[] = {0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xE0, 0x00, 0x08};
    static const uint8_t state[] = {2, 0};
    uint8_t counter[SERIAL_FIELD_BYTES + 3] = {0};
    if (length < 2) return answer(reader, RESULT_BAD_PARAMETER, NULL, 0);
    switch (request[0]) {
    case COMMAND_GET_PROPERTY: return get_property(reader, length > 2 ? request[2] : 0xFF);
    case COMMAND_KSN: return answer(reader, RESULT_OK, ksn, sizeof ksn);
    case COMMAND_LEVEL: return answer(reader, RESULT_OK, &level, sizeof level);
    case COMMAND_STATE: return answer(reader, RESULT_OK, state, sizeof state);
    case COMMAND_COUNTER:
        memcpy(counter, reader->serial, strlen(reader->serial));
        memset(counter + SERIAL_FIELD_BYTES, swipes_left, 3);
        return answer(reader, RESULT_OK, counter, sizeof counter);
    default: answer(reader, RESULT_INVALID_OPERATION, NULL, 0);
    }
}

static size_t give(struct reader *reader, uint8_t *bytes) {
    memcpy(bytes, reader->answer, MAXIMUM_FEATURE);
    return MAXIMUM_FEATURE;
}

const struct model magtek = {
    .name = "magtek", .manufacturer = "Mag-Tek", .product = "USB Swipe Reader", .vendor = 0x0801, .number = 0x0011,
    .report_descriptor = report_descriptor, .report_descriptor_length = sizeof report_descriptor,
    .receive = receive, .give = give, .obey = obey,
};
