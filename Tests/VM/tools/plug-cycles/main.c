// Plugs two readers in and pulls them out again and again, so that each gets the node's number that the other had, and holds what
// a client of the daemon hears against it: every event of each reader's life once, in order, under its own name, and nothing else.
//
// Usage: plug-cycles SOCKET COUNT ID SERIAL COMMANDS REPORT SHOWN ID ...    the last five for each of the two
//
//     ID SERIAL   the reader's id in events, and its serial number
//     COMMANDS    the pipe that it takes its orders from
//     REPORT      the file of a swipe, and what the swipe's event must show (SHOWN); in every fifth cycle
//
// Exit status 1: an event did not come in time, or another came in its place.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "reader.h"

enum { READERS = 2, SWIPE_EVERY = 5, FIRST_READER = 3, ARGUMENTS_OF_ONE = 5 };

static struct reader readers[READERS];
static int swapped, swipes;

// Takes a line of the daemon's; false where it is no event that had to come. What a reader tells of itself too late for connect,
// as on a slow machine, comes as an update, which is none of its life.
static bool take(const char *line) {
    char event[32], id[64];
    long attachment;
    if (sscanf(line, "{\"event\":\"%31[a-z_]\"", event) != 1 || strcmp(event, "update") == 0) return true;
    const char *name = strstr(line, "\"reader\":\"");
    if (name != NULL && sscanf(name, "\"reader\":\"%63[^\"]\",\"attachment\":%ld,", id, &attachment) == 2)
        for (int i = 0; i < READERS; i++)
            if (strcmp(readers[i].id, id) == 0) return reader_hear(&readers[i], event, attachment, line);
    fprintf(stderr, "of no reader of ours: %s\n", line);
    return false;
}

// Until all that was ordered of a reader has been told of.
static bool settle(struct reader *reader) {
    while (!reader_is_settled(reader)) {
        const char *line = client_line();
        if (line == NULL) return fprintf(stderr, "%s: nothing comes after step %d\n", reader->id, reader->heard), false;
        if (!take(line)) return false;
    }
    return true;
}

static bool settle_both(void) { return settle(&readers[0]) && settle(&readers[1]); }

// The daemon itself says that there is no reader.
static bool nobody(void) {
    const char *line;
    if (!client_ask("{\"id\":2,\"method\":\"readers\"}\n")) return false;
    while ((line = client_line()) != NULL && strncmp(line, "{\"id\":2,", 8) != 0)
        if (!take(line)) return false;
    return line != NULL && (strstr(line, "\"readers\":[]") != NULL || (fprintf(stderr, "a ghost: %s\n", line), false));
}

// Counts the cycles in which each reader is where the other was in the cycle before.
static void look_at_nodes(void) {
    static int before[READERS] = {-1, -1};
    int now[READERS] = {reader_node(&readers[0]), reader_node(&readers[1])};
    if (now[0] >= 0 && now[1] >= 0 && now[0] == before[1] && now[1] == before[0]) swapped++;
    memcpy(before, now, sizeof before);
}

static bool swipe_both(void) {
    swipes += READERS;
    return reader_swipe(&readers[0]) && reader_swipe(&readers[1]) && settle_both();
}

// Who comes first alternates. So do, less often: who goes first, whether the kernel takes them off the bus or their cables are
// pulled, and whether one is awaited before the other comes or goes, which may still be going in the next cycle then.
static bool cycle(unsigned number) {
    struct reader *first = &readers[number & 1], *second = &readers[~number & 1];
    struct reader *leaver = &readers[number >> 1 & 1], *other = &readers[~number >> 1 & 1];
    bool is_yanked = number >> 2 & 1, is_together = number >> 3 & 1;
    if (!settle(first) || !reader_plug(first)) return false;
    if (!is_together && !settle_both()) return false;
    if (!settle(second) || !reader_plug(second) || !settle_both()) return false;
    look_at_nodes();
    if (number % SWIPE_EVERY == 0 && !swipe_both()) return false;
    if (!reader_pull(leaver, is_yanked) || (!is_together && !settle(leaver))) return false;
    return reader_pull(other, is_yanked) && (is_together || (settle_both() && nobody()));
}

static bool set_up(struct reader *reader, char **arguments) {
    reader->id = arguments[0];
    reader->serial = arguments[1];
    reader->commands = open(arguments[2], O_WRONLY | O_CLOEXEC);
    reader->report = arguments[3];
    reader->shown = arguments[4];
    return reader->commands >= 0;
}

int main(int count, char **arguments) {
    if (count != FIRST_READER + READERS * ARGUMENTS_OF_ONE)
        return fprintf(stderr, "usage: plug-cycles SOCKET COUNT ID SERIAL COMMANDS REPORT SHOWN ID ...\n"), 2;
    unsigned cycles = (unsigned)atoi(arguments[2]);
    for (int i = 0; i < READERS; i++)
        if (!set_up(&readers[i], arguments + FIRST_READER + i * ARGUMENTS_OF_ONE)) return perror("plug-cycles"), 1;
    if (!client_meet(arguments[1])) return perror("plug-cycles"), 1;
    for (unsigned i = 1; i <= cycles; i++)
        if (!cycle(i)) return fprintf(stderr, "failed: cycle %u\n", i), 1;
    if (!settle_both() || !nobody()) return fprintf(stderr, "failed: after the last cycle\n"), 1;
    printf("%u cycles of two readers, %d swipes: each event of a life once, under its reader's name, and nothing else\n", cycles,
           swipes);
    printf("cycles in which each has the other's node: %d\n", swapped);
    return 0;
}
