#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bus.h"

// The messages are those of linux/uhid.h; there is no interrupt transfer to wait for, so a report goes at once.
static int device = -1;

static bool complain(const char *what) {
    fprintf(stderr, "reader: uhid: %s: %s\n", what, strerror(errno));
    return false;
}

static bool say(const struct uhid_event *event) {
    return write(device, event, sizeof *event) == (ssize_t)sizeof *event || complain("write");
}

static void pull(void) {
    if (device >= 0) close(device);
    device = -1;
}

static bool plug(struct reader *reader) {
    const struct model *model = reader->model;
    struct uhid_event event = {.type = UHID_CREATE2};
    struct uhid_create2_req *create = &event.u.create2;
    if (device >= 0) return true;
    device = open("/dev/uhid", O_RDWR | O_CLOEXEC);
    if (device < 0) return complain("/dev/uhid");
    snprintf((char *)create->name, sizeof create->name, "%s %s", model->manufacturer, model->product);
    snprintf((char *)create->uniq, sizeof create->uniq, "%s", reader->serial);
    memcpy(create->rd_data, model->report_descriptor, model->report_descriptor_length);
    create->rd_size = (uint16_t)model->report_descriptor_length;
    create->bus = BUS_USB;
    create->vendor = model->vendor;
    create->product = model->number;
    if (say(&event)) return true;
    pull();
    return false;
}

static bool unplug(void) {
    struct uhid_event event = {.type = UHID_DESTROY};
    bool is_said = device >= 0 && say(&event);
    pull();
    return is_said;
}

static bool report(const uint8_t *bytes, size_t length) {
    struct uhid_event event = {.type = UHID_INPUT2};
    if (device < 0 || length > sizeof event.u.input2.data) return false;
    event.u.input2.size = (uint16_t)length;
    memcpy(event.u.input2.data, bytes, length);
    return say(&event);
}

// Report id 0 travels with the data, both ways; with USB's own driver it does not.
static void set_report(struct reader *reader, const struct uhid_set_report_req *request) {
    struct uhid_event event = {.type = UHID_SET_REPORT_REPLY};
    if (reader->mode == MUTE) return;
    event.u.set_report_reply.id = request->id;
    event.u.set_report_reply.err = reader->mode == STALL ? EIO : 0;
    if (reader->mode == ANSWER && request->size > 1)
        reader->model->receive(reader, request->data + 1, request->size - 1U);
    say(&event);
}

// Nobody waits for an answer to these.
static void output(struct reader *reader, const struct uhid_output_req *request) {
    if (reader->mode == ANSWER && request->size > 1) reader->model->receive(reader, request->data + 1, request->size - 1U);
}

static void get_report(struct reader *reader, const struct uhid_get_report_req *request) {
    struct uhid_event event = {.type = UHID_GET_REPORT_REPLY};
    if (reader->mode == MUTE) return;
    event.u.get_report_reply.id = request->id;
    event.u.get_report_reply.err = reader->mode == STALL ? EIO : 0;
    if (reader->mode == ANSWER)
        event.u.get_report_reply.size =
            (uint16_t)(1 + reader->model->give(reader, event.u.get_report_reply.data + 1));
    say(&event);
}

static void serve(struct reader *reader) {
    struct uhid_event event;
    if (read(device, &event, sizeof event) <= 0) return pull();
    if (event.type == UHID_SET_REPORT) set_report(reader, &event.u.set_report);
    if (event.type == UHID_OUTPUT) output(reader, &event.u.output);
    if (event.type == UHID_GET_REPORT) get_report(reader, &event.u.get_report);
}

static int descriptor(void) { return device; }

const struct bus uhid = {
    .name = "uhid", .plug = plug, .unplug = unplug, .yank = pull, .serve = serve, .report = report,
    .descriptor = descriptor,
};
