// How a reader's bytes travel to the kernel.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader.h"

// One reader at a time. What returns bool has said why not.
struct bus {
    const char *name;
    bool (*plug)(struct reader *reader);
    // The kernel takes it off the bus.
    bool (*unplug)(void);
    // The cable is pulled: the connection ends without a word.
    void (*yank)(void);
    // Takes one message of the host's and answers it.
    void (*serve)(struct reader *reader);
    // Sends a report, as soon as the host asks for one.
    bool (*report)(const uint8_t *bytes, size_t length);
    // What becomes readable when there is something to serve; -1 while nothing is plugged in.
    int (*descriptor)(void);
};

// A real USB device behind the virtual host controller (vhci-hcd).
extern const struct bus usb;
// A HID device without a USB bus (/dev/uhid), as of Bluetooth or a driver in user space.
extern const struct bus uhid;
