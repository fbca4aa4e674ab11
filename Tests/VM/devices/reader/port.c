#include "port.h"

#include "bus.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// The controller takes any stream socket; on it travels the USB/IP protocol of Documentation/usb/usbip_protocol.rst.
#define CONTROLLER "/sys/devices/platform/vhci_hcd.0/"
enum { DEVICE_ID = 0x00010002, FULL_SPEED = 2, PORT_FREE = 4 };
enum { MAXIMUM_TRANSFER = 4096, MAXIMUM_PACKETS = 128 };
// Where reports and sound come from, and what is on a line; of others nothing ever comes.
enum { REPORT_ENDPOINT = 1 };

enum { SUBMIT = 1, UNLINK = 2, SUBMITTED = 3, UNLINKED = 4 };

// All fields are big-endian; what comes behind the first five depends on the command.
struct message {
    uint32_t command, sequence, device, direction, endpoint;
    union {
        struct { uint32_t flags, length, start_frame, packets, interval; uint8_t setup[8]; } submit;
        struct { uint32_t status, length, start_frame, packets, errors; uint8_t padding[8]; } submitted;
        struct { uint32_t sequence; uint8_t padding[24]; } unlink;
        struct { uint32_t status; uint8_t padding[24]; } unlinked;
    };
};
_Static_assert(sizeof(struct message) == 48, "the protocol's header has 48 bytes");

static bool complain(const char *what) {
    fprintf(stderr, "reader: usb: %s: %s\n", what, strerror(errno));
    return false;
}

static bool write_attribute(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    bool is_written = write(file, text, strlen(text)) == (ssize_t)strlen(text);
    int saved = errno;
    close(file);
    errno = saved;
    return is_written;
}

// Tries every free high-speed port from the first: another reader may take one between the look and the attempt.
static bool attach(struct port *port, int far_end) {
    char line[256], hub[8], text[64];
    int number, status;
    FILE *table = fopen(CONTROLLER "status", "re");
    if (table == NULL) return complain(CONTROLLER "status");
    bool is_attached = false;
    while (!is_attached && fgets(line, sizeof line, table)) {
        if (sscanf(line, "%7s %d %d", hub, &number, &status) != 3 || strcmp(hub, "hs") != 0 || status != PORT_FREE)
            continue;
        snprintf(text, sizeof text, "%d %d %d %d", number, far_end, DEVICE_ID, FULL_SPEED);
        is_attached = write_attribute(CONTROLLER "attach", text);
        port->number = number;
    }
    fclose(table);
    return is_attached || complain("no port took the reader");
}

bool port_plug(struct port *port) {
    int ends[2];
    if (port->socket >= 0) return true;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return complain("socketpair");
    bool is_attached = attach(port, ends[1]);
    close(ends[1]);
    port->socket = is_attached ? ends[0] : -1;
    if (!is_attached) close(ends[0]);
    return is_attached;
}

bool port_unplug(struct port *port) {
    char text[16];
    snprintf(text, sizeof text, "%d", port->number);
    return write_attribute(CONTROLLER "detach", text) || complain("detach");
}

void port_yank(struct port *port) {
    if (port->socket >= 0) close(port->socket);
    port->socket = -1;
    port->urb_count = port->report_count = 0;
}

static bool receive(struct port *port, void *buffer, size_t length) {
    for (size_t got = 0; got < length;) {
        ssize_t count = read(port->socket, (char *)buffer + got, length - got);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        got += (size_t)count;
    }
    return true;
}

static void send_all(struct port *port, const void *buffer, size_t length) {
    if (send(port->socket, buffer, length, MSG_NOSIGNAL) != (ssize_t)length) port_yank(port);
}

// A transfer is over: `length` bytes were moved, and are sent along where they go to the host.
static void complete(struct port *port, uint32_t sequence, int status, const void *data, size_t length) {
    uint8_t packet[sizeof(struct message) + MAXIMUM_TRANSFER];
    struct message reply = {.command = htonl(SUBMITTED), .sequence = sequence};
    reply.submitted.status = htonl((uint32_t)status);
    reply.submitted.length = htonl((uint32_t)length);
    memcpy(packet, &reply, sizeof reply);
    if (data == NULL) return send_all(port, packet, sizeof reply);
    memcpy(packet + sizeof reply, data, length);
    send_all(port, packet, sizeof reply + length);
}

static void send_reports(struct port *port) {
    while (port->socket >= 0 && port->urb_count > 0 && port->report_count > 0) {
        struct report report = port->reports[0];
        uint32_t sequence = port->urbs[0];
        memmove(port->urbs, port->urbs + 1, --port->urb_count * sizeof *port->urbs);
        memmove(port->reports, port->reports + 1, --port->report_count * sizeof *port->reports);
        complete(port, sequence, 0, report.bytes, report.length);
    }
}

bool port_report(struct port *port, const uint8_t *bytes, size_t length) {
    if (port->report_count == MAXIMUM_REPORTS || length > REPORT_BYTES) return false;
    struct report *report = &port->reports[port->report_count++];
    memcpy(report->bytes, bytes, length);
    report->length = length;
    send_reports(port);
    return true;
}

static void control(struct port *port, struct reader *reader, const struct message *message, const uint8_t *data) {
    const uint8_t *bytes = message->submit.setup;
    struct setup setup = {
        .type = bytes[0], .request = bytes[1],
        .value = (uint16_t)(bytes[2] | bytes[3] << 8),
        .index = (uint16_t)(bytes[4] | bytes[5] << 8),
        .length = (uint16_t)(bytes[6] | bytes[7] << 8),
    };
    bool is_in = message->direction != 0;
    uint8_t reply[MAXIMUM_TRANSFER];
    size_t length;
    switch (reader_control(reader, &setup, data, is_in ? 0 : setup.length, reply, sizeof reply, &length)) {
    case REPLY: return complete(port, message->sequence, 0, is_in ? reply : NULL, is_in ? length : setup.length);
    case REFUSE: return complete(port, message->sequence, -EPIPE, NULL, 0);
    case SILENCE: return;
    }
}

// Of an isochronous transfer the host says where each packet of it is to be; what is not isochronous has 0 or -1 of them.
static bool skip_packets(struct port *port, int32_t count) {
    uint8_t packets[MAXIMUM_PACKETS][16];
    return count <= 0 || (count <= MAXIMUM_PACKETS && receive(port, packets, (size_t)count * sizeof *packets));
}

static void submitted(struct port *port, struct reader *reader, const struct message *message) {
    uint8_t data[MAXIMUM_TRANSFER];
    size_t length = ntohl(message->submit.length);
    bool is_in = message->direction != 0;
    if (!is_in && (length > sizeof data || !receive(port, data, length))) return port_yank(port);
    if (!skip_packets(port, (int32_t)ntohl(message->submit.packets))) return port_yank(port);
    if (message->endpoint == 0) return control(port, reader, message, data);
    if (!is_in) {
        reader->model->receive(reader, data, length);
        return complete(port, message->sequence, 0, NULL, length);
    }
    if (message->endpoint != htonl(REPORT_ENDPOINT)) return;
    if (port->urb_count == MAXIMUM_URBS) return complete(port, message->sequence, -EPIPE, NULL, 0);
    port->urbs[port->urb_count++] = message->sequence;
    send_reports(port);
}

// The host takes a transfer back; one that was answered meanwhile is told as done.
static void unlinked(struct port *port, const struct message *message) {
    struct message reply = {.command = htonl(UNLINKED), .sequence = message->sequence};
    reply.unlinked.status = htonl((uint32_t)-ECONNRESET);
    for (size_t i = 0; i < port->urb_count; i++) {
        if (port->urbs[i] != message->unlink.sequence) continue;
        memmove(port->urbs + i, port->urbs + i + 1, (--port->urb_count - i) * sizeof *port->urbs);
        break;
    }
    send_all(port, &reply, sizeof reply);
}

void port_serve(struct port *port, struct reader *reader) {
    struct message message;
    if (!receive(port, &message, sizeof message)) return port_yank(port);
    switch (ntohl(message.command)) {
    case SUBMIT: return submitted(port, reader, &message);
    case UNLINK: return unlinked(port, &message);
    default: port_yank(port);
    }
}

static struct port the_port = {.socket = -1};

static bool plug(struct reader *reader) {
    (void)reader;
    return port_plug(&the_port);
}

static bool unplug(void) { return port_unplug(&the_port); }
static void yank(void) { port_yank(&the_port); }
static void serve(struct reader *reader) { port_serve(&the_port, reader); }
static bool report(const uint8_t *bytes, size_t length) { return port_report(&the_port, bytes, length); }
static int descriptor(void) { return the_port.socket; }

const struct bus usb = {
    .name = "usb", .plug = plug, .unplug = unplug, .yank = yank, .serve = serve, .report = report,
    .descriptor = descriptor,
};
