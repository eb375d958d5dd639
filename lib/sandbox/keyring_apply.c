/* SPDX-License-Identifier: Apache-2.0 */
/* The container's session keyring. */
#include "keyring_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "keyring.h"
#include "procfs.h"
#include "role.h"

/* KEY_USR_SEARCH of the kernel's permission word: an exec'd process of the same user may find and join the keyring. */
#define USER_MAY_SEARCH 0x00080000U
#define NAME_SIZE       1040 /* "_ses." and the longest container id */

/* The label of keyrings made from now on; "" ends it. */
static int set_create_label(const struct procfs *procfs, const char *label, struct error *err)
{
    autoclose int fd = procfs_openat(procfs, "self/attr/keycreate", O_WRONLY);
    if (fd < 0)
        return err_sys(err, fd, "keyring: open the label of new keys");
    ssize_t n = kernel_write(fd, label, strlen(label));
    if (n < 0)
        return err_sys(err, (int)n, "keyring: set the label of new keys");
    return 0;
}

static int join(const char *container_id, struct error *err)
{
    char name[NAME_SIZE];
    int len = snprintf(name, sizeof(name), "_ses.%s", container_id);
    if (len < 0 || (size_t)len >= sizeof(name))
        return err_set(err, ENAMETOOLONG, "keyring: container id too long");
    int serial = kernel_keyring_join(name);
    if (serial == -ENOSYS)
        return 0;
    if (serial == -EDQUOT)
        return err_sys(
            err, serial, "keyring: join (the user's quota of keys; see --no-new-keyring)");
    if (serial < 0)
        return err_sys(err, serial, "keyring: join");
    int r = kernel_keyring_allow(serial, USER_MAY_SEARCH);
    return r < 0 ? err_sys(err, r, "keyring: permit search") : 0;
}

int keyring_apply(
    const struct procfs *procfs, const char *container_id, const char *label, struct error *err)
{
    role_require(ROLE_INIT);
    if (label == NULL)
        return join(container_id, err);
    int r = set_create_label(procfs, label, err);
    if (r == 0)
        r = join(container_id, err);
    if (r == 0)
        r = set_create_label(procfs, "", err);
    return r;
}
