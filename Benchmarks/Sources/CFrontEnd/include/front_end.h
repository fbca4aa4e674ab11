// The decoder's always-on front end once more, in C: what the Swift one is measured against.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct front_end front_end;

front_end *front_end_create(int sample_rate);
void front_end_destroy(front_end *);
// Takes the next samples; returns how often the gate opened.
int front_end_process(front_end *, const int16_t *samples, size_t count);
