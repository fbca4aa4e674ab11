#if __has_include(<umockdev.h>)
#define _GNU_SOURCE
#include "virtual_line.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct virtual_line {
    UMockdevTestbed *testbed;
    char *sysfs, *node, *link;
    int terminal;  // the far end
};

static void forget(struct virtual_line *line) {
    unlink(line->link);
    unlink(line->node);
    g_free(line->sysfs);
    g_free(line->node);
    g_free(line->link);
    g_free(line);
}

// A terminal of our own, as with readers: umockdev 0.17 cannot make a node of the same name twice.
static bool make_node(struct virtual_line *line, unsigned number) {
    line->terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (line->terminal < 0 || grantpt(line->terminal) != 0 || unlockpt(line->terminal) != 0) return false;
    const char *name = ptsname(line->terminal);
    g_autofree char *folder = g_path_get_dirname(line->link);
    g_autofree char *target = g_strdup_printf("../../ttyUSB%u", number);
    return name && g_mkdir_with_parents(folder, 0755) == 0 && symlink(name, line->node) == 0 &&
           symlink(target, line->link) == 0;
}

struct virtual_line *virtual_line_plug(UMockdevTestbed *testbed, unsigned slot, unsigned number, const char *name) {
    struct virtual_line *line = g_new0(struct virtual_line, 1);
    g_autofree char *root = umockdev_testbed_get_root_dir(testbed);
    GError *error = NULL;
    line->testbed = testbed;
    line->sysfs = g_strdup_printf("/devices/pci0000:00/0000:00:14.0/usb2/2-%u/2-%u:1.0/ttyUSB%u/tty/ttyUSB%u", slot, slot,
                                  number, number);
    line->node = g_strdup_printf("%s/dev/ttyUSB%u", root, number);
    line->link = g_strdup_printf("%s/dev/serial/by-id/%s", root, name);
    // udev tells of a tty once its names are made.
    g_autofree char *text =
        g_strdup_printf("P: %s\nE: DEVNAME=/dev/ttyUSB%u\nE: SUBSYSTEM=tty\nE: MAJOR=188\nE: MINOR=%u\n"
                        "E: DEVLINKS=/dev/serial/by-id/%s\n\n",
                        line->sysfs, number, number, name);
    if (make_node(line, number) && umockdev_testbed_add_from_string(testbed, text, &error)) return line;
    fprintf(stderr, "hid-bench: line: %s\n", error ? error->message : "no terminal");
    g_clear_error(&error);
    forget(line);
    return NULL;
}

bool virtual_line_send(struct virtual_line *line, const guint8 *bytes, gsize length) {
    return write(line->terminal, bytes, length) == (gssize)length;
}

void virtual_line_unplug(struct virtual_line *line, bool is_told_first) {
    g_autofree char *path = g_strconcat("/sys", line->sysfs, NULL);
    unlink(line->link);
    unlink(line->node);
    if (!is_told_first) close(line->terminal);
    umockdev_testbed_uevent(line->testbed, path, "remove");
    if (is_told_first) close(line->terminal);
    umockdev_testbed_remove_device(line->testbed, path);
    forget(line);
}
#endif
