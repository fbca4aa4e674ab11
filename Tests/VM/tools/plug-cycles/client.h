// A client of the daemon that hears all events.
#pragma once
#include <stdbool.h>

// Whether there is a connection now, and a subscription under way.
bool client_meet(const char *path);

bool client_ask(const char *line);

// The next line from the daemon, without its end, until the next call; NULL when none comes in time.
char *client_line(void);
