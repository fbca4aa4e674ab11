#include "client.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PATIENCE_MILLISECONDS = 60000, MAXIMUM_LINE = 65536 };

static int server = -1;

bool client_ask(const char *line) {
    size_t length = strlen(line);
    return write(server, line, length) == (ssize_t)length;
}

bool client_meet(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return false;
    strcpy(address.sun_path, path);
    server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return server >= 0 && connect(server, (struct sockaddr *)&address, sizeof address) == 0 &&
           client_ask("{\"id\":1,\"method\":\"subscribe\"}\n");
}

char *client_line(void) {
    static char bytes[MAXIMUM_LINE];
    static size_t length, taken;
    memmove(bytes, bytes + taken, length -= taken);
    taken = 0;
    for (;;) {
        char *end = memchr(bytes, '\n', length);
        if (end != NULL) {
            *end = 0;
            taken = (size_t)(end - bytes) + 1;
            return bytes;
        }
        struct pollfd polled = {server, POLLIN, 0};
        if (length == sizeof bytes || poll(&polled, 1, PATIENCE_MILLISECONDS) != 1) return NULL;
        ssize_t count = read(server, bytes + length, sizeof bytes - length);
        if (count <= 0) return NULL;
        length += (size_t)count;
    }
}
