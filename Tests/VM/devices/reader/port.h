// A port of the kernel's virtual USB host controller (vhci-hcd), with a device of ours in it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader.h"

enum { MAXIMUM_REPORTS = 256, MAXIMUM_URBS = 64 };

struct report {
    size_t length;
    uint8_t bytes[REPORT_BYTES];
};

struct port {
    int socket;  // our end; -1 while nothing is plugged in
    int number;
    // Interrupt transfers that wait for a report, and reports that wait for a transfer.
    uint32_t urbs[MAXIMUM_URBS];
    size_t urb_count;
    struct report reports[MAXIMUM_REPORTS];
    size_t report_count;
};

// Both return whether it worked, having said why not.
bool port_plug(struct port *port);
bool port_unplug(struct port *port);

// The cable is pulled: the connection ends without a word.
void port_yank(struct port *port);

// Takes one message of the host's and answers it.
void port_serve(struct port *port, struct reader *reader);

// Queues a report, sent as soon as the host asks for one.
bool port_report(struct port *port, const uint8_t *bytes, size_t length);
