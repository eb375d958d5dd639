/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: session keyrings. */
#include "keyring.h"

#include <sys/syscall.h>

#include <linux/keyctl.h>

#include "kernel_internal.h"

int kernel_keyring_join(const char *name)
{
    KERNEL_CALL("keyring_join");
    return kernel_result(syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, name));
}

int kernel_keyring_allow(int serial, uint32_t mask)
{
    KERNEL_CALL("keyring_allow");
    char text[512]; /* type, owner, permissions; then a name of up to 255 bytes */
    long n = syscall(SYS_keyctl, KEYCTL_DESCRIBE, serial, text, sizeof(text));
    if (n < 0)
        return -errno;
    if ((size_t)n > sizeof(text))
        return -ENAMETOOLONG;
    unsigned permissions;
    if (sscanf(text, "%*[^;];%*[^;];%*[^;];%x;", &permissions) != 1)
        return -EINVAL;
    return kernel_result(syscall(SYS_keyctl, KEYCTL_SETPERM, serial, permissions | mask));
}
