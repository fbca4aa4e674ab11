// hid-bench: a USB hub of software for unmodified libudev and hidapi programs.
//
//     umockdev-wrapper hid-bench [--as-nobody] [--answer HEX|stall|mute] PROGRAM [ARGUMENT...]
//
// starts PROGRAM in an umockdev testbed and obeys lines on standard input; the program and the bench both write to
// standard output, the bench's lines start with "bench: ":
//
//     plug SLOT VVVV:PPPP SERIAL|- [DESCRIPTOR-HEX]   plug a reader into a port
//     unplug SLOT [hangup|remove]                     which of the two the program sees first; hangup is the default
//     report SLOT HEX                                 an input report
//     lose SLOT                                       as unplug, but udev says nothing
//     deny SLOT                                       udev says that it is gone, and it is not
//     answer SLOT HEX|stall|mute                      how feature requests are answered
//     rule SLOT HEX HEX|-[,HEX|-]...                  how one that begins with the first is: answers in turn, - is none
//     signal SLOT NUMBER                              sends PROGRAM a signal
//     mode SLOT OCTAL                                 the permissions of the node
//     line-plug SLOT NUMBER NAME                      a USB serial adapter: ttyUSB's number, and a name in /dev/serial/by-id
//     line-send SLOT HEX                              what it receives
//     line-unplug SLOT [hangup|remove]                as unplug
//
// The program ends when standard input does. Without umockdev at build time this is a program that exits with 77.
#if __has_include(<umockdev.h>)
#define _GNU_SOURCE
#include "virtual_line.h"
#include "virtual_reader.h"

#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOTS = 16, MAXIMUM_WORDS = 6, NOBODY = 65534 };

struct bench {
    UMockdevTestbed *testbed;
    GMainLoop *loop;
    GPid client;
    int status;
    bool is_as_nobody;
    const char *answer;   // of readers that are plugged in, until `answer` says otherwise
    struct virtual_reader *readers[SLOTS];
    struct virtual_line *lines[SLOTS];
    GPtrArray *rules[SLOTS];  // words of `rule`, also for readers to come: request and answers in turn
    unsigned instances;
};

// 7 status bytes, 3 × 110 bytes of track, 24 bytes of feature report: a MagTek SureSwipe's.
static const guint8 DEFAULT_DESCRIPTOR[] = {
    0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x09, 0x20, 0x09, 0x21,
    0x09, 0x22, 0x09, 0x28, 0x09, 0x29, 0x09, 0x2a, 0x09, 0x38, 0x95, 0x07, 0x81, 0x02, 0x09, 0x30, 0x95, 0x6e,
    0x82, 0x02, 0x01, 0x09, 0x31, 0x95, 0x6e, 0x82, 0x02, 0x01, 0x09, 0x32, 0x95, 0x6e, 0x82, 0x02, 0x01, 0x09,
    0x20, 0x95, 0x18, 0xb2, 0x02, 0x01, 0xc0,
};

static GBytes *from_hex(const char *hex) {
    gsize length = strlen(hex) / 2;
    guint8 *bytes = g_malloc0(length + 1);
    for (gsize i = 0; i < length; i++)
        bytes[i] = (guint8)(g_ascii_xdigit_value(hex[2 * i]) << 4 | g_ascii_xdigit_value(hex[2 * i + 1]));
    return g_bytes_new_take(bytes, length);
}

// The lowest number that is free, as the kernel gives them out.
static unsigned free_hidraw(const struct bench *b) {
    for (unsigned number = 0;; number++) {
        bool is_taken = false;
        for (unsigned i = 0; i < SLOTS; i++)
            if (b->readers[i] && virtual_reader_hidraw(b->readers[i]) == number) is_taken = true;
        if (!is_taken) return number;
    }
}

// A client without root's rights must reach the testbed's files, and leaves its sockets there.
static void open_testbed(struct bench *b) {
    g_autofree char *root = umockdev_testbed_get_root_dir(b->testbed);
    umask(0);
    if (chmod(root, 0777) != 0) perror("hid-bench: chmod");
}

static void set_answer(struct virtual_reader *reader, const char *how) {
    enum feature_mode mode = strcmp(how, "stall") == 0 ? STALL : strcmp(how, "mute") == 0 ? MUTE : ANSWER;
    g_autoptr(GBytes) bytes = from_hex(mode == ANSWER ? how : "");
    gsize length;
    const guint8 *data = g_bytes_get_data(bytes, &length);
    virtual_reader_set_feature(reader, mode, data, length);
}

static bool answer(struct bench *b, unsigned slot, const char *how) {
    if (b->readers[slot]) set_answer(b->readers[slot], how);
    return b->readers[slot] != NULL;
}

static void add_rule(struct virtual_reader *reader, const char *request, const char *list) {
    g_autoptr(GBytes) beginning = from_hex(request);
    GPtrArray *answers = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    g_auto(GStrv) words = g_strsplit(list, ",", 0);
    for (guint i = 0; words[i]; i++) g_ptr_array_add(answers, from_hex(strcmp(words[i], "-") == 0 ? "" : words[i]));
    virtual_reader_add_rule(reader, beginning, answers);
}

static bool rule(struct bench *b, unsigned slot, const char *request, const char *list) {
    if (!b->rules[slot]) b->rules[slot] = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(b->rules[slot], g_strdup(request));
    g_ptr_array_add(b->rules[slot], g_strdup(list));
    if (b->readers[slot]) add_rule(b->readers[slot], request, list);
    return true;
}

static bool plug(struct bench *b, unsigned slot, const char *ids, const char *serial, const char *descriptor) {
    struct reader_identity identity = {.slot = slot, .hidraw = free_hidraw(b), .instance = ++b->instances};
    if (b->readers[slot] || sscanf(ids, "%4x:%4x", &identity.vendor, &identity.product) != 2) return false;
    identity.serial = strcmp(serial, "-") == 0 ? NULL : serial;
    identity.descriptor =
        descriptor ? from_hex(descriptor) : g_bytes_new_static(DEFAULT_DESCRIPTOR, sizeof DEFAULT_DESCRIPTOR);
    struct virtual_reader *reader = virtual_reader_new(b->testbed, identity);
    g_bytes_unref(identity.descriptor);
    const GPtrArray *rules = b->rules[slot];
    for (guint i = 0; rules && i + 1 < rules->len; i += 2)
        add_rule(reader, g_ptr_array_index(rules, i), g_ptr_array_index(rules, i + 1));
    set_answer(reader, b->answer);
    if (virtual_reader_plug(reader)) b->readers[slot] = reader;
    return b->readers[slot] != NULL;
}

static bool unplug(struct bench *b, unsigned slot, const char *first) {
    if (!b->readers[slot]) return false;
    if (first == NULL || strcmp(first, "hangup") == 0) virtual_reader_hang_up(b->readers[slot]);
    virtual_reader_remove(b->readers[slot]);
    b->readers[slot] = NULL;
    return true;
}

static bool lose(struct bench *b, unsigned slot) {
    if (!b->readers[slot]) return false;
    virtual_reader_lose(b->readers[slot]);
    b->readers[slot] = NULL;
    return true;
}

static bool deny(struct bench *b, unsigned slot) {
    if (b->readers[slot]) virtual_reader_deny(b->readers[slot]);
    return b->readers[slot] != NULL;
}

static bool report(struct bench *b, unsigned slot, const char *hex) {
    if (!b->readers[slot]) return false;
    g_autoptr(GBytes) bytes = from_hex(hex);
    gsize length;
    const guint8 *data = g_bytes_get_data(bytes, &length);
    return virtual_reader_report(b->readers[slot], data, length);
}

static bool line_plug(struct bench *b, unsigned slot, const char *number, const char *name) {
    if (b->lines[slot]) return false;
    b->lines[slot] = virtual_line_plug(b->testbed, slot, (unsigned)strtoul(number, NULL, 10), name);
    return b->lines[slot] != NULL;
}

static bool line_send(struct bench *b, unsigned slot, const char *hex) {
    if (!b->lines[slot]) return false;
    g_autoptr(GBytes) bytes = from_hex(hex);
    gsize length;
    const guint8 *data = g_bytes_get_data(bytes, &length);
    return virtual_line_send(b->lines[slot], data, length);
}

static bool line_unplug(struct bench *b, unsigned slot, const char *first) {
    if (!b->lines[slot]) return false;
    virtual_line_unplug(b->lines[slot], first != NULL && strcmp(first, "remove") == 0);
    b->lines[slot] = NULL;
    return true;
}

static bool obey(struct bench *b, char **word, guint words) {
    unsigned slot = words > 1 ? (unsigned)strtoul(word[1], NULL, 10) : 0;
    if (words < 2 || slot >= SLOTS) return false;
    if (strcmp(word[0], "plug") == 0 && words >= 4) return plug(b, slot, word[2], word[3], words > 4 ? word[4] : NULL);
    if (strcmp(word[0], "unplug") == 0) return unplug(b, slot, words > 2 ? word[2] : NULL);
    if (strcmp(word[0], "lose") == 0) return lose(b, slot);
    if (strcmp(word[0], "deny") == 0) return deny(b, slot);
    if (strcmp(word[0], "line-unplug") == 0) return line_unplug(b, slot, words > 2 ? word[2] : NULL);
    if (words < 3) return false;
    if (strcmp(word[0], "line-plug") == 0 && words >= 4) return line_plug(b, slot, word[2], word[3]);
    if (strcmp(word[0], "line-send") == 0) return line_send(b, slot, word[2]);
    if (strcmp(word[0], "rule") == 0 && words >= 4) return rule(b, slot, word[2], word[3]);
    if (strcmp(word[0], "signal") == 0) return kill(b->client, atoi(word[2])) == 0;
    if (strcmp(word[0], "report") == 0) return report(b, slot, word[2]);
    if (strcmp(word[0], "answer") == 0) return answer(b, slot, word[2]);
    if (strcmp(word[0], "mode") == 0)
        return b->readers[slot] && virtual_reader_set_mode(b->readers[slot], (unsigned)strtoul(word[2], NULL, 8));
    return false;
}

static gboolean on_line(GIOChannel *input, GIOCondition condition, gpointer user) {
    (void)condition;
    struct bench *b = user;
    g_autofree char *line = NULL;
    if (g_io_channel_read_line(input, &line, NULL, NULL, NULL) != G_IO_STATUS_NORMAL) {
        kill(b->client, SIGTERM);
        return G_SOURCE_REMOVE;
    }
    g_auto(GStrv) words = g_strsplit(g_strstrip(line), " ", MAXIMUM_WORDS);
    bool is_done = obey(b, words, g_strv_length(words));
    printf("bench: %s %s\n", is_done ? "done" : "failed", words[0] ? words[0] : "");
    return G_SOURCE_CONTINUE;
}

static void on_exit_of_client(GPid client, gint status, gpointer user) {
    (void)client;
    struct bench *b = user;
    b->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    printf("bench: exited %d\n", b->status);
    g_main_loop_quit(b->loop);
}

static GPid start(struct bench *b, char **arguments) {
    if (b->is_as_nobody) open_testbed(b);
    fflush(NULL);
    GPid client = fork();
    if (client != 0) return client;
    close(STDIN_FILENO);
    if (b->is_as_nobody && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp(arguments[0], arguments);
    _exit(127);
}

int main(int count, char **arguments) {
    struct bench b = {.answer = ""};
    int first = 1;
    if (first < count && strcmp(arguments[first], "--as-nobody") == 0) b.is_as_nobody = first++;
    if (first + 1 < count && strcmp(arguments[first], "--answer") == 0) {
        b.answer = arguments[first + 1];
        first += 2;
    }
    if (first >= count) {
        fprintf(stderr, "usage: umockdev-wrapper hid-bench [--as-nobody] [--answer HOW] PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    b.testbed = umockdev_testbed_new();
    b.loop = g_main_loop_new(NULL, FALSE);
    b.client = start(&b, arguments + first);
    if (b.client < 0) return 1;
    g_child_watch_add(b.client, on_exit_of_client, &b);
    GIOChannel *input = g_io_channel_unix_new(STDIN_FILENO);
    g_io_add_watch(input, G_IO_IN | G_IO_HUP, on_line, &b);
    g_main_loop_run(b.loop);
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        if (b.readers[slot]) virtual_reader_remove(b.readers[slot]);
        line_unplug(&b, slot, NULL);
        g_clear_pointer(&b.rules[slot], g_ptr_array_unref);
    }
    virtual_reader_detach_all();
    g_io_channel_unref(input);
    g_main_loop_unref(b.loop);
    g_object_unref(b.testbed);
    return b.status;
}

#else
#include <stdio.h>

int main(void) {
    fprintf(stderr, "hid-bench: built without umockdev (libumockdev-dev)\n");
    return 77;
}
#endif
