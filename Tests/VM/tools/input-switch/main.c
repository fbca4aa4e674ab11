// An input device with a switch that a plug moves, as sound drivers without jack controls show one.
//
// Usage: input-switch NAME [key]       key: it has a key as well, as a headset's remote control; lines on
// standard input: in, out; each is answered with ": done". It goes with the end of the input.
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <linux/uinput.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int make(const char *name, bool has_key) {
    int device = open("/dev/uinput", O_WRONLY | O_CLOEXEC);
    if (device < 0) return -1;
    struct uinput_setup setup = {.id = {.bustype = BUS_VIRTUAL}};
    snprintf(setup.name, sizeof setup.name, "%s", name);
    if (ioctl(device, UI_SET_EVBIT, EV_SW) < 0) return -1;
    if (ioctl(device, UI_SET_SWBIT, SW_MICROPHONE_INSERT) < 0) return -1;
    if (has_key && (ioctl(device, UI_SET_EVBIT, EV_KEY) < 0 || ioctl(device, UI_SET_KEYBIT, KEY_PLAYPAUSE) < 0)) return -1;
    if (ioctl(device, UI_DEV_SETUP, &setup) < 0 || ioctl(device, UI_DEV_CREATE) < 0) return -1;
    return device;
}

static int move(int device, int is_in) {
    struct input_event events[] = {
        {.type = EV_SW, .code = SW_MICROPHONE_INSERT, .value = is_in},
        {.type = EV_SYN, .code = SYN_REPORT},
    };
    return write(device, events, sizeof events) == (ssize_t)sizeof events ? 0 : -1;
}

int main(int count, char **arguments) {
    bool has_key = count == 3 && strcmp(arguments[2], "key") == 0;
    if (count != 2 && !has_key) return fprintf(stderr, "usage: input-switch NAME [key]\n"), 2;
    int device = make(arguments[1], has_key);
    if (device < 0) return fprintf(stderr, "input-switch: %s\n", strerror(errno)), 1;
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        if (move(device, strcmp(line, "in") == 0) < 0) return fprintf(stderr, "input-switch: %s\n", strerror(errno)), 1;
        printf("%s: done\n", line);
        fflush(stdout);
    }
    return 0;
}
