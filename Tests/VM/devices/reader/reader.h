// A reader on USB: what it says of itself and how it answers, apart from how the bytes travel.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPORT_BYTES = 856, MAXIMUM_FEATURE = 60, MAXIMUM_ANSWER = 64, MAXIMUM_STRING = 31, MAXIMUM_SERIAL = 15 };

enum feature_mode { ANSWER, STALL, MUTE };

struct reader;

// What makes one model another.
struct model {
    const char *name, *manufacturer, *product;
    uint16_t vendor, number;
    const uint8_t *report_descriptor;
    size_t report_descriptor_length;
    // Of what is no HID device, in place of a report descriptor.
    const uint8_t *configuration;
    size_t configuration_length;
    // Takes a feature report from the host.
    void (*receive)(struct reader *reader, const uint8_t *bytes, size_t length);
    // Gives the next one to the host; returns its length, 0 for none.
    size_t (*give)(struct reader *reader, uint8_t *bytes);
};

// The last three are no readers.
extern const struct model magtek, idtech, insert, stripe_page, stripe_page_wide, writer, keyboard, sound_card;

struct reader {
    const struct model *model;
    char serial[MAXIMUM_SERIAL + 1];
    enum feature_mode mode;
    uint8_t answer[MAXIMUM_ANSWER];
    size_t answer_length, answer_given;  // used by models that answer in several frames
};

// For models that have no feature reports.
void receive_nothing(struct reader *reader, const uint8_t *bytes, size_t length);
size_t give_nothing(struct reader *reader, uint8_t *bytes);

// What a control request gets: bytes, a stall, or nothing at all.
enum outcome { REPLY, REFUSE, SILENCE };

struct setup {
    uint8_t type, request;
    uint16_t value, index, length;
};

// Answers a control request on endpoint 0. `data` is what came with it; the reply goes into `reply`.
enum outcome reader_control(struct reader *reader, const struct setup *setup, const uint8_t *data, size_t data_length,
                            uint8_t *reply, size_t capacity, size_t *reply_length);
