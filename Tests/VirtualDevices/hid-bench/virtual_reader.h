// A USB HID reader in an umockdev testbed: sysfs entries, a hidraw node, and answers to its ioctls.
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <umockdev.h>

struct virtual_reader;

struct reader_identity {
    unsigned slot;        // the port of the hub: the place that survives a replug
    unsigned hidraw;      // the number of the node, reused as the kernel does
    unsigned instance;    // the kernel's counter of HID devices, never reused
    unsigned vendor, product;
    const char *serial;   // NULL: none
    GBytes *descriptor;   // of the reports
};

// A reader that is not plugged in yet: how it answers is set first, for a program asks as soon as it hears of it.
struct virtual_reader *virtual_reader_new(UMockdevTestbed *testbed, struct reader_identity identity);

// Adds the device; udev's `add` events go out. On failure, said on standard error, the reader is freed.
bool virtual_reader_plug(struct virtual_reader *reader);

// The unplug, in its two halves, which a real kernel shows in either order: the open descriptors hang up, and udev
// tells of the removal. After the second half the reader is no longer the caller's.
void virtual_reader_hang_up(struct virtual_reader *reader);
void virtual_reader_remove(struct virtual_reader *reader);

// Before the testbed ends: what was kept of the readers that are out.
void virtual_reader_detach_all(void);

// An input report, with its id where the device numbers them.
bool virtual_reader_report(struct virtual_reader *reader, const guint8 *bytes, gsize length);

enum feature_mode {
    ANSWER,  // with what was set last
    STALL,   // EPIPE at once
    MUTE,    // ETIMEDOUT after five seconds
};

// How feature requests are answered; `answer` is copied.
void virtual_reader_set_feature(struct virtual_reader *reader, enum feature_mode mode, const guint8 *answer,
                                gsize length);

// What the reader says to a request that begins so: answers one after the other, the last again and again, an empty one
// where it has nothing to say yet. Requests without a rule are answered as set above. `answers` is taken over.
void virtual_reader_add_rule(struct virtual_reader *reader, GBytes *request, GPtrArray *answers);

// Has udev tell of its removal, and leaves it where it is, as `udevadm trigger --action=remove` does.
void virtual_reader_deny(struct virtual_reader *reader);

// Takes the reader out of sysfs without udev's `remove`, as if the message were lost.
void virtual_reader_lose(struct virtual_reader *reader);

// Who may open the node.
bool virtual_reader_set_mode(struct virtual_reader *reader, unsigned mode);

unsigned virtual_reader_hidraw(const struct virtual_reader *reader);
