#include "layouts.h"

#include <string.h>

// The rows of a keyboard, in the order of `usages`; `_` stands for nothing that a card has.
struct layout {
    const char *name;
    const char *plain[4], *shifted[4];
    // The circumflex is on a key of its own.
    struct stroke circumflex;
};

// The same places as on a US keyboard: 1 to =, q to ], a to ', z to /.
static const uint8_t usages[4][13] = {
    {0x1E, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2D, 0x2E},
    {0x14, 0x1A, 0x08, 0x15, 0x17, 0x1C, 0x18, 0x0C, 0x12, 0x13, 0x2F, 0x30},
    {0x04, 0x16, 0x07, 0x09, 0x0A, 0x0B, 0x0D, 0x0E, 0x0F, 0x33, 0x34, 0x31},
    {0x1D, 0x1B, 0x06, 0x19, 0x05, 0x11, 0x10, 0x36, 0x37, 0x38},
};

static const struct layout layouts[] = {
    {"us",
     {"1234567890-=", "qwertyuiop__", "asdfghjkl;__", "zxcvbnm,./"},
     {"____%_____" "_+", "QWERTYUIOP__", "ASDFGHJKL___", "ZXCVBNM__?"},
     {SHIFT, 0x23, false}},
    {"uk",
     {"1234567890-=", "qwertyuiop__", "asdfghjkl;__", "zxcvbnm,./"},
     {"____%_____" "_+", "QWERTYUIOP__", "ASDFGHJKL___", "ZXCVBNM__?"},
     {SHIFT, 0x23, false}},
    {"de",
     {"1234567890__", "qwertzuiop_+", "asdfghjkl___", "yxcvbnm,.-"},
     {"____%_/__=" "?_", "QWERTZUIOP__", "ASDFGHJKL___", "YXCVBNM;__"},
     {0, 0x35, true}},
    {"fr",
     {"_____-_____=", "azertyuiop__", "qsdfghjklm__", "wxcvbn,;__"},
     {"1234567890_+", "AZERTYUIOP__", "QSDFGHJKLM%_", "WXCVBN?./_"},
     {0, 0x2F, true}},
    {"be",
     {"__________" "_-", "azertyuiop__", "qsdfghjklm__", "wxcvbn,;_="},
     {"1234567890__", "AZERTYUIOP__", "QSDFGHJKLM%_", "WXCVBN?./+"},
     {0, 0x2F, true}},
    {"tr",
     {"1234567890_-", "qwertyu_op__", "asdfghjkl__,", "zxcvbnm__."},
     {"___+%_/__=" "?_", "QWERTYUIOP__", "ASDFGHJKL__;", "ZXCVBNM___"},
     {SHIFT, 0x20, false}},
};

const struct layout *find_layout(const char *name) {
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (strcmp(layouts[i].name, name) == 0) return &layouts[i];
    return NULL;
}

struct stroke stroke_of(const struct layout *layout, char character) {
    if (character == '^') return layout->circumflex;
    if (character == ' ') return (struct stroke){0, 0x2C, false};
    if (character == '\r') return (struct stroke){0, 0x28, false};
    for (size_t row = 0; row < 4; row++) {
        const char *plain = strchr(layout->plain[row], character), *shifted = strchr(layout->shifted[row], character);
        if (character == 0 || character == '_') break;
        if (plain != NULL) return (struct stroke){0, usages[row][plain - layout->plain[row]], false};
        if (shifted != NULL) return (struct stroke){SHIFT, usages[row][shifted - layout->shifted[row]], false};
    }
    return (struct stroke){0, 0, false};
}
