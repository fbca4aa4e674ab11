#include "reader.h"

// A reader that nobody listed: fields of the USB-IF's magnetic stripe page (HID Usage Tables, page 0x8E) and ids of
// nobody's. ASSUMPTION: the sizes; no such reader was seen.

#define FIELD(usage, count) 0x75, 0x08, 0x09, usage, 0x95, count, 0x82, 0x02, 0x01

static const uint8_t report_descriptor[] = {
    0x05, 0x8E, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00,
    FIELD(0x11, 1), FIELD(0x12, 1), FIELD(0x13, 1),       // lengths of tracks 1 to 3
    FIELD(0x21, 80), FIELD(0x22, 41), FIELD(0x23, 108),   // the tracks
    0xC0,
};

static void receive(struct reader *reader, const uint8_t *bytes, size_t length) {
    (void)reader;
    (void)bytes;
    (void)length;
}

static size_t give(struct reader *reader, uint8_t *bytes) {
    (void)reader;
    (void)bytes;
    return 0;
}

const struct model stripe_page = {
    .name = "unlisted", .manufacturer = "Somebody", .product = "Card Reader", .vendor = 0x1209, .number = 0x0001,
    .report_descriptor = report_descriptor, .report_descriptor_length = sizeof report_descriptor,
    .receive = receive, .give = give,
};
