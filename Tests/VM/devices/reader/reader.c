#include "reader.h"

#include <string.h>

enum { DEVICE_BYTES = 18, CONFIGURATION_BYTES = 34 };

// Full speed, USB 2.0, strings 1 to 3.
static void describe_device(const struct model *model, uint8_t bytes[DEVICE_BYTES]) {
    const uint8_t device[DEVICE_BYTES] = {
        DEVICE_BYTES, 1, 0x00, 0x02, 0, 0, 0, 8, model->vendor & 0xFF, model->vendor >> 8,
        model->number & 0xFF, model->number >> 8, 0x00, 0x01, 1, 2, 3, 1,
    };
    memcpy(bytes, device, sizeof device);
}

// One configuration, one HID interface, one interrupt endpoint with the packets of 8 bytes that are the default.
static void describe_configuration(const struct model *model, uint8_t bytes[CONFIGURATION_BYTES]) {
    const uint8_t configuration[CONFIGURATION_BYTES] = {
        9, 2, CONFIGURATION_BYTES, 0, 1, 1, 0, 0x80, 50,
        9, 4, 0, 0, 1, 3, 0, 0, 0,
        9, 0x21, 0x01, 0x01, 0, 1, 0x22, model->report_descriptor_length & 0xFF,
        (uint8_t)(model->report_descriptor_length >> 8),
        7, 5, 0x81, 3, 8, 0, 1,
    };
    memcpy(bytes, configuration, sizeof configuration);
}

void receive_nothing(struct reader *reader, const uint8_t *bytes, size_t length) {
    (void)reader;
    (void)bytes;
    (void)length;
}

size_t give_nothing(struct reader *reader, uint8_t *bytes) {
    (void)reader;
    (void)bytes;
    return 0;
}

enum { HID_DESCRIPTOR_OFFSET = 18, HID_DESCRIPTOR_BYTES = 9 };

enum { TYPE_DEVICE = 1, TYPE_CONFIGURATION = 2, TYPE_STRING = 3, TYPE_HID = 0x21, TYPE_REPORT = 0x22 };
enum { GET_STATUS = 0, GET_DESCRIPTOR = 6, GET_CONFIGURATION = 8 };
enum { GET_REPORT = 1, SET_REPORT = 9, OUTPUT_REPORT = 2, FEATURE_REPORT = 3 };
enum { FROM_DEVICE = 0x80, FROM_INTERFACE = 0x81, CLASS_FROM_INTERFACE = 0xA1, CLASS_TO_INTERFACE = 0x21 };

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
    const char *strings[] = {reader->model->manufacturer, reader->model->product, reader->serial};
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
    const struct model *model = reader->model;
    uint8_t device[DEVICE_BYTES], configuration[CONFIGURATION_BYTES];
    describe_device(model, device);
    describe_configuration(model, configuration);
    switch (setup->value >> 8) {
    case TYPE_DEVICE: return give(device, sizeof device, setup, reply, capacity, reply_length);
    case TYPE_CONFIGURATION:
        if (model->configuration != NULL)
            return give(model->configuration, model->configuration_length, setup, reply, capacity, reply_length);
        return give(configuration, sizeof configuration, setup, reply, capacity, reply_length);
    case TYPE_STRING: return give_string(reader, setup, reply, capacity, reply_length);
    case TYPE_REPORT:
        if (model->second_descriptor != NULL && (setup->index & 0xFF) == 1)
            return give(model->second_descriptor, model->second_descriptor_length, setup, reply, capacity, reply_length);
        return give(model->report_descriptor, model->report_descriptor_length, setup, reply, capacity, reply_length);
    case TYPE_HID:
        return give(configuration + HID_DESCRIPTOR_OFFSET, HID_DESCRIPTOR_BYTES, setup, reply, capacity, reply_length);
    default: return REFUSE;
    }
}

static enum outcome feature(struct reader *reader, const struct setup *setup, const uint8_t *data, size_t data_length,
                            uint8_t *reply, size_t capacity, size_t *reply_length) {
    switch (reader->mode) {
    case STALL: return REFUSE;
    case MUTE: return SILENCE;
    case ANSWER: break;
    }
    bool is_output = setup->value >> 8 == OUTPUT_REPORT && setup->request != GET_REPORT;
    if (setup->value >> 8 != FEATURE_REPORT && !is_output) return REFUSE;
    if (setup->request == GET_REPORT) {
        uint8_t report[MAXIMUM_FEATURE];
        return give(report, reader->model->give(reader, report), setup, reply, capacity, reply_length);
    }
    reader->model->receive(reader, data, data_length);
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
    if (setup->type == CLASS_TO_INTERFACE && reader->model->set_line != NULL)
        reader->model->set_line(reader, setup, data, data_length);
    // SET_CONFIGURATION, SET_IDLE and their like are taken; questions that are not known are refused.
    return setup->type & 0x80 ? REFUSE : REPLY;
}
