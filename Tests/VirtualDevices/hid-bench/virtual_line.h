// A USB serial adapter of software: a node, a name under /dev/serial/by-id that leads to it, and what udev says of both.
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <umockdev.h>

struct virtual_line;

// NULL where it could not be plugged in, having said why. `number` is ttyUSB's.
struct virtual_line *virtual_line_plug(UMockdevTestbed *testbed, unsigned slot, unsigned number, const char *name);

// What a program at the line reads next.
bool virtual_line_send(struct virtual_line *line, const guint8 *bytes, gsize length);

// `is_told_first`: udev's message comes before the hang-up.
void virtual_line_unplug(struct virtual_line *line, bool is_told_first);
