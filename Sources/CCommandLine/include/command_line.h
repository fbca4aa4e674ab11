// What a program finds at its start, also where /proc is not mounted: its words, and whether it can go on.
#pragma once

// How many there are, the program's own name counted.
int command_line_count(void);

// One of them, 0 being the program's own name; they last as long as the program.
const char *command_line_word(int index);

// The environment, which Swift has as a variable that any thread may change.
char **command_line_environment(void);

// Ends the program with one sentence and this status where /proc is not there, or shows the processes of another PID namespace.
// Whatever begins a task calls it first.
void process_needs_proc(const char *program, int status);
