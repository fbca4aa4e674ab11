// A control device: the boolean "Mic Jack" that a sound card's driver shows, a headphone volume, a microphone's gain, and the choice between
// the microphone and a line.
//
//     ctl.NAME {
//         type swiped
//         source "/path/to/fifo"     the jack: '1' written to the FIFO plugs in, '0' pulls out
//         volume "/path/to/file"     the volume (mixer_state.h)
//         gain "/path/to/file"       the gain, of the same form, in decibels (mixer_state.h)
//         choice "/path/to/file"     which input each channel is of, of the same form: 0 is the microphone, 1 the line (mixer_state.h)
//         loudest 100                how far volume and gain go
//     }
#define _GNU_SOURCE
#include "mixer_state.h"
#include "virtual_sound_card.h"

#include <alsa/asoundlib.h>
#include <alsa/control_external.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

enum element { JACK, VOLUME, SWITCH, GAIN, GAIN_SWITCH, CHOICE, ELEMENTS };
enum side { PLAYED, RECORDED, CHOSEN, SIDES };

static const char *const NAMES[ELEMENTS] = {"Mic Jack", "Headphone Playback Volume", "Headphone Playback Switch",
                                            "Mic Capture Volume", "Mic Capture Switch", "Capture Source"};
static const char *const INPUTS[] = {"Mic", "Line"};
enum { INPUT_COUNT = sizeof INPUTS / sizeof INPUTS[0] };
static const unsigned GAIN_RANGE[] = {SND_CTL_TLVT_DB_MINMAX, 2 * sizeof(unsigned), (unsigned)MIXER_LOWEST_GAIN,
                                      MIXER_HIGHEST_GAIN};

struct card {
    snd_ctl_ext_t ext;
    int jack_fifo;      // -1: no jack
    int watch[SIDES];   // inotify on the files; -1: none
    char *volume[SIDES];
    long loudest;
    bool is_in;
    unsigned unread[ELEMENTS];
};

static enum side side_of(enum element element) {
    return element == CHOICE ? CHOSEN : element == GAIN || element == GAIN_SWITCH ? RECORDED : PLAYED;
}
static bool is_volume(enum element element) { return element == VOLUME || element == GAIN; }

static bool has(const struct card *card, enum element element) {
    return element == JACK ? card->jack_fifo >= 0 : card->volume[side_of(element)] != NULL;
}

// Takes what was written to the jack. Each change is one event, so that a quick out-and-in is two.
static void listen_to_jack(struct card *card) {
    char c;
    while (card->jack_fifo >= 0 && read(card->jack_fifo, &c, 1) == 1) {
        if ((c != '0' && c != '1') || (c == '1') == card->is_in) continue;
        card->is_in = c == '1';
        card->unread[JACK]++;
    }
}

static void listen_to_volumes(struct card *card) {
    char events[4096];
    for (enum side side = 0; side < SIDES; side++) {
        if (card->watch[side] < 0 || read(card->watch[side], events, sizeof events) <= 0) continue;
        for (enum element e = VOLUME; e < ELEMENTS; e++) card->unread[e] |= side_of(e) == side;
    }
}

static void release(struct card *card) {
    if (card->jack_fifo >= 0) close(card->jack_fifo);
    if (card->ext.poll_fd >= 0) close(card->ext.poll_fd);
    for (enum side side = 0; side < SIDES; side++) {
        if (card->watch[side] >= 0) close(card->watch[side]);
        free(card->volume[side]);
    }
    free(card);
}

static void on_close(snd_ctl_ext_t *ext) { release(ext->private_data); }

static int on_elem_count(snd_ctl_ext_t *ext) {
    int count = 0;
    for (enum element e = 0; e < ELEMENTS; e++) count += has(ext->private_data, e);
    return count;
}

static void name_element(enum element element, snd_ctl_elem_id_t *id) {
    snd_ctl_elem_id_set_interface(id, element == JACK ? SND_CTL_ELEM_IFACE_CARD : SND_CTL_ELEM_IFACE_MIXER);
    snd_ctl_elem_id_set_name(id, NAMES[element]);
}

static int on_elem_list(snd_ctl_ext_t *ext, unsigned offset, snd_ctl_elem_id_t *id) {
    for (enum element e = 0; e < ELEMENTS; e++) {
        if (!has(ext->private_data, e) || offset-- > 0) continue;
        name_element(e, id);
        return 0;
    }
    return -EINVAL;
}

static snd_ctl_ext_key_t on_find_elem(snd_ctl_ext_t *ext, const snd_ctl_elem_id_t *id) {
    unsigned number = snd_ctl_elem_id_get_numid(id);
    for (enum element e = 0; e < ELEMENTS; e++) {
        if (!has(ext->private_data, e)) continue;
        if (number > 0 ? --number == 0 : strcmp(snd_ctl_elem_id_get_name(id), NAMES[e]) == 0) return e;
    }
    return SND_CTL_EXT_KEY_NOT_FOUND;
}

static int on_get_attribute(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, int *type, unsigned *access, unsigned *count) {
    (void)ext;
    *type = key == CHOICE    ? SND_CTL_ELEM_TYPE_ENUMERATED
            : is_volume(key) ? SND_CTL_ELEM_TYPE_INTEGER
                             : SND_CTL_ELEM_TYPE_BOOLEAN;
    *access = key == JACK ? SND_CTL_EXT_ACCESS_READ : SND_CTL_EXT_ACCESS_READWRITE;
    if (key == GAIN) *access |= SND_CTL_EXT_ACCESS_TLV_READ;
    *count = key == JACK ? 1 : MIXER_CHANNELS;
    return 0;
}

static int on_get_integer_info(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *low, long *high, long *step) {
    (void)ext, (void)key;
    *low = 0;
    *high = MIXER_LOUDEST;
    *step = 1;
    return 0;
}

static int on_read_integer(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *value) {
    struct card *card = ext->private_data;
    if (key == JACK) {
        listen_to_jack(card);
        *value = card->is_in;
        return 0;
    }
    struct mixer_state state;
    if (!mixer_state_read(card->volume[side_of(key)], &state)) return -ENODEV;
    memcpy(value, is_volume(key) ? state.volumes : state.switches, sizeof state.volumes);
    return 0;
}

static int on_write_integer(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *value) {
    struct card *card = ext->private_data;
    struct mixer_state state;
    if (key == JACK) return -EPERM;
    char *file = card->volume[side_of(key)];
    if (!mixer_state_read(file, &state)) return -ENODEV;
    for (int c = 0; c < MIXER_CHANNELS; c++) {
        if (is_volume(key)) state.volumes[c] = value[c] < card->loudest ? value[c] : card->loudest;
        else state.switches[c] = value[c] != 0;
    }
    return mixer_state_write(file, &state) ? 1 : -ENODEV;
}

static int on_get_enumerated_info(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, unsigned *items) {
    (void)ext, (void)key;
    *items = INPUT_COUNT;
    return 0;
}

static int on_get_enumerated_name(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, unsigned item, char *name, size_t size) {
    (void)ext, (void)key;
    if (item >= INPUT_COUNT) return -EINVAL;
    snprintf(name, size, "%s", INPUTS[item]);
    return 0;
}

static int on_read_enumerated(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, unsigned *items) {
    struct card *card = ext->private_data;
    struct mixer_state state;
    if (!mixer_state_read(card->volume[side_of(key)], &state)) return -ENODEV;
    for (int c = 0; c < MIXER_CHANNELS; c++) items[c] = (unsigned)state.volumes[c] % INPUT_COUNT;
    return 0;
}

static int on_write_enumerated(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, unsigned *items) {
    struct card *card = ext->private_data;
    struct mixer_state state = {.switches = {1, 1}};
    for (int c = 0; c < MIXER_CHANNELS; c++) state.volumes[c] = items[c];
    return mixer_state_write(card->volume[side_of(key)], &state) ? 1 : -ENODEV;
}

static int on_read_event(snd_ctl_ext_t *ext, snd_ctl_elem_id_t *id, unsigned *mask) {
    struct card *card = ext->private_data;
    listen_to_jack(card);
    listen_to_volumes(card);
    for (enum element e = 0; e < ELEMENTS; e++) {
        if (card->unread[e] == 0) continue;
        card->unread[e]--;
        name_element(e, id);
        *mask = SND_CTL_EVENT_MASK_VALUE;
        return 1;
    }
    return -EAGAIN;
}

static const snd_ctl_ext_callback_t callbacks = {
    .close = on_close,
    .elem_count = on_elem_count,
    .elem_list = on_elem_list,
    .find_elem = on_find_elem,
    .get_attribute = on_get_attribute,
    .get_integer_info = on_get_integer_info,
    .read_integer = on_read_integer,
    .write_integer = on_write_integer,
    .get_enumerated_info = on_get_enumerated_info,
    .get_enumerated_name = on_get_enumerated_name,
    .read_enumerated = on_read_enumerated,
    .write_enumerated = on_write_enumerated,
    .read_event = on_read_event,
};

static const char *text_of(snd_config_t *conf, const char *field) {
    snd_config_t *node;
    const char *text = NULL;
    if (snd_config_search(conf, field, &node) >= 0) snd_config_get_string(node, &text);
    return text;
}

static long number_of(snd_config_t *conf, const char *field, long otherwise) {
    snd_config_t *node;
    long number = otherwise;
    if (snd_config_search(conf, field, &node) >= 0) snd_config_get_integer(node, &number);
    return number;
}

static bool watch(struct card *card, int fd) {
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(card->ext.poll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static int open_jack(struct card *card, const char *source) {
    if (source == NULL) return 0;
    // For writing too: else the FIFO would be readable without end once the first writer has closed.
    card->jack_fifo = open(source, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    return card->jack_fifo >= 0 && watch(card, card->jack_fifo) ? 0 : -errno;
}

static int open_volume(struct card *card, enum side side, const char *volume) {
    if (volume == NULL) return 0;
    struct mixer_state state;
    if (!mixer_state_read(volume, &state)) return -ENODEV;
    int fd = card->watch[side] = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd < 0 || inotify_add_watch(fd, volume, IN_MODIFY) < 0) return -errno;
    card->volume[side] = strdup(volume);
    if (card->volume[side] == NULL) return -ENOMEM;
    return watch(card, fd) ? 0 : -errno;
}

static void describe(snd_ctl_ext_t *ext) {
    ext->version = SND_CTL_EXT_VERSION;
    ext->callback = &callbacks;
    ext->tlv.p = GAIN_RANGE;
    snprintf(ext->id, sizeof ext->id, "swiped");
    snprintf(ext->driver, sizeof ext->driver, "swiped");
    snprintf(ext->name, sizeof ext->name, "swiped virtual sound card");
    snprintf(ext->longname, sizeof ext->longname, "swiped virtual sound card");
    snprintf(ext->mixername, sizeof ext->mixername, "swiped");
}

SND_CTL_PLUGIN_DEFINE_FUNC(swiped) {
    (void)root;
    const char *source = text_of(conf, "source"), *volume = text_of(conf, "volume"), *gain = text_of(conf, "gain");
    const char *choice = text_of(conf, "choice");
    if (source == NULL && volume == NULL && gain == NULL) return -EINVAL;
    struct card *card = calloc(1, sizeof *card);
    if (card == NULL) return -ENOMEM;
    card->jack_fifo = card->watch[PLAYED] = card->watch[RECORDED] = card->watch[CHOSEN] = -1;
    card->loudest = number_of(conf, "loudest", MIXER_LOUDEST);
    card->ext.private_data = card;
    describe(&card->ext);
    card->ext.poll_fd = epoll_create1(EPOLL_CLOEXEC);
    int error = card->ext.poll_fd < 0 ? -errno : open_jack(card, source);
    if (error >= 0) error = open_volume(card, PLAYED, volume);
    if (error >= 0) error = open_volume(card, RECORDED, gain);
    if (error >= 0) error = open_volume(card, CHOSEN, choice);
    if (error >= 0) error = snd_ctl_ext_create(&card->ext, name, mode);
    if (error < 0) {
        release(card);
        return error;
    }
    *handlep = card->ext.handle;
    return 0;
}
SND_CTL_PLUGIN_SYMBOL(swiped);
