// Looks for texts in the memory of a process, as root may.
//
// Usage: memory-search PID TEXT...        0: none of them is there; 1: one is, and is named; 2: it cannot look
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What is searched at once; the end of one piece is the beginning of the next, so that no text falls between two.
enum { PIECE = 1 << 20, LONGEST_TEXT = 256, MAXIMUM_LINE = 4096 };

// Returns how many of the texts are in the region.
static int search_region(int memory, uint64_t from, uint64_t to, const char *name, char **texts) {
    static char piece[PIECE];
    int found = 0;
    for (uint64_t at = from; at < to; at += PIECE - LONGEST_TEXT) {
        size_t wanted = to - at < PIECE ? to - at : PIECE;
        ssize_t length = pread(memory, piece, wanted, (off_t)at);
        // Regions such as [vvar] cannot be read by anybody.
        if (length <= 0) break;
        for (char **text = texts; *text; text++) {
            if (memmem(piece, (size_t)length, *text, strlen(*text)) == NULL) continue;
            printf("found %s in %s\n", *text, name);
            found++;
        }
        if ((size_t)length < wanted || wanted < PIECE) break;
    }
    return found;
}

int main(int count, char **arguments) {
    char path[64], line[MAXIMUM_LINE];
    int found = 0, regions = 0;
    if (count < 3) return fprintf(stderr, "usage: memory-search PID TEXT...\n"), 2;
    snprintf(path, sizeof path, "/proc/%d/maps", atoi(arguments[1]));
    FILE *maps = fopen(path, "re");
    snprintf(path, sizeof path, "/proc/%d/mem", atoi(arguments[1]));
    int memory = open(path, O_RDONLY | O_CLOEXEC);
    if (maps == NULL || memory < 0) return perror(path), 2;
    while (fgets(line, sizeof line, maps)) {
        unsigned long long from, to;
        char access[8], name[MAXIMUM_LINE] = "memory without a name";
        if (sscanf(line, "%llx-%llx %7s %*s %*s %*s %4095s", &from, &to, access, name) < 3 || access[0] != 'r') continue;
        regions++;
        found += search_region(memory, from, to, name, arguments + 2);
    }
    if (regions == 0) return fprintf(stderr, "memory-search: nothing to look at\n"), 2;
    return found > 0;
}
