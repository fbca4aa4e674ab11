// Which keys readers press for a card's characters in six national layouts, written down from pictures of the keyboards: nothing of
// libxkbcommon's, by which the daemon reads them.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHIFT = 0x02, ALT_GR = 0x40 };

// A key by its usage (HID Usage Tables 1.12, section 10), with what is held; usage 0 where there is none.
struct stroke {
    uint8_t modifiers, usage;
    // It waits for the next key: a blank behind it makes it a character of its own.
    bool is_dead;
};

// NULL for a layout that is not here: us, uk, de, fr, be, tr.
const struct layout *find_layout(const char *name);
struct stroke stroke_of(const struct layout *layout, char character);
