// Descriptors along with bytes, for which the macros of cmsg(3) are needed.
#pragma once
#include <stddef.h>

// Sends the bytes, with `count` copies of standard input's descriptor.
long fuzz_send_with_descriptors(int socket, const void *bytes, size_t size, int count);
