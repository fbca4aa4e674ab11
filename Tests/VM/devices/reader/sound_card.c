#include "reader.h"

// A USB sound card with a microphone and nothing else (USB Audio 1.0): one channel of 16 bits at 48 kHz. It is there and can be
// opened; no sound comes from it.
static const uint8_t configuration[] = {
    9, 2, 100, 0, 2, 1, 0, 0x80, 50,               // 100 bytes in all, two interfaces
    9, 4, 0, 0, 0, 1, 1, 0, 0,                     // audio control
    9, 0x24, 1, 0x00, 0x01, 30, 0, 1, 1,           //   its header: interface 1 streams
    12, 0x24, 2, 1, 0x01, 0x02, 0, 1, 0, 0, 0, 0,  //   terminal 1: a microphone
    9, 0x24, 3, 2, 0x01, 0x01, 0, 1, 0,            //   terminal 2: the host, from terminal 1
    9, 4, 1, 0, 0, 1, 2, 0, 0,                     // streaming, while nobody listens
    9, 4, 1, 1, 1, 1, 2, 0, 0,                     // streaming
    7, 0x24, 1, 2, 1, 0x01, 0x00,                  //   from terminal 2, PCM
    11, 0x24, 2, 1, 1, 2, 16, 1, 0x80, 0xBB, 0x00, //   one channel, 2 bytes, 16 bits, 48,000 Hz
    9, 5, 0x81, 0x05, 100, 0, 1, 0, 0,             //   isochronous
    7, 0x25, 1, 0, 0, 0, 0,
};

const struct model sound_card = {
    .name = "sound-card", .manufacturer = "Somebody", .product = "USB Audio Device", .vendor = 0x1209, .number = 0x0004,
    .configuration = configuration, .configuration_length = sizeof configuration,
    .receive = receive_nothing, .give = give_nothing,
};
