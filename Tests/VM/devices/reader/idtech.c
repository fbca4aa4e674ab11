#include "reader.h"

#include <string.h>

// Source: ID TECH 80096504, "SecureMag User Manual". ASSUMPTION: the report descriptor, which no manual prints; the
// report is 509 bytes long as the manual says.

enum { FRAME_BYTES = 8, REPORT_LENGTH = 509 };

static const uint8_t report_descriptor[] = {
    0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,
    0x09, 0x20, 0x96, REPORT_LENGTH & 0xFF, REPORT_LENGTH >> 8, 0x82, 0x02, 0x01,
    0x09, 0x20, 0x95, FRAME_BYTES, 0xB2, 0x02, 0x01, 0xC0,
};

enum { STX = 0x02, ETX = 0x03, READ = 0x52, ACK = 0x06, NAK = 0x15, UNKNOWN_ID = 0x16 };
enum { FIRMWARE = 0x22, SERIAL = 0x4E, ENCRYPTION = 0x4C, SECURITY_LEVEL = 0x7E };

static void begin_answer(struct reader *reader, uint8_t status) {
    reader->answer[0] = status;
    reader->answer_length = 1;
    reader->answer_given = 0;
}

// 06 02 body… 03 RR, R: XOR of everything from 02 to 03
static void answer(struct reader *reader, const void *body, size_t length) {
    begin_answer(reader, ACK);
    uint8_t *to = reader->answer + 1, check = 0;
    to[0] = STX;
    memcpy(to + 1, body, length);
    to[1 + length] = ETX;
    for (size_t i = 0; i < length + 2; i++) check ^= to[i];
    to[2 + length] = check;
    reader->answer_length = 1 + length + 3;
}

// The value of a setting: its number, its length, what it is.
static void answer_setting(struct reader *reader, uint8_t number, const void *value, size_t length) {
    uint8_t body[2 + MAXIMUM_SERIAL] = {number, (uint8_t)length};
    memcpy(body + 2, value, length);
    answer(reader, body, 2 + length);
}

// 02 52 ID 03 RR, all in one frame; what sets something takes more, and is not for this one.
static void receive(struct reader *reader, const uint8_t *request, size_t length) {
    static const char firmware[] = "ID TECH TM3 SecureMag USB HID Reader V5.16";
    if (length < 5 || request[0] != STX || request[1] != READ || request[3] != ETX) return begin_answer(reader, NAK);
    switch (request[2]) {
    case FIRMWARE: return answer(reader, firmware, sizeof firmware - 1);
    case SERIAL: return answer_setting(reader, SERIAL, reader->serial, strlen(reader->serial));
    case ENCRYPTION: return answer_setting(reader, ENCRYPTION, "1", 1);
    case SECURITY_LEVEL: return answer_setting(reader, SECURITY_LEVEL, "3", 1);
    default: begin_answer(reader, UNKNOWN_ID);
    }
}

// Frame by frame, the last one filled with zeros; then none.
static size_t give(struct reader *reader, uint8_t *bytes) {
    size_t left = reader->answer_length - reader->answer_given;
    if (left == 0) return 0;
    memset(bytes, 0, FRAME_BYTES);
    memcpy(bytes, reader->answer + reader->answer_given, left < FRAME_BYTES ? left : FRAME_BYTES);
    reader->answer_given += left < FRAME_BYTES ? left : FRAME_BYTES;
    return FRAME_BYTES;
}

const struct model idtech = {
    .name = "idtech", .manufacturer = "ID TECH", .product = "SecureMag", .vendor = 0x0ACD, .number = 0x2010,
    .report_descriptor = report_descriptor, .report_descriptor_length = sizeof report_descriptor,
    .receive = receive, .give = give,
};
