// Gives a sound card a control of its own, as the driver of a card with such a thing does, sets it, and prints it.
//
// Usage: card-control CARD jack NAME in|out|gone
//        card-control CARD switch NAME on|off
//        card-control CARD volume NAME [0…100]
//        card-control CARD choice NAME CHOSEN OTHER…     CARD is the number in /dev/snd/controlCN
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sound/asound.h>
#include <unistd.h>

static int control;

static void name_it(struct snd_ctl_elem_id *id, int is_jack, const char *name) {
    id->iface = is_jack ? SNDRV_CTL_ELEM_IFACE_CARD : SNDRV_CTL_ELEM_IFACE_MIXER;
    snprintf((char *)id->name, sizeof id->name, "%s", name);
}

// What is there already stays as it is.
static int add(const struct snd_ctl_elem_id *id, struct snd_ctl_elem_info info) {
    info.id = *id;
    info.count = 1;
    info.access = SNDRV_CTL_ELEM_ACCESS_READWRITE;
    return ioctl(control, SNDRV_CTL_IOCTL_ELEM_ADD, &info) == 0 || errno == EBUSY ? 0 : -1;
}

static int set(struct snd_ctl_elem_value *value, long number) {
    value->value.integer.value[0] = number;
    return ioctl(control, SNDRV_CTL_IOCTL_ELEM_WRITE, value);
}

static int set_switch(struct snd_ctl_elem_value *value, const char *word) {
    struct snd_ctl_elem_info info = {.type = SNDRV_CTL_ELEM_TYPE_BOOLEAN};
    if (strcmp(word, "gone") == 0) return ioctl(control, SNDRV_CTL_IOCTL_ELEM_REMOVE, &value->id);
    return add(&value->id, info) < 0 ? -1 : set(value, strcmp(word, "in") == 0 || strcmp(word, "on") == 0);
}

static int set_volume(struct snd_ctl_elem_value *value, const char *percent) {
    struct snd_ctl_elem_info info = {.type = SNDRV_CTL_ELEM_TYPE_INTEGER};
    info.value.integer.max = 100;
    info.value.integer.step = 1;
    return add(&value->id, info) < 0 ? -1 : set(value, atol(percent));
}

// Which words there are is said once: a control is taken away first.
static int set_choice(struct snd_ctl_elem_value *value, char **words, int count) {
    struct snd_ctl_elem_info info = {.type = SNDRV_CTL_ELEM_TYPE_ENUMERATED};
    char names[256];
    size_t length = 0;
    for (int i = 0; i < count && length + strlen(words[i]) < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s", words[i]) + 1;
    info.value.enumerated.items = (unsigned)count;
    info.value.enumerated.names_ptr = (uintptr_t)names;
    info.value.enumerated.names_length = (unsigned)length;
    ioctl(control, SNDRV_CTL_IOCTL_ELEM_REMOVE, &value->id);
    value->value.enumerated.item[0] = 0;
    return add(&value->id, info) < 0 ? -1 : ioctl(control, SNDRV_CTL_IOCTL_ELEM_WRITE, value);
}

static int obey(struct snd_ctl_elem_value *value, const char *kind, char **words, int count) {
    if (strcmp(kind, "choice") == 0) return set_choice(value, words, count);
    if (count == 0) return 0;
    return strcmp(kind, "volume") == 0 ? set_volume(value, words[0]) : set_switch(value, words[0]);
}

int main(int count, char **arguments) {
    if (count < 4) return fprintf(stderr, "usage: card-control CARD jack|switch|volume|choice NAME [VALUE…]\n"), 2;
    char path[64];
    snprintf(path, sizeof path, "/dev/snd/controlC%s", arguments[1]);
    struct snd_ctl_elem_value value = {0};
    name_it(&value.id, strcmp(arguments[2], "jack") == 0, arguments[3]);
    control = open(path, O_RDWR | O_CLOEXEC);
    int result = control < 0 ? -1 : obey(&value, arguments[2], arguments + 4, count - 4);
    if (result >= 0 && strcmp(arguments[count - 1], "gone") != 0) {
        result = ioctl(control, SNDRV_CTL_IOCTL_ELEM_READ, &value);
        if (result >= 0) printf("%ld\n", value.value.integer.value[0]);
    }
    if (result < 0) return fprintf(stderr, "card-control: %s: %s\n", path, strerror(errno)), 1;
    return 0;
}
