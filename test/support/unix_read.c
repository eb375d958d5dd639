/* SPDX-License-Identifier: Apache-2.0 */
/* unix_read PATH: connects to the stream socket and copies what it says to standard output. */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    char bytes[256];
    ssize_t n;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    if (argc != 2 || fd < 0)
        return 2;
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", argv[1]);
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
        perror(argv[1]);
        return 1;
    }
    while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
        if (write(STDOUT_FILENO, bytes, (size_t)n) != n)
            return 1;
    }
    return n < 0;
}
