// pipeecho FIFO SOCKET
//
// The least that a daemon could do: what comes through a FIFO goes to one client of a socket, as it is. One thread, two
// calls for each report. What it needs is the machine's.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listen_at(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0) return -1;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0) return -1;
    return listen(listener, 1) == 0 ? listener : -1;
}

int main(int count, char **words) {
    static char buffer[65536];
    if (count != 3) {
        fputs("usage: pipeecho FIFO SOCKET\n", stderr);
        return 2;
    }
    int listener = listen_at(words[2]);
    int client = listener < 0 ? -1 : accept(listener, NULL, NULL);
    int source = client < 0 ? -1 : open(words[1], O_RDONLY | O_CLOEXEC);
    if (source < 0) {
        perror("pipeecho");
        return 1;
    }
    for (;;) {
        ssize_t length = read(source, buffer, sizeof buffer);
        if (length <= 0) return length == 0 ? 0 : 1;
        if (send(client, buffer, length, MSG_NOSIGNAL) != length) return 1;
    }
}
