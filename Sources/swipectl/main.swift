// Replaced by the program's first real file.
