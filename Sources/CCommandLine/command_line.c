// Swift's library reads a program's words from /proc/self/cmdline. Where /proc is not mounted, as in many a chroot, it ends the
// program or finds none: `swiped --check-config` would start a daemon. The C library knows them from the stack.
#define _GNU_SOURCE
#include "command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int count;
static char **words;

// glibc hands what main gets to the functions that it runs before (sysdeps/generic/libc-start.h, `call_init`).
__attribute__((constructor)) static void keep(int argument_count, char **arguments) {
    count = argument_count;
    words = arguments;
}

int command_line_count(void) { return count; }

const char *command_line_word(int index) { return index >= 0 && index < count ? words[index] : ""; }

char **command_line_environment(void) { return environ; }

// Swift's tasks run on libdispatch's threads. While they have work, it opens /proc/THREAD/stat of each of them once a second, and
// ends the program with SIGILL where it cannot (src/event/workqueue.c, _dispatch_workq_count_runnable_workers): sooner or later,
// at no place of ours.
void process_needs_proc(const char *program, int status) {
    char self[16] = "";
    if (readlink("/proc/self", self, sizeof self - 1) > 0 && atol(self) == getpid()) return;
    fprintf(stderr,
            "%s: /proc is not mounted here, or shows another PID namespace, and a program's threads do not last without it. "
            "As root: mount -t proc proc /proc\n",
            program);
    exit(status);
}
