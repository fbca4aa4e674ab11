// A control device with one element, the boolean "Mic Jack" that a sound card's driver shows.
//
//     ctl.NAME { type swiped  source "/path/to/fifo" }      '1' written to the FIFO plugs in, '0' pulls out
#define _GNU_SOURCE
#include "virtual_sound_card.h"

#include <alsa/asoundlib.h>
#include <alsa/control_external.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

static const char ELEMENT[] = "Mic Jack";
enum { ELEMENT_KEY = 1 };

struct jack {
    snd_ctl_ext_t ext;
    bool is_in;
    unsigned unread_events;
};

// Takes what was written. Each change is one event, so that a quick out-and-in is two.
static void listen_to_source(struct jack *jack) {
    char c;
    while (read(jack->ext.poll_fd, &c, 1) == 1) {
        if ((c != '0' && c != '1') || (c == '1') == jack->is_in) continue;
        jack->is_in = c == '1';
        jack->unread_events++;
    }
}

static void on_close(snd_ctl_ext_t *ext) {
    close(ext->poll_fd);
    free(ext->private_data);
}

static int on_elem_count(snd_ctl_ext_t *ext) {
    (void)ext;
    return 1;
}

static int on_elem_list(snd_ctl_ext_t *ext, unsigned offset, snd_ctl_elem_id_t *id) {
    (void)ext, (void)offset;
    snd_ctl_elem_id_set_interface(id, SND_CTL_ELEM_IFACE_CARD);
    snd_ctl_elem_id_set_name(id, ELEMENT);
    return 0;
}

static snd_ctl_ext_key_t on_find_elem(snd_ctl_ext_t *ext, const snd_ctl_elem_id_t *id) {
    (void)ext;
    bool is_ours = snd_ctl_elem_id_get_numid(id) == 1 || strcmp(snd_ctl_elem_id_get_name(id), ELEMENT) == 0;
    return is_ours ? ELEMENT_KEY : SND_CTL_EXT_KEY_NOT_FOUND;
}

static int on_get_attribute(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, int *type, unsigned *access, unsigned *count) {
    (void)ext, (void)key;
    *type = SND_CTL_ELEM_TYPE_BOOLEAN;
    *access = SND_CTL_EXT_ACCESS_READ;
    *count = 1;
    return 0;
}

static int on_read_integer(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *value) {
    (void)key;
    struct jack *jack = ext->private_data;
    listen_to_source(jack);
    *value = jack->is_in;
    return 0;
}

static int on_read_event(snd_ctl_ext_t *ext, snd_ctl_elem_id_t *id, unsigned *mask) {
    struct jack *jack = ext->private_data;
    listen_to_source(jack);
    if (jack->unread_events == 0) return -EAGAIN;
    jack->unread_events--;
    on_elem_list(ext, 0, id);
    *mask = SND_CTL_EVENT_MASK_VALUE;
    return 1;
}

static const snd_ctl_ext_callback_t callbacks = {
    .close = on_close,
    .elem_count = on_elem_count,
    .elem_list = on_elem_list,
    .find_elem = on_find_elem,
    .get_attribute = on_get_attribute,
    .read_integer = on_read_integer,
    .read_event = on_read_event,
};

static const char *source_of(snd_config_t *conf) {
    snd_config_t *node;
    const char *source = NULL;
    if (snd_config_search(conf, "source", &node) >= 0) snd_config_get_string(node, &source);
    return source;
}

SND_CTL_PLUGIN_DEFINE_FUNC(swiped) {
    (void)root;
    const char *source = source_of(conf);
    if (source == NULL) return -EINVAL;
    struct jack *jack = calloc(1, sizeof *jack);
    if (jack == NULL) return -ENOMEM;
    // For writing too: else the FIFO would be readable without end once the first writer has closed.
    jack->ext.poll_fd = open(source, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (jack->ext.poll_fd < 0) {
        int error = errno;
        free(jack);
        return -error;
    }
    jack->ext.version = SND_CTL_EXT_VERSION;
    jack->ext.callback = &callbacks;
    jack->ext.private_data = jack;
    snprintf(jack->ext.id, sizeof jack->ext.id, "swiped");
    snprintf(jack->ext.driver, sizeof jack->ext.driver, "swiped");
    snprintf(jack->ext.name, sizeof jack->ext.name, "swiped virtual sound card");
    snprintf(jack->ext.longname, sizeof jack->ext.longname, "swiped virtual sound card");
    snprintf(jack->ext.mixername, sizeof jack->ext.mixername, "swiped");
    int error = snd_ctl_ext_create(&jack->ext, name, mode);
    if (error < 0) {
        close(jack->ext.poll_fd);
        free(jack);
        return error;
    }
    *handlep = jack->ext.handle;
    return 0;
}
SND_CTL_PLUGIN_SYMBOL(swiped);
