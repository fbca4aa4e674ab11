#include "pcm.h"
#include "virtual_sound_card.h"

SND_PCM_PLUGIN_DEFINE_FUNC(swiped) {
    (void)root;
    struct pcm_options options;
    int error = pcm_options_read(&options, conf);
    if (error < 0) return error;
    return stream == SND_PCM_STREAM_CAPTURE ? capture_pcm_open(pcmp, name, &options, mode)
                                            : playback_pcm_open(pcmp, name, &options, mode);
}
SND_PCM_PLUGIN_SYMBOL(swiped);
