// Has a serial line until it is ended, by one of the two locks that programs use.
//
// Usage: line-holder PATH lock|exclusive    lock: flock; exclusive: TIOCEXCL, after which every open fails but root's
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(int count, char **arguments) {
    if (count != 3) return fprintf(stderr, "usage: line-holder PATH lock|exclusive\n"), 2;
    int line = open(arguments[1], O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (line < 0) return perror(arguments[1]), 1;
    int status = strcmp(arguments[2], "lock") == 0 ? flock(line, LOCK_EX | LOCK_NB) : ioctl(line, TIOCEXCL);
    if (status != 0) return perror(arguments[2]), 1;
    for (;;) pause();
}
