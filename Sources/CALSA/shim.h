#pragma once
#include <alsa/asoundlib.h>

// libasound prints its errors to stderr; what matters of them comes back as a result. The handler is variadic, so
// Swift cannot write it.
static void calsa_ignore_message(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

static inline void calsa_silence(void) { snd_lib_error_set_handler(calsa_ignore_message); }
