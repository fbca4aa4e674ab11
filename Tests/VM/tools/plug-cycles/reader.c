#include "reader.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAXIMUM_NODES = 64 };

static const char *const life[GONE] = {"connect", "activate", "ready", "unready", "deactivate", "disconnect"};

static bool order(const struct reader *reader, const char *command) {
    size_t length = strlen(command);
    return write(reader->commands, command, length) == (ssize_t)length;
}

bool reader_plug(struct reader *reader) {
    reader->heard = NONE;
    reader->goal = READY;
    // Lives before ours are not counted.
    if (reader->attachment > 0) reader->attachment++;
    return order(reader, "plug\n");
}

bool reader_pull(struct reader *reader, bool is_yanked) {
    reader->goal = GONE;
    return order(reader, is_yanked ? "yank\n" : "unplug\n");
}

bool reader_swipe(struct reader *reader) {
    char command[1024];
    snprintf(command, sizeof command, "report %s\n", reader->report);
    reader->swipes++;
    return order(reader, command);
}

bool reader_is_settled(const struct reader *reader) { return reader->heard == reader->goal && reader->swipes == 0; }

static bool complain(const struct reader *reader, const char *expected, const char *line) {
    fprintf(stderr, "%s, attachment %ld: in place of %s: %s\n", reader->id, reader->attachment, expected, line);
    return false;
}

bool reader_hear(struct reader *reader, const char *event, long attachment, const char *line) {
    char serial[64];
    const char *step = reader->heard < reader->goal ? life[reader->heard] : "nothing";
    bool is_swipe = strcmp(event, "swipe") == 0;
    if (is_swipe && reader->swipes == 0) return complain(reader, "no swipe", line);
    if (!is_swipe && strcmp(event, step) != 0) return complain(reader, step, line);
    if (reader->attachment == 0) reader->attachment = attachment;
    if (attachment != reader->attachment) return complain(reader, "this attachment", line);
    if (is_swipe) {
        reader->swipes--;
        return strstr(line, reader->shown) != NULL || complain(reader, reader->shown, line);
    }
    snprintf(serial, sizeof serial, "\"serial\":\"%s\"", reader->serial);
    if (reader->heard == NONE && strstr(line, serial) == NULL) return complain(reader, serial, line);
    reader->heard++;
    return true;
}

int reader_node(const struct reader *reader) {
    char path[64], line[256], serial[64];
    snprintf(serial, sizeof serial, "HID_UNIQ=%s\n", reader->serial);
    for (int number = 0; number < MAXIMUM_NODES; number++) {
        snprintf(path, sizeof path, "/sys/class/hidraw/hidraw%d/device/uevent", number);
        FILE *file = fopen(path, "re");
        bool is_it = false;
        if (file == NULL) continue;
        while (!is_it && fgets(line, sizeof line, file)) is_it = strcmp(line, serial) == 0;
        fclose(file);
        if (is_it) return number;
    }
    return -1;
}
