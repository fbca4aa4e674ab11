#include "fuzzing_socket.h"

#include <string.h>
#include <sys/socket.h>

long fuzz_send_with_descriptors(int socket, const void *bytes, size_t size, int count) {
    int descriptors[64] = {0};
    if (count > 64) count = 64;
    char control[CMSG_SPACE(sizeof descriptors)];
    memset(control, 0, sizeof control);
    struct iovec vector = {.iov_base = (void *)bytes, .iov_len = size};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control,
                             .msg_controllen = CMSG_SPACE(sizeof(int) * count)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(header), descriptors, sizeof(int) * count);
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}
