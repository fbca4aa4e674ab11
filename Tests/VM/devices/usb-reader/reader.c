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
    0x75, 0x08, 0x09, 0x20, 0x95, FEATURE_BYTES, 0xB2, 0x02, 0x01, 0xC0,
};

// Full speed, USB 2.0, 0801:0011, strings 1 to 3.
static const uint8_t device_descriptor[] = {18, 1, 0x00, 0x02, 0, 0, 0, 8, 0x01, 0x08, 0x11, 0x00, 0x00, 0x01, 1, 2, 3, 1};

// One configuration, one HID interface, one interrupt endpoint with the packets of 8 bytes that are the default.
static const uint8_t configuration[] = {
    9, 2, 34, 0, 1, 1, 0, 0x80, 50,
    9, 4, 0, 0, 1, 3, 0, 0, 0,
    9, 0x21, 0x01, 0x01, 0, 1, 0x22, sizeof report_descriptor & 0xFF, sizeof report_descriptor >> 8,
    7, 5, 0x81, 3, 8, 0, 1,
};
enum { HID_DESCRIPTOR_OFFSET = 18, HID_DESCRIPTOR_BYTES = 9 };

enum { TYPE_DEVICE = 1, TYPE_CONFIGURATION = 2, TYPE_STRING = 3, TYPE_HID = 0x21, TYPE_REPORT = 0x22 };
enum { GET_STATUS = 0, GET_DESCRIPTOR = 6, GET_CONFIGURATION = 8 };
enum { GET_REPORT = 1, SET_REPORT = 9, FEATURE_REPORT = 3 };
enum { FROM_DEVICE = 0x80, FROM_INTERFACE = 0x81, CLASS_FROM_INTERFACE = 0xA1, CLASS_TO_INTERFACE = 0x21 };

enum { COMMAND_GET_PROPERTY = 0x00, COMMAND_KSN = 0x09, COMMAND_STATE = 0x14, COMMAND_LEVEL = 0x15, COMMAND_COUNTER = 0x1C };
enum { RESULT_OK = 0, RESULT_BAD_PARAMETER = 2, RESULT_INVALID_OPERATION = 7 };
enum { SERIAL_FIELD_BYTES = MAXIMUM_SERIAL + 1 };

static enum outcome give(const void *bytes, size_t length, const struct setup *setup, uint8_t *reply, size_t capacity,
                         size_t *reply_length) {
    size_t count = length < setup->length ? length : setup->length;
    if (count > capacity) return REFUSE;
    memcpy(reply, bytes, count);
    *reply_length = count;
    return REPLY;
}

static enum outcome give_string(const struct reader *reader, const struct setup *setup, uint8_t *reply,
                                size_t capacity, size_t *reply_length) {
    static const uint8_t languages[] = {4, TYPE_STRING, 0x09, 0x04};
    const char *strings[] = {"Mag-Tek", "USB Swipe Reader", reader->serial};
    unsigned index = setup->value & 0xFF;
    if (index == 0) return give(languages, sizeof languages, setup, reply, capacity, reply_length);
    if (index > sizeof strings / sizeof *strings || strings[index - 1][0] == 0) return REFUSE;
    uint8_t text[2 + 2 * MAXIMUM_STRING] = {0, TYPE_STRING};
    size_t length = strlen(strings[index - 1]);
    text[0] = (uint8_t)(2 + 2 * length);
    for (size_t i = 0; i < length; i++) text[2 + 2 * i] = (uint8_t)strings[index - 1][i];
    return give(text, text[0], setup, reply, capacity, reply_length);
}

static enum outcome give_descriptor(const struct reader *reader, const struct setup *setup, uint8_t *reply,
                                    size_t capacity, size_t *reply_length) {
    switch (setup->value >> 8) {
    case TYPE_DEVICE: return give(device_descriptor, sizeof device_descriptor, setup, reply, capacity, reply_length);
    case TYPE_CONFIGURATION: return give(configuration, sizeof configuration, setup, reply, capacity, reply_length);
    case TYPE_STRING: return give_string(reader, setup, reply, capacity, reply_length);
    case TYPE_REPORT: return give(report_descriptor, sizeof report_descriptor, setup, reply, capacity, reply_length);
    case TYPE_HID:
        return give(configuration + HID_DESCRIPTOR_OFFSET, HID_DESCRIPTOR_BYTES, setup, reply, capacity, reply_length);
    default: return REFUSE;
    }
}

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

// request   CC LL data… 00…
static void command(struct reader *reader, const uint8_t *request, size_t length) {
    static const uint8_t ksn[] = {0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xE0, 0x00, 0x08};
    static const uint8_t level[] = {2};
    static const uint8_t state[] = {2, 0};
    uint8_t counter[SERIAL_FIELD_BYTES + 3] = {0};
    if (length < 2) return answer(reader, RESULT_BAD_PARAMETER, NULL, 0);
    switch (request[0]) {
    case COMMAND_GET_PROPERTY: return get_property(reader, length > 2 ? request[2] : 0xFF);
    case COMMAND_KSN: return answer(reader, RESULT_OK, ksn, sizeof ksn);
    case COMMAND_LEVEL: return answer(reader, RESULT_OK, level, sizeof level);
    case COMMAND_STATE: return answer(reader, RESULT_OK, state, sizeof state);
    case COMMAND_COUNTER:
        memcpy(counter, reader->serial, strlen(reader->serial));
        memset(counter + SERIAL_FIELD_BYTES, 0xFF, 3);  // unlimited
        return answer(reader, RESULT_OK, counter, sizeof counter);
    default: answer(reader, RESULT_INVALID_OPERATION, NULL, 0);
    }
}

static enum outcome feature(struct reader *reader, const struct setup *setup, const uint8_t *data, size_t data_length,
                            uint8_t *reply, size_t capacity, size_t *reply_length) {
    switch (reader->mode) {
    case STALL: return REFUSE;
    case MUTE: return SILENCE;
    case ANSWER: break;
    }
    if (setup->value >> 8 != FEATURE_REPORT) return REFUSE;
    if (setup->request == GET_REPORT)
        return give(reader->answer, FEATURE_BYTES, setup, reply, capacity, reply_length);
    command(reader, data, data_length);
    return REPLY;
}

enum outcome reader_control(struct reader *reader, const struct setup *setup, const uint8_t *data, size_t data_length,
                            uint8_t *reply, size_t capacity, size_t *reply_length) {
    static const uint8_t zeros[2] = {0};
    static const uint8_t configured = 1;
    bool is_report = setup->request == GET_REPORT || setup->request == SET_REPORT;
    *reply_length = 0;
    if (setup->type == FROM_DEVICE || setup->type == FROM_INTERFACE) {
        switch (setup->request) {
        case GET_DESCRIPTOR: return give_descriptor(reader, setup, reply, capacity, reply_length);
        case GET_STATUS: return give(zeros, sizeof zeros, setup, reply, capacity, reply_length);
        case GET_CONFIGURATION: return give(&configured, 1, setup, reply, capacity, reply_length);
        default: return REFUSE;
        }
    }
    if (is_report && (setup->type == CLASS_FROM_INTERFACE || setup->type == CLASS_TO_INTERFACE))
        return feature(reader, setup, data, data_length, reply, capacity, reply_length);
    // SET_CONFIGURATION, SET_IDLE and their like are taken; questions that are not known are refused.
    return setup->type & 0x80 ? REFUSE : REPLY;
}
