// Counts the keys that come to a program beside the daemon: of an event device those that go down, of a text console its bytes.
//
// Usage: key-listener NODE FILE       FILE always has the number so far.
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static void tell(const char *path, long count) {
    FILE *file = fopen(path, "we");
    if (file == NULL) return;
    fprintf(file, "%ld\n", count);
    fclose(file);
}

int main(int count, char **arguments) {
    if (count != 3) return fprintf(stderr, "usage: key-listener NODE FILE\n"), 2;
    int node = open(arguments[1], O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (node < 0) return fprintf(stderr, "key-listener: %s: %s\n", arguments[1], strerror(errno)), 1;
    struct termios terminal;
    int is_terminal = tcgetattr(node, &terminal) == 0;
    if (is_terminal) {
        cfmakeraw(&terminal);
        tcsetattr(node, TCSANOW, &terminal);
    }
    long keys = 0;
    union {
        struct input_event events[64];
        char bytes[1];
    } got;
    tell(arguments[2], keys);
    for (;;) {
        ssize_t length = read(node, &got, sizeof got);
        if (length <= 0) return 0;
        if (is_terminal) keys += length;
        for (size_t i = 0; !is_terminal && i < (size_t)length / sizeof *got.events; i++)
            if (got.events[i].type == EV_KEY && got.events[i].value == 1) keys++;
        tell(arguments[2], keys);
    }
}
