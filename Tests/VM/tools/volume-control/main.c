// Gives a sound card a playback volume of its own, as a driver of a card with an output does, sets it, and prints it.
//
// Usage: volume-control CARD NAME [0…100]      CARD is the number in /dev/snd/controlCN
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sound/asound.h>
#include <unistd.h>

static void name_it(struct snd_ctl_elem_id *id, const char *name) {
    id->iface = SNDRV_CTL_ELEM_IFACE_MIXER;
    snprintf((char *)id->name, sizeof id->name, "%s", name);
}

static int add(int control, const char *name) {
    struct snd_ctl_elem_info info = {.type = SNDRV_CTL_ELEM_TYPE_INTEGER, .count = 1};
    info.access = SNDRV_CTL_ELEM_ACCESS_READWRITE;
    info.value.integer.max = 100;
    info.value.integer.step = 1;
    name_it(&info.id, name);
    return ioctl(control, SNDRV_CTL_IOCTL_ELEM_ADD, &info) == 0 || errno == EBUSY ? 0 : -1;
}

static int put(int control, struct snd_ctl_elem_value *value, const char *name, long percent) {
    value->value.integer.value[0] = percent;
    return add(control, name) < 0 ? -1 : ioctl(control, SNDRV_CTL_IOCTL_ELEM_WRITE, value);
}

int main(int count, char **arguments) {
    if (count != 3 && count != 4) return fprintf(stderr, "usage: volume-control CARD NAME [0…100]\n"), 2;
    char path[64];
    snprintf(path, sizeof path, "/dev/snd/controlC%s", arguments[1]);
    struct snd_ctl_elem_value value = {0};
    name_it(&value.id, arguments[2]);
    int control = open(path, O_RDWR | O_CLOEXEC);
    int result = control < 0 ? -1 : count == 4 ? put(control, &value, arguments[2], atol(arguments[3])) : 0;
    if (result >= 0) result = ioctl(control, SNDRV_CTL_IOCTL_ELEM_READ, &value);
    if (result < 0) return fprintf(stderr, "volume-control: %s: %s\n", path, strerror(errno)), 1;
    printf("%ld\n", value.value.integer.value[0]);
    return 0;
}
