// A reader on USB: what it says of itself and how it answers, apart from how the bytes travel.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPORT_BYTES = 856, MAXIMUM_FEATURE = 60, MAXIMUM_ANSWER = 64, MAXIMUM_STRING = 31, MAXIMUM_SERIAL = 15 };

enum feature_mode { ANSWER, STALL, MUTE };

struct reader;
struct setup;

// What makes one model another.
struct model {
    const char *name, *manufacturer, *product;
    uint16_t vendor, number;
    const uint8_t *report_descriptor;
    size_t report_descriptor_length;
    // Of its second interface, where it has one; nothing ever comes from there.
    const uint8_t *second_descriptor;
    size_t second_descriptor_length;
    // Of what has not one HID interface alone.
    const uint8_t *configuration;
    size_t configuration_length;
    // Takes a feature report from the host, or an output report; of a line whatever bytes come.
    void (*receive)(struct reader *reader, const uint8_t *bytes, size_t length);
    // Gives the next one to the host; returns its length, 0 for none.
    size_t (*give)(struct reader *reader, uint8_t *bytes);
    // NULL for what is no line: takes its settings from the host.
    void (*set_line)(struct reader *reader, const struct setup *setup, const uint8_t *bytes, size_t length);
    // NULL where nothing changes for a model when it is plugged in.
    void (*start)(void);
    // NULL where a model does nothing of itself: called whenever something has happened; returns after how many milliseconds it is
    // to be called at the latest, -1 for never.
    int (*tend)(struct reader *reader);
    // NULL where a model has no commands of its own; false for one that it does not know.
    bool (*obey)(struct reader *reader, const char *line);
};

// The last seven are no readers.
extern const struct model magtek, idtech, insert, stripe_page, stripe_page_wide, encoder_model, feature_encoder_model, line_encoder,
    writer, keyboard, keyboard_mouse, keyboard_tablet, keyboard_beside_mouse, mouse, sound_card;

struct reader {
    const struct model *model;
    char serial[MAXIMUM_SERIAL + 1];
    enum feature_mode mode;
    uint8_t answer[MAXIMUM_ANSWER];
    size_t answer_length, answer_given;  // used by models that answer in several frames
    // Its bus's.
    bool (*report)(const uint8_t *bytes, size_t length);
    void (*yank)(void);
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
