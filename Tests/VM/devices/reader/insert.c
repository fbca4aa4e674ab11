#include "reader.h"

// Source of the layout: MagTek 99875191, "SureSwipe Reader Technical Reference Manual"; of its 338 bytes the last is an insert
// reader's own.

#define FIELD(usage, count) 0x75, 0x08, 0x09, usage, 0x95, count, 0x82, 0x02, 0x01

static const uint8_t insert_descriptor[] = {
    0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00,
    FIELD(0x20, 1), FIELD(0x21, 1), FIELD(0x22, 1),        // decode status of tracks 1 to 3
    FIELD(0x28, 1), FIELD(0x29, 1), FIELD(0x2A, 1),        // their lengths
    FIELD(0x38, 1),                                        // card encode type
    FIELD(0x30, 110), FIELD(0x31, 110), FIELD(0x32, 110),  // the tracks
    FIELD(0x39, 1),                                        // card status
    0x75, 0x08, 0x09, 0x20, 0x95, 24, 0xB2, 0x02, 0x01, 0xC0,
};

const struct model insert = {
    .name = "insert", .manufacturer = "Mag-Tek", .product = "USB Insert Reader", .vendor = 0x0801, .number = 0x0003,
    .report_descriptor = insert_descriptor, .report_descriptor_length = sizeof insert_descriptor,
    .receive = receive_nothing, .give = give_nothing,
};
