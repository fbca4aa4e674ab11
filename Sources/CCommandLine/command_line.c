// Swift's library reads a program's words from /proc/self/cmdline. Where /proc is not mounted, as in many a chroot, it ends the
// program or finds none: `swiped --check-config` would start a daemon. The C library knows them from the stack.
#include "command_line.h"

static int count;
static char **words;

// glibc hands what main gets to the functions that it runs before (sysdeps/generic/libc-start.h, `call_init`).
__attribute__((constructor)) static void keep(int argument_count, char **arguments) {
    count = argument_count;
    words = arguments;
}

int command_line_count(void) { return count; }

const char *command_line_word(int index) { return index >= 0 && index < count ? words[index] : ""; }
