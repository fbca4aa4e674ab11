#if __has_include(<umockdev.h>)
#define _GNU_SOURCE
#include "virtual_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hidraw.h>
#include <linux/ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

// What the kernel's usbhid waits for an answer: USB_CTRL_GET_TIMEOUT.
enum { MUTE_MILLISECONDS = 5000 };
enum { MAXIMUM_FEATURE_BYTES = 1024 };
enum { BUS_USB_NUMBER = 3 };
// The numbers of the requests of linux/hidraw.h, whose size is in the rest of the code.
enum { GET_DESCRIPTOR_SIZE = 1, GET_DESCRIPTOR = 2, GET_INFO = 3, SET_FEATURE = 6, GET_FEATURE = 7 };

struct virtual_reader {
    UMockdevTestbed *testbed;
    UMockdevIoctlBase *ioctls;
    struct reader_identity identity;
    char *usb, *interface, *hid, *raw, *node;  // sysfs paths below /sys, and the device node
    enum feature_mode mode;
    guint8 answer[MAXIMUM_FEATURE_BYTES];
    gsize answer_length;
    int terminal;  // the far end of the node
    GPtrArray *rules;   // struct rule, the latest first in force
    struct rule *rule;  // of the last request, NULL: none
    guint next_answer;
    bool has_hung_up;
    bool is_out;     // pulled out: every request ends at once
    GList *waiting;  // requests that nobody answers: struct waiting
};

struct rule {
    GBytes *request;     // how a request begins
    GPtrArray *answers;  // of GBytes
};

// A request to a mute reader, until the kernel would give up on it or the reader is pulled out.
struct waiting {
    struct virtual_reader *reader;
    UMockdevIoctlClient *client;
    guint timeout;
};

static bool failed(const char *what, GError *error) {
    if (error == NULL) return false;
    fprintf(stderr, "hid-bench: %s: %s\n", what, error->message);
    g_error_free(error);
    return true;
}

static void say_bytes(const char *what, const struct virtual_reader *reader, const guint8 *bytes, gsize length) {
    printf("bench: %s %u ", what, reader->identity.slot);
    for (gsize i = 0; i < length; i++) printf("%02x", bytes[i]);
    printf("\n");
}

// Requests come on umockdev's thread, time-outs and unplugs on the main one.
static GMutex waiting_lock;

// Whether it was still waiting, and is now the caller's to end.
static bool take_from_list(struct waiting *waiting) {
    g_mutex_lock(&waiting_lock);
    GList *link = g_list_find(waiting->reader->waiting, waiting);
    if (link) waiting->reader->waiting = g_list_delete_link(waiting->reader->waiting, link);
    g_mutex_unlock(&waiting_lock);
    return link != NULL;
}

// The client may have gone meanwhile, which the completion copes with.
static void end_waiting(struct waiting *waiting, int error) {
    if (!take_from_list(waiting)) return;
    umockdev_ioctl_client_complete(waiting->client, -1, error);
    g_object_unref(waiting->client);
    g_free(waiting);
}

static gboolean time_out(gpointer user) {
    end_waiting(user, ETIMEDOUT);
    return G_SOURCE_REMOVE;
}

static bool is_out(struct virtual_reader *reader) {
    g_mutex_lock(&waiting_lock);
    bool is_out = reader->is_out;
    g_mutex_unlock(&waiting_lock);
    return is_out;
}

// False: the reader is out, nothing can be waited for.
static bool keep_waiting(struct virtual_reader *reader, UMockdevIoctlClient *client) {
    g_mutex_lock(&waiting_lock);
    bool is_in = !reader->is_out;
    if (is_in) {
        struct waiting *waiting = g_new0(struct waiting, 1);
        *waiting = (struct waiting){.reader = reader, .client = g_object_ref(client)};
        waiting->timeout = g_timeout_add(MUTE_MILLISECONDS, time_out, waiting);
        reader->waiting = g_list_prepend(reader->waiting, waiting);
    }
    g_mutex_unlock(&waiting_lock);
    return is_in;
}

// The kernel ends the requests of a device that is gone, and refuses the ones that come after.
static void end_all_waiting(struct virtual_reader *reader) {
    g_mutex_lock(&waiting_lock);
    reader->is_out = true;
    g_mutex_unlock(&waiting_lock);
    for (;;) {
        g_mutex_lock(&waiting_lock);
        struct waiting *waiting = reader->waiting ? reader->waiting->data : NULL;
        g_mutex_unlock(&waiting_lock);
        if (!waiting) return;
        g_source_remove(waiting->timeout);
        end_waiting(waiting, ENODEV);
    }
}

static void free_rule(gpointer user) {
    struct rule *rule = user;
    g_bytes_unref(rule->request);
    g_ptr_array_unref(rule->answers);
    g_free(rule);
}

// Rules are added on the main thread and used on umockdev's.
static GMutex rules_lock;

static void find_rule(struct virtual_reader *reader, const guint8 *request, gsize length) {
    g_mutex_lock(&rules_lock);
    reader->rule = NULL;
    reader->next_answer = 0;
    for (guint i = reader->rules->len; i > 0 && !reader->rule; i--) {
        struct rule *rule = g_ptr_array_index(reader->rules, i - 1);
        gsize size;
        const guint8 *beginning = g_bytes_get_data(rule->request, &size);
        if (size <= length && memcmp(beginning, request, size) == 0) reader->rule = rule;
    }
    g_mutex_unlock(&rules_lock);
}

// The answer that is due. Its bytes live as long as the reader.
static const guint8 *next_answer(struct virtual_reader *reader, gsize *length) {
    *length = reader->answer_length;
    const guint8 *bytes = reader->answer;
    g_mutex_lock(&rules_lock);
    if (reader->rule) {
        guint place = MIN(reader->next_answer, reader->rule->answers->len - 1);
        reader->next_answer = place + 1;
        bytes = g_bytes_get_data(g_ptr_array_index(reader->rule->answers, place), length);
    }
    g_mutex_unlock(&rules_lock);
    *length = MIN(*length, MAXIMUM_FEATURE_BYTES);
    return bytes;
}

static void answer_feature(struct virtual_reader *reader, UMockdevIoctlClient *client, UMockdevIoctlData *data,
                           bool is_set, gsize size) {
    guint8 *bytes = NULL;
    gint length = 0;
    switch (reader->mode) {
    case STALL: umockdev_ioctl_client_complete(client, -1, EPIPE); return;
    case MUTE:
        if (!keep_waiting(reader, client)) umockdev_ioctl_client_complete(client, -1, ENODEV);
        return;
    case ANSWER: break;
    }
    if (is_set) {
        umockdev_ioctl_data_retrieve(data, &bytes, &length);
        say_bytes("feature", reader, bytes, (gsize)length);
        // The report id comes first.
        if (length > 0) find_rule(reader, bytes + 1, (gsize)length - 1);
        umockdev_ioctl_client_complete(client, (glong)size, 0);
        return;
    }
    gsize length_of_answer;
    const guint8 *answer = next_answer(reader, &length_of_answer);
    // What the kernel makes of an answer of no bytes, where reports have no ids. (usbhid, usbhid_get_raw_report.)
    if (length_of_answer == 0 && reader->rule) {
        umockdev_ioctl_client_complete(client, 0, 0);
        return;
    }
    // The report id comes first, then what the reader has to say.
    guint8 report[MAXIMUM_FEATURE_BYTES + 1] = {0};
    gsize count = MIN(size, length_of_answer + 1);
    if (length_of_answer > 0) memcpy(report + 1, answer, length_of_answer);
    umockdev_ioctl_data_update(data, 0, report, count);
    umockdev_ioctl_client_complete(client, (glong)count, 0);
}

static gboolean on_ioctl(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer user) {
    (void)base;
    struct virtual_reader *reader = user;
    gulong request = umockdev_ioctl_client_get_request(client);
    if (_IOC_TYPE(request) != 'H') return FALSE;
    if (is_out(reader)) {
        umockdev_ioctl_client_complete(client, -1, ENODEV);
        return TRUE;
    }
    GError *error = NULL;
    UMockdevIoctlData *data =
        umockdev_ioctl_data_resolve(umockdev_ioctl_client_get_arg(client), 0, _IOC_SIZE(request), &error);
    if (failed("ioctl argument", error)) return FALSE;

    gsize descriptor_length;
    const guint8 *descriptor = g_bytes_get_data(reader->identity.descriptor, &descriptor_length);
    int size = (int)descriptor_length;
    struct hidraw_devinfo info = {
        .bustype = BUS_USB_NUMBER,
        .vendor = (gint16)reader->identity.vendor,
        .product = (gint16)reader->identity.product,
    };
    switch (_IOC_NR(request)) {
    case GET_DESCRIPTOR_SIZE:
        // hidapi's first question.
        printf("bench: opened %u\n", reader->identity.slot);
        umockdev_ioctl_data_update(data, 0, (guint8 *)&size, sizeof size);
        break;
    case GET_DESCRIPTOR:
        umockdev_ioctl_data_update(data, offsetof(struct hidraw_report_descriptor, value), (guint8 *)descriptor,
                                   descriptor_length);
        break;
    case GET_INFO: umockdev_ioctl_data_update(data, 0, (guint8 *)&info, sizeof info); break;
    case SET_FEATURE: answer_feature(reader, client, data, true, _IOC_SIZE(request)); return TRUE;
    case GET_FEATURE: answer_feature(reader, client, data, false, _IOC_SIZE(request)); return TRUE;
    default: umockdev_ioctl_client_complete(client, -1, ENOTTY); return TRUE;
    }
    umockdev_ioctl_client_complete(client, 0, 0);
    return TRUE;
}

static gboolean on_write(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer user) {
    (void)base;
    guint8 *bytes = NULL;
    gint length = 0;
    umockdev_ioctl_data_retrieve(umockdev_ioctl_client_get_arg(client), &bytes, &length);
    say_bytes("output", user, bytes, (gsize)length);
    umockdev_ioctl_client_complete(client, length, 0);
    return TRUE;
}

// umockdev's own format: P sysfs path, E udev property, A attribute, H binary attribute, L link.
static char *description(const struct virtual_reader *r) {
    const struct reader_identity *id = &r->identity;
    const char *serial = id->serial ? id->serial : "";
    gsize length;
    const guint8 *descriptor = g_bytes_get_data(id->descriptor, &length);
    g_autoptr(GString) hex = g_string_new(NULL);
    for (gsize i = 0; i < length; i++) g_string_append_printf(hex, "%02X", descriptor[i]);

    GString *text = g_string_new(NULL);
    g_string_append_printf(text,
                           "P: %s\nE: DEVNAME=/dev/bus/usb/001/%03u\nE: DEVTYPE=usb_device\n"
                           "E: SUBSYSTEM=usb\nE: PRODUCT=%x/%x/100\nA: idVendor=%04x\\n\nA: idProduct=%04x\\n\n",
                           r->usb, id->slot, id->vendor, id->product, id->vendor, id->product);
    if (id->serial) g_string_append_printf(text, "A: serial=%s\\n\n", serial);
    g_string_append(text, "A: manufacturer=Bench\\n\nA: product=Virtual Swipe Reader\\n\n\n");
    g_string_append_printf(text, "P: %s\nE: DEVTYPE=usb_interface\nE: SUBSYSTEM=usb\nE: DRIVER=usbhid\n\n",
                           r->interface);
    g_string_append_printf(text,
                           "P: %s\nE: SUBSYSTEM=hid\nE: DRIVER=hid-generic\nE: HID_ID=0003:%08X:%08X\n"
                           "E: HID_NAME=Bench Virtual Swipe Reader\nE: HID_PHYS=usb-0000:00:14.0-%u/input0\n"
                           "E: HID_UNIQ=%s\nH: report_descriptor=%s\n\n",
                           r->hid, id->vendor, id->product, id->slot, serial, hex->str);
    g_string_append_printf(text,
                           "P: %s\nE: DEVNAME=/dev/hidraw%u\nE: SUBSYSTEM=hidraw\nE: MAJOR=246\n"
                           "E: MINOR=%u\nL: device=../../../%s\n\n",
                           r->raw, id->hidraw, id->hidraw, strrchr(r->hid, '/') + 1);
    return g_string_free(text, FALSE);
}

static void name_paths(struct virtual_reader *r) {
    const struct reader_identity *id = &r->identity;
    r->usb = g_strdup_printf("/devices/pci0000:00/0000:00:14.0/usb1/1-%u", id->slot);
    r->interface = g_strdup_printf("%s/1-%u:1.0", r->usb, id->slot);
    r->hid = g_strdup_printf("%s/0003:%04X:%04X.%04X", r->interface, id->vendor, id->product, id->instance);
    r->raw = g_strdup_printf("%s/hidraw/hidraw%u", r->hid, id->hidraw);
    r->node = g_strdup_printf("/dev/hidraw%u", id->hidraw);
}

static char *node_path(const struct virtual_reader *r) {
    g_autofree char *root = umockdev_testbed_get_root_dir(r->testbed);
    return g_strconcat(root, r->node, NULL);
}

static void unlink_node(const struct virtual_reader *r) {
    g_autofree char *path = node_path(r);
    unlink(path);
}

// A terminal in raw mode: closing its far end is a hang-up, as an unplug is. Of our own, because umockdev 0.17 cannot
// make a node of the same name twice. What it cannot do is to keep reports apart that lie there unread.
static bool make_node(struct virtual_reader *r) {
    r->terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (r->terminal < 0 || grantpt(r->terminal) != 0 || unlockpt(r->terminal) != 0) return false;
    const char *name = ptsname(r->terminal);
    int near = name ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
    struct termios mode;
    if (near < 0 || tcgetattr(near, &mode) != 0) return false;
    cfmakeraw(&mode);
    tcsetattr(near, TCSANOW, &mode);
    close(near);
    g_autofree char *path = node_path(r);
    g_autofree char *folder = g_path_get_dirname(path);
    return g_mkdir_with_parents(folder, 0755) == 0 && symlink(name, path) == 0;
}

static void destroy(struct virtual_reader *r) {
    g_clear_object(&r->ioctls);
    g_ptr_array_unref(r->rules);
    g_bytes_unref(r->identity.descriptor);
    g_free((char *)r->identity.serial);
    g_free(r->usb);
    g_free(r->interface);
    g_free(r->hid);
    g_free(r->raw);
    g_free(r->node);
    g_free(r);
}

// Readers that are out, whose ioctls are still attached. To detach a node closes the sockets of the requests to it, and
// umockdev 0.17's preloaded library aborts a program whose request loses its socket; so that is put off until a reader
// gets the same node, when the program has let go of the last one.
static GList *out;

static void detach(struct virtual_reader *r) {
    GError *error = NULL;
    umockdev_testbed_detach_ioctl(r->testbed, r->node, &error);
    failed("detach", error);
    destroy(r);
}

static void detach_node(const char *node) {
    for (GList *link = out; link; link = link->next) {
        struct virtual_reader *r = link->data;
        if (strcmp(r->node, node) != 0) continue;
        out = g_list_delete_link(out, link);
        return detach(r);
    }
}

void virtual_reader_detach_all(void) {
    g_list_free_full(out, (GDestroyNotify)detach);
    out = NULL;
}

struct virtual_reader *virtual_reader_new(UMockdevTestbed *testbed, struct reader_identity identity) {
    struct virtual_reader *r = g_new0(struct virtual_reader, 1);
    r->testbed = testbed;
    r->rules = g_ptr_array_new_with_free_func(free_rule);
    r->identity = identity;
    r->identity.serial = g_strdup(identity.serial);
    g_bytes_ref(identity.descriptor);
    name_paths(r);
    r->ioctls = umockdev_ioctl_base_new();
    g_signal_connect(r->ioctls, "handle-ioctl", G_CALLBACK(on_ioctl), r);
    g_signal_connect(r->ioctls, "handle-write", G_CALLBACK(on_write), r);
    return r;
}

bool virtual_reader_plug(struct virtual_reader *r) {
    detach_node(r->node);
    // The node must answer before udev tells of it: the ioctls and the node first, then the device, which sends `add`.
    GError *error = NULL;
    umockdev_testbed_attach_ioctl(r->testbed, r->node, r->ioctls, &error);
    bool has_failed = failed("attach", error) || !make_node(r);
    if (!has_failed) {
        g_autofree char *text = description(r);
        umockdev_testbed_add_from_string(r->testbed, text, &error);
        has_failed = failed("add", error);
    }
    if (has_failed) destroy(r);
    return !has_failed;
}

void virtual_reader_hang_up(struct virtual_reader *r) {
    if (r->has_hung_up) return;
    r->has_hung_up = true;
    close(r->terminal);
}

// The innermost first, as the kernel has it.
void virtual_reader_deny(struct virtual_reader *r) {
    const char *paths[] = {r->raw, r->hid, r->interface, r->usb};
    for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
        g_autofree char *path = g_strconcat("/sys", paths[i], NULL);
        umockdev_testbed_uevent(r->testbed, path, "remove");
    }
}

static void take_out(struct virtual_reader *r, bool is_told) {
    const char *paths[] = {r->raw, r->hid, r->interface, r->usb};
    if (is_told) virtual_reader_deny(r);
    virtual_reader_hang_up(r);
    end_all_waiting(r);
    // Each by itself: the removal of a parent leaves its children's links behind.
    for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
        g_autofree char *path = g_strconcat("/sys", paths[i], NULL);
        umockdev_testbed_remove_device(r->testbed, path);
    }
    unlink_node(r);
    out = g_list_prepend(out, r);
}

void virtual_reader_remove(struct virtual_reader *r) { take_out(r, true); }
void virtual_reader_lose(struct virtual_reader *r) { take_out(r, false); }

void virtual_reader_add_rule(struct virtual_reader *r, GBytes *request, GPtrArray *answers) {
    struct rule *rule = g_new0(struct rule, 1);
    *rule = (struct rule){.request = g_bytes_ref(request), .answers = answers};
    g_mutex_lock(&rules_lock);
    g_ptr_array_add(r->rules, rule);
    g_mutex_unlock(&rules_lock);
}

bool virtual_reader_report(struct virtual_reader *r, const guint8 *bytes, gsize length) {
    return write(r->terminal, bytes, length) == (ssize_t)length;
}

void virtual_reader_set_feature(struct virtual_reader *r, enum feature_mode mode, const guint8 *answer,
                                gsize length) {
    r->mode = mode;
    r->answer_length = MIN(length, MAXIMUM_FEATURE_BYTES);
    memcpy(r->answer, answer, r->answer_length);
}

bool virtual_reader_set_mode(struct virtual_reader *r, unsigned mode) {
    g_autofree char *root = umockdev_testbed_get_root_dir(r->testbed);
    g_autofree char *path = g_strconcat(root, r->node, NULL);
    return chmod(path, mode) == 0;
}

unsigned virtual_reader_hidraw(const struct virtual_reader *r) { return r->identity.hidraw; }
#endif
