#include "reader.h"

// Readers that nobody listed: fields of the USB-IF's magnetic stripe page (HID Usage Tables, page 0x8E) and ids of
// nobody's. ASSUMPTION: the sizes; no such reader was seen.

#define FIELD(usage, count) 0x75, 0x08, 0x09, usage, 0x95, count, 0x82, 0x02, 0x01

#define BEHIND_THE_PAGE \
    0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, \
    FIELD(0x11, 1), FIELD(0x12, 1), FIELD(0x13, 1),       /* lengths of tracks 1 to 3 */ \
    FIELD(0x21, 80), FIELD(0x22, 41), FIELD(0x23, 108),   /* the tracks */ \
    0xC0

static const uint8_t report_descriptor[] = {0x05, 0x8E, BEHIND_THE_PAGE};
// The page in two bytes, which means the same.
static const uint8_t wide_report_descriptor[] = {0x06, 0x8E, 0x00, BEHIND_THE_PAGE};

const struct model stripe_page = {
    .name = "unlisted", .manufacturer = "Somebody", .product = "Card Reader", .vendor = 0x1209, .number = 0x0001,
    .report_descriptor = report_descriptor, .report_descriptor_length = sizeof report_descriptor,
    .receive = receive_nothing, .give = give_nothing,
};

const struct model stripe_page_wide = {
    .name = "unlisted-wide", .manufacturer = "Somebody", .product = "Card Reader", .vendor = 0x1209, .number = 0x0001,
    .report_descriptor = wide_report_descriptor, .report_descriptor_length = sizeof wide_report_descriptor,
    .receive = receive_nothing, .give = give_nothing,
};
