// The words that the program was started with.
#pragma once

// How many there are, the program's own name counted.
int command_line_count(void);

// One of them, 0 being the program's own name; they last as long as the program.
const char *command_line_word(int index);
