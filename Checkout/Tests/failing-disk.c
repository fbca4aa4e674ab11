/*
 * A disk that fails, for one folder of one program: preloaded (LD_PRELOAD), it lets the calls of the C library that a journal
 * makes fail there. The tests build it and say what is to fail.
 *
 *   FAILING_FOLDER  below this
 *   FAILING_CALL    open, read, write, short (a write that is cut to half; the next one fails), fsync, rename, unlink, flock,
 *                   opendir
 *   FAILING_FROM    which of these calls, from 1
 *   FAILING_TO      up to which
 *   FAILING_ERROR   the error's number
 *   FAILING_LOG     a file that gets a line for each call that failed
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int calls;

static int number(const char *name) {
    const char *text = getenv(name);
    return text ? atoi(text) : 0;
}

static int is_there(const char *path) {
    const char *folder = getenv("FAILING_FOLDER");
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_there_open(int descriptor) {
    char link[64], path[PATH_MAX + 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX);
    path[length > 0 ? length : 0] = 0;
    return is_there(path);
}

/* Whether this call of the folder's fails; errno says why. */
static int fails(const char *call) {
    const char *wanted = getenv("FAILING_CALL"), *log = getenv("FAILING_LOG");
    if (!wanted || strcmp(wanted, call) != 0) return 0;
    int place = atomic_fetch_add(&calls, 1) + 1;
    if (place < number("FAILING_FROM") || place > number("FAILING_TO")) return 0;
    int file = log ? (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0) {
        dprintf(file, "%s %d\n", call, place);
        close(file);
    }
    errno = number("FAILING_ERROR");
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return is_there(path) && fails("open") ? -1 : REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return is_there(path) && fails("open") ? -1 : REAL(open64)(path, flags, mode);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (is_there_open(descriptor)) {
        if (fails("write")) return -1;
        if (fails("short")) {
            if (atomic_load(&calls) > number("FAILING_FROM")) return -1;
            return REAL(write)(descriptor, bytes, count / 2);
        }
    }
    return REAL(write)(descriptor, bytes, count);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t place) {
    return is_there_open(descriptor) && fails("read") ? -1 : REAL(pread)(descriptor, bytes, count, place);
}

int fsync(int descriptor) { return is_there_open(descriptor) && fails("fsync") ? -1 : REAL(fsync)(descriptor); }

int rename(const char *from, const char *to) { return is_there(from) && fails("rename") ? -1 : REAL(rename)(from, to); }

int unlink(const char *path) { return is_there(path) && fails("unlink") ? -1 : REAL(unlink)(path); }

int flock(int descriptor, int operation) {
    return is_there_open(descriptor) && fails("flock") ? -1 : REAL(flock)(descriptor, operation);
}

DIR *opendir(const char *path) { return is_there(path) && fails("opendir") ? NULL : REAL(opendir)(path); }
