/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: writes such a file. */
#include "root_file_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "file.h"
#include "mount_internal.h"
#include "role.h"
#include "root.h"
#include "root_file.h"

#define ROOT_FILE_MODE 0644

int root_file_apply(const struct root *root, const struct root_file *file, struct error *err)
{
    const char *name = NULL;

    role_require(ROLE_INIT);
    autoclose int dirfd = mount_parent_open(root, file->path, &name, err);
    if (dirfd < 0)
        return dirfd;
    int r = kernel_unlinkat(dirfd, name, 0);
    if (r < 0 && r != -ENOENT)
        return err_sys(err, r, "%s: cannot take the image's away", file->path);
    autoclose int fd = kernel_openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, ROOT_FILE_MODE);
    r = fd < 0 ? fd : file_write_all(fd, file->text, strlen(file->text));
    return r < 0 ? err_sys(err, r, "%s: cannot write the sandbox's own", file->path) : 0;
}
