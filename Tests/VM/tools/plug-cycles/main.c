// Plugs a reader in and pulls it out again and again, each time once a client of the daemon has heard of the step before.
//
// Usage: plug-cycles SOCKET COMMANDS COUNT    COMMANDS: the pipe that a reader takes its orders from
//
// Exit status 1: an event of a reader's life did not come in time, or another came in its place.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PATIENCE_MILLISECONDS = 20000, MAXIMUM_LINE = 65536 };

// One life of a reader, in the order in which a client hears of it; ready is where the reader is pulled out.
static const char *const life[] = {"connect", "activate", "ready", "unready", "deactivate", "disconnect"};
enum { STEPS = sizeof life / sizeof *life, READY = 2 };

static int server = -1, reader = -1;

static bool order(const char *command) {
    size_t length = strlen(command);
    return write(reader, command, length) == (ssize_t)length;
}

static bool meet(const char *path) {
    static const char subscribe[] = "{\"id\":1,\"method\":\"subscribe\"}\n";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return false;
    strcpy(address.sun_path, path);
    server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return server >= 0 && connect(server, (struct sockaddr *)&address, sizeof address) == 0 &&
           write(server, subscribe, sizeof subscribe - 1) == sizeof subscribe - 1;
}

// The next line from the daemon, without its end; NULL when none comes in time.
static char *next_line(void) {
    static char bytes[MAXIMUM_LINE];
    static size_t length, taken;
    memmove(bytes, bytes + taken, length -= taken);
    taken = 0;
    for (;;) {
        char *end = memchr(bytes, '\n', length);
        if (end != NULL) {
            *end = 0;
            taken = (size_t)(end - bytes) + 1;
            return bytes;
        }
        struct pollfd polled = {server, POLLIN, 0};
        if (length == sizeof bytes || poll(&polled, 1, PATIENCE_MILLISECONDS) != 1) return NULL;
        ssize_t count = read(server, bytes + length, sizeof bytes - length);
        if (count <= 0) return NULL;
        length += (size_t)count;
    }
}

// The name of the next event of a reader's life, in buffer; false when none comes. An update is none: what a reader tells of itself
// too late for connect, as on a slow machine, comes as one.
static bool next_event(char buffer[32]) {
    for (char *line; (line = next_line()) != NULL;)
        if (sscanf(line, "{\"event\":\"%31[a-z_]\"", buffer) == 1 && strcmp(buffer, "update") != 0) return true;
    return false;
}

static bool cycle(int number) {
    char event[32];
    if (!order("plug\n")) return perror("plug"), false;
    for (int step = 0; step < STEPS; step++) {
        if (!next_event(event)) return fprintf(stderr, "cycle %d: no %s\n", number, life[step]), false;
        if (strcmp(event, life[step]) != 0)
            return fprintf(stderr, "cycle %d: %s in place of %s\n", number, event, life[step]), false;
        if (step == READY && !order(number % 2 ? "unplug\n" : "yank\n")) return perror("unplug"), false;
    }
    return true;
}

int main(int count, char **arguments) {
    if (count != 4) return fprintf(stderr, "usage: plug-cycles SOCKET COMMANDS COUNT\n"), 2;
    reader = open(arguments[2], O_WRONLY | O_CLOEXEC);
    if (reader < 0 || !meet(arguments[1])) return perror("plug-cycles"), 1;
    int cycles = atoi(arguments[3]);
    for (int i = 1; i <= cycles; i++)
        if (!cycle(i)) return 1;
    printf("%d times connect, activate, ready, unready, deactivate, disconnect, and nothing else\n", cycles);
    return 0;
}
