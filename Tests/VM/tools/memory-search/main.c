// Looks for texts in the memory of a process, as root may. The process stands still meanwhile, so that no piece of it moves.
//
// Usage: memory-search PID TEXT...        0: none of them is there; 1: one is, and is named; 2: it cannot look
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What is searched at once; the end of one piece is the beginning of the next, so that no text falls between two.
enum { PIECE = 1 << 20, LONGEST_TEXT = 256, MAXIMUM_LINE = 4096 };

// How often the process is looked at until it stands still, a hundredth of a second apart.
enum { MAXIMUM_LOOKS = 500 };

// Whether the process was brought to stand still.
static bool stop(int process) {
    char path[64], line[MAXIMUM_LINE];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    if (kill(process, SIGSTOP) != 0) return false;
    for (int look = 0; look < MAXIMUM_LOOKS; look++) {
        FILE *status = fopen(path, "re");
        bool has_line = status != NULL && fgets(line, sizeof line, status) != NULL;
        if (status != NULL) fclose(status);
        // The state follows the name, which may have brackets of its own.
        char *bracket = has_line ? strrchr(line, ')') : NULL;
        if (bracket != NULL && bracket[1] == ' ' && bracket[2] == 'T') return true;
        usleep(10000);
    }
    return false;
}

// The kernel's own pages and a device's: nobody can read those this way, and nothing of the process is kept there.
static bool is_foreign(const char *name) {
    return strncmp(name, "[v", 2) == 0 || strncmp(name, "/dev/", 5) == 0;
}

// Returns how many of the texts are in the region; -1 where it cannot be read.
static int search_region(int memory, uint64_t from, uint64_t to, const char *name, char **texts) {
    static char piece[PIECE];
    int found = 0;
    for (uint64_t at = from; at < to; at += PIECE - LONGEST_TEXT) {
        size_t wanted = to - at < PIECE ? to - at : PIECE;
        ssize_t length = pread(memory, piece, wanted, (off_t)at);
        if (length != (ssize_t)wanted) return is_foreign(name) ? 0 : -1;
        for (char **text = texts; *text; text++) {
            if (memmem(piece, (size_t)length, *text, strlen(*text)) == NULL) continue;
            printf("found %s in %s\n", *text, name);
            found++;
        }
        if (wanted < PIECE) break;
    }
    return found;
}

// Returns the exit status.
static int search(int process, char **texts) {
    char path[64], line[MAXIMUM_LINE];
    int found = 0, regions = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", process);
    FILE *maps = fopen(path, "re");
    snprintf(path, sizeof path, "/proc/%d/mem", process);
    int memory = open(path, O_RDONLY | O_CLOEXEC);
    if (maps == NULL || memory < 0) return perror(path), 2;
    while (fgets(line, sizeof line, maps)) {
        unsigned long long from, to;
        char access[8], name[MAXIMUM_LINE] = "memory without a name";
        if (sscanf(line, "%llx-%llx %7s %*s %*s %*s %4095s", &from, &to, access, name) < 3 || access[0] != 'r') continue;
        regions++;
        int here = search_region(memory, from, to, name, texts);
        if (here < 0) return fprintf(stderr, "memory-search: not to be read: %s", line), 2;
        found += here;
    }
    if (regions == 0) return fprintf(stderr, "memory-search: nothing to look at\n"), 2;
    return found > 0;
}

int main(int count, char **arguments) {
    if (count < 3) return fprintf(stderr, "usage: memory-search PID TEXT...\n"), 2;
    int process = atoi(arguments[1]);
    if (process <= 0 || !stop(process)) return fprintf(stderr, "memory-search: it does not stand still\n"), 2;
    int status = search(process, arguments + 2);
    kill(process, SIGCONT);
    return status;
}
