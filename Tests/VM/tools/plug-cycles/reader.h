// One of the readers, and what a client of the daemon has heard of it.
#pragma once
#include <stdbool.h>

// A life, in the order in which a client hears of it: from NONE to READY once plugged in, to GONE once pulled out.
enum { NONE = 0, READY = 3, GONE = 6 };

struct reader {
    const char *id, *serial;
    const char *report, *shown;  // a swipe's file, and what its event shows of the card
    int commands;                // the pipe that takes its orders
    int heard, goal;             // steps of the present life: told of, and to be told of
    int swipes;                  // to be told of
    long attachment;             // the number of the present life; 0 before the first
};

// Whether its reader of software could be told.
bool reader_plug(struct reader *reader);
bool reader_pull(struct reader *reader, bool is_yanked);
bool reader_swipe(struct reader *reader);

// Whether all that was ordered has been told of.
bool reader_is_settled(const struct reader *reader);

// Takes an event of its life or a swipe; false, having said why, where another had to come.
bool reader_hear(struct reader *reader, const char *event, long attachment, const char *line);

// The number of its hidraw node; -1 for none.
int reader_node(const struct reader *reader);
