/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: bring an interface up. */
#include "netif.h"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "cleanup.h"
#include "kernel_internal.h"
#include "socket_call.h"

int netif_up(const char *name)
{
    struct ifreq request = { 0 };
    size_t len = strlen(name);
    if (len == 0 || len >= sizeof(request.ifr_name))
        return -EINVAL;
    memcpy(request.ifr_name, name, len);
    autoclose int fd = kernel_socket(AF_INET, SOCK_DGRAM, 0);
    if (fd < 0)
        return fd;
    KERNEL_CALL("netif_up");
    if (ioctl(fd, SIOCGIFFLAGS, &request) < 0)
        return -errno;
    if (request.ifr_flags & IFF_UP)
        return 0;
    request.ifr_flags |= IFF_UP;
    return kernel_result(ioctl(fd, SIOCSIFFLAGS, &request));
}
