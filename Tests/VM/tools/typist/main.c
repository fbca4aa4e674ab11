// What a reader with a national layout types, and a console with one.
//
// Usage: typist LAYOUT [WAY]...            reads texts, a line each, and writes for each a line of boot reports in hex, with Enter behind it
//        typist LAYOUT --console /dev/ttyN  gives the text consoles that keymap, and says what its letter beside Tab is then
//
// WAY: caps       letters with shift where others have none, as readers type that see Caps Lock lit
//      rollover   a key goes up as the next one goes down; only between equal ones nothing is down
//      blanks     a blank behind each dead key
//      endless    no Enter
#include <fcntl.h>
#include <linux/kd.h>
#include <linux/keyboard.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "layouts.h"

static bool caps, rollover, blanks, endless;

static void report(struct stroke stroke) { printf("%02x00%02x0000000000", stroke.modifiers, stroke.usage); }

static bool type_text(const struct layout *layout, const char *text) {
    const struct stroke none = {0, 0, false};
    struct stroke last = none;
    for (const char *c = text; *c; c++) {
        struct stroke stroke = stroke_of(layout, *c);
        if (stroke.usage == 0) return fprintf(stderr, "typist: no key for '%c'\n", *c), false;
        bool is_letter = (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z');
        if (caps && is_letter) stroke.modifiers ^= SHIFT;
        if (last.usage != 0 && (!rollover || last.usage == stroke.usage)) report(none);
        report(stroke);
        last = stroke;
        if (!stroke.is_dead || !blanks) continue;
        if (!rollover) report(none);
        report(last = stroke_of(layout, ' '));
    }
    report(none);
    putchar('\n');
    return true;
}

// Linux' code of a usage that stroke_of gives, where the console's keymap is about it.
static unsigned char key_code(uint8_t usage) {
    static const unsigned char codes[] = {30, 48, 46, 32, 18, 33, 34, 35, 23, 36, 37, 38, 50, 49, 24, 25, 16, 19, 31, 20, 22, 47, 17,
                                          45, 21, 44, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 28, 1, 14, 15, 57, 12, 13, 26, 27, 43, 43, 39,
                                          40, 41, 51, 52, 53};
    return usage >= 4 && usage - 4u < sizeof codes ? codes[usage - 4] : 0;
}

static bool set_console(const struct layout *layout, const char *path) {
    int console = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (console < 0) return perror(path), false;
    for (char c = '!'; c <= '~'; c++) {
        struct stroke stroke = stroke_of(layout, c);
        if (key_code(stroke.usage) == 0) continue;
        struct kbentry entry = {stroke.modifiers == SHIFT ? K_SHIFTTAB : K_NORMTAB, key_code(stroke.usage), K(KT_LATIN, c)};
        if (ioctl(console, KDSKBENT, &entry) != 0) return perror("KDSKBENT"), false;
    }
    struct kbentry entry = {K_NORMTAB, 16, 0};
    if (ioctl(console, KDGKBENT, &entry) != 0) return perror("KDGKBENT"), false;
    printf("%c\n", KVAL(entry.kb_value));
    return close(console) == 0;
}

int main(int count, char **arguments) {
    const struct layout *layout = count > 1 ? find_layout(arguments[1]) : NULL;
    if (layout == NULL) return fprintf(stderr, "usage: typist us|uk|de|fr|be|tr [caps|rollover|blanks|endless]...\n"), 2;
    if (count == 4 && strcmp(arguments[2], "--console") == 0) return set_console(layout, arguments[3]) ? 0 : 1;
    for (int i = 2; i < count; i++) {
        caps |= strcmp(arguments[i], "caps") == 0;
        rollover |= strcmp(arguments[i], "rollover") == 0;
        blanks |= strcmp(arguments[i], "blanks") == 0;
        endless |= strcmp(arguments[i], "endless") == 0;
    }
    char line[512];
    while (fgets(line, sizeof line - 1, stdin)) {
        strcpy(line + strcspn(line, "\n"), endless ? "" : "\r");
        if (!type_text(layout, line)) return 1;
    }
    return 0;
}
