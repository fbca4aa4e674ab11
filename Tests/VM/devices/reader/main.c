// A reader on a bus of a real kernel, driven by lines on standard input:
//
//     plug            into a free port
//     unplug          the kernel takes it off the bus
//     yank            the cable is pulled
//     features MODE   how feature reports are answered: answer, stall, mute
//     report FILE     a swipe: the hex digits in FILE, without its lines that begin with #
//     part N FILE     the first N bytes of it
//     keys MS FILE    boot reports, eight bytes each, so many milliseconds apart
//     texts MS PAUSE FILE   of each line of FILE the boot reports, MS apart, and PAUSE ms behind each; says how many after each hundred
//
// and what the model has of its own (encoder.c, magtek.c).
//
// Usage: reader SERIAL MODEL BUS [IDS]    MODEL: magtek, idtech, insert, unlisted, unlisted-wide, encoder, encoder-feature, encoder-line,
//                                         writer, keyboard, keyboard-mouse, keyboard-tablet, keyboard-beside-mouse (usb), mouse or
//                                         sound-card; BUS: usb or uhid; IDS: others than the model's, as 0801:0011
//
// Needs the rights of root, and vhci-hcd or uhid.
#include <ctype.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bus.h"

enum { MAXIMUM_LINE = 1024, KEY_BYTES = 8, MAXIMUM_KEYS = 2048 };

static const struct bus *bus;
static struct reader reader;

// Reads hex digits; returns the number of bytes.
static size_t read_hex(const char *path, uint8_t *bytes, size_t capacity) {
    char line[MAXIMUM_LINE * 4];
    size_t digits = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') continue;
        for (char *c = line; *c && digits / 2 < capacity; c++) {
            if (!isxdigit((unsigned char)*c)) continue;
            int digit = isdigit((unsigned char)*c) ? *c - '0' : toupper((unsigned char)*c) - 'A' + 10;
            bytes[digits / 2] = (uint8_t)(digits % 2 ? bytes[digits / 2] << 4 | digit : digit);
            digits++;
        }
    }
    fclose(file);
    return digits / 2;
}

static bool send_report(const char *path, size_t most) {
    uint8_t bytes[REPORT_BYTES];
    size_t length = read_hex(path, bytes, sizeof bytes);
    return length > 0 && bus->report(bytes, length < most ? length : most);
}

static int64_t now_microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// What the host asks meanwhile is answered.
static void wait_milliseconds(int milliseconds) {
    int64_t end = now_microseconds() + milliseconds * 1000LL;
    for (;;) {
        int64_t left = end - now_microseconds();
        struct pollfd polled = {bus->descriptor(), POLLIN, 0};
        if (left <= 0) return;
        if (poll(&polled, 1, (int)((left + 999) / 1000)) > 0) bus->serve(&reader);
    }
}

// A keyboard's reports.
static bool type_reports(int gap, const uint8_t *bytes, size_t length) {
    for (size_t start = 0; start + KEY_BYTES <= length; start += KEY_BYTES) {
        if (!bus->report(bytes + start, KEY_BYTES)) return false;
        wait_milliseconds(gap);
    }
    return length > 0;
}

static bool type_keys(int gap, const char *path) {
    uint8_t bytes[MAXIMUM_KEYS * KEY_BYTES];
    return type_reports(gap, bytes, read_hex(path, bytes, sizeof bytes));
}

// Many in a row, without anybody who has to ask for each.
static bool type_swipes(int gap, int pause, const char *path) {
    static char line[MAXIMUM_KEYS * KEY_BYTES * 2 + 2];
    static uint8_t bytes[MAXIMUM_KEYS * KEY_BYTES];
    FILE *file = fopen(path, "re");
    int count = 0;
    if (file == NULL) return false;
    while (fgets(line, sizeof line, file)) {
        size_t length = 0;
        while (length < sizeof bytes && sscanf(line + length * 2, "%2hhx", bytes + length) == 1) length++;
        if (!type_reports(gap, bytes, length)) break;
        wait_milliseconds(pause);
        if (++count % 100 == 0) printf("%d swipes\n", count), fflush(stdout);
    }
    bool is_whole = feof(file) && count > 0;
    fclose(file);
    return is_whole;
}

static bool set_features(const char *mode) {
    const char *names[] = {[ANSWER] = "answer", [STALL] = "stall", [MUTE] = "mute"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(mode, names[i]) != 0) continue;
        reader.mode = (enum feature_mode)i;
        return true;
    }
    return false;
}

static bool plug(void) {
    if (reader.model->start != NULL) reader.model->start();
    return bus->plug(&reader);
}

static bool obey(const char *line) {
    char argument[MAXIMUM_LINE];
    size_t count;
    int gap, pause;
    if (strcmp(line, "plug") == 0) return plug();
    if (strcmp(line, "unplug") == 0) return bus->unplug();
    if (strcmp(line, "yank") == 0) return bus->yank(), true;
    if (sscanf(line, "features %1023s", argument) == 1) return set_features(argument);
    if (sscanf(line, "report %1023s", argument) == 1) return send_report(argument, REPORT_BYTES);
    if (sscanf(line, "keys %d %1023s", &gap, argument) == 2) return type_keys(gap, argument);
    if (sscanf(line, "texts %d %d %1023s", &gap, &pause, argument) == 3) return type_swipes(gap, pause, argument);
    // An encoder's parts are others.
    if (reader.model->obey != NULL && reader.model->obey(&reader, line)) return true;
    if (sscanf(line, "part %zu %1023s", &count, argument) == 2) return send_report(argument, count);
    return false;
}

// Takes what stands on standard input; false at its end. Unbuffered, so that poll sees all there is.
static bool take_lines(void) {
    static char line[MAXIMUM_LINE];
    static size_t length;
    char c;
    if (read(STDIN_FILENO, &c, 1) != 1) return false;
    if (c != '\n') {
        if (length + 1 < sizeof line) line[length++] = c;
        return true;
    }
    line[length] = 0;
    length = 0;
    printf("%s: %s\n", line, obey(line) ? "done" : "failed");
    fflush(stdout);
    return true;
}

static bool choose(const char *model, const char *name) {
    const struct model *models[] = {&magtek, &idtech, &insert, &stripe_page, &stripe_page_wide, &encoder_model,
                                    &feature_encoder_model, &line_encoder, &writer, &keyboard, &keyboard_mouse,
                                    &keyboard_tablet, &keyboard_beside_mouse, &mouse, &sound_card};
    const struct bus *buses[] = {&usb, &uhid};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i]->name, model) == 0) reader.model = models[i];
    for (size_t i = 0; i < sizeof buses / sizeof *buses; i++)
        if (strcmp(buses[i]->name, name) == 0) bus = buses[i];
    if (bus == NULL) return false;
    reader.report = bus->report;
    reader.yank = bus->yank;
    return reader.model != NULL;
}

// Gives the model other ids than its own.
static bool rename_model(const char *ids) {
    static struct model renamed;
    renamed = *reader.model;
    reader.model = &renamed;
    return sscanf(ids, "%4hx:%4hx", &renamed.vendor, &renamed.number) == 2;
}

int main(int count, char **arguments) {
    bool is_known = (count == 4 || count == 5) && choose(arguments[2], arguments[3]);
    if (!is_known || (count == 5 && !rename_model(arguments[4])))
        return fprintf(stderr, "usage: reader SERIAL MODEL usb|uhid [VVVV:PPPP]\n"), 2;
    snprintf(reader.serial, sizeof reader.serial, "%s", arguments[1]);
    for (;;) {
        int milliseconds = reader.model->tend ? reader.model->tend(&reader) : -1;
        // A negative descriptor is left out.
        struct pollfd polled[] = {{STDIN_FILENO, POLLIN, 0}, {bus->descriptor(), POLLIN, 0}};
        if (poll(polled, 2, milliseconds) < 0) continue;
        if (polled[1].revents) bus->serve(&reader);
        if (polled[0].revents && !take_lines()) return 0;
    }
}
