// Gives a sound card a jack control of its own, as a driver of a card with a jack does, and plugs something into it.
//
// Usage: jack-control CARD NAME in|out|gone      CARD is the number in /dev/snd/controlCN
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sound/asound.h>
#include <unistd.h>

static void name_it(struct snd_ctl_elem_id *id, const char *name) {
    id->iface = SNDRV_CTL_ELEM_IFACE_CARD;
    snprintf((char *)id->name, sizeof id->name, "%s", name);
}

static int add(int control, const char *name) {
    struct snd_ctl_elem_info info = {.type = SNDRV_CTL_ELEM_TYPE_BOOLEAN, .count = 1};
    info.access = SNDRV_CTL_ELEM_ACCESS_READWRITE;
    name_it(&info.id, name);
    return ioctl(control, SNDRV_CTL_IOCTL_ELEM_ADD, &info) == 0 || errno == EBUSY ? 0 : -1;
}

static int put(int control, const char *name, int is_in) {
    struct snd_ctl_elem_value value = {0};
    name_it(&value.id, name);
    value.value.integer.value[0] = is_in;
    return ioctl(control, SNDRV_CTL_IOCTL_ELEM_WRITE, &value);
}

static int take_away(int control, const char *name) {
    struct snd_ctl_elem_id id = {0};
    name_it(&id, name);
    return ioctl(control, SNDRV_CTL_IOCTL_ELEM_REMOVE, &id);
}

int main(int count, char **arguments) {
    if (count != 4) return fprintf(stderr, "usage: jack-control CARD NAME in|out|gone\n"), 2;
    char path[64];
    snprintf(path, sizeof path, "/dev/snd/controlC%s", arguments[1]);
    const char *name = arguments[2], *what = arguments[3];
    int control = open(path, O_RDWR | O_CLOEXEC);
    int result = control < 0 ? -1
                 : strcmp(what, "gone") == 0 ? take_away(control, name)
                 : add(control, name) < 0    ? -1
                                             : put(control, name, strcmp(what, "in") == 0);
    if (result < 0) return fprintf(stderr, "jack-control: %s: %s\n", path, strerror(errno)), 1;
    return 0;
}
