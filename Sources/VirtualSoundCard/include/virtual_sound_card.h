// A sound card of software, as plugins of libasound: a PCM for capture and playback, and a control with a jack and a
// volume.
//
// Nothing is called through this header. libasound loads the library by the configuration
//
//     pcm_type.swiped { lib "/path/to/libasound_module_pcm_swiped.so" }
//     pcm.NAME { type swiped  source "/path/to/fifo"  sink "/path/to/fifo" }
//     ctl_type.swiped { lib "/path/to/libasound_module_pcm_swiped.so" }
//     ctl.NAME { type swiped  source "/path/to/jack-fifo"  volume "/path/to/file" }
//
// and looks for the symbols _snd_pcm_swiped_open and _snd_ctl_swiped_open.
#pragma once
