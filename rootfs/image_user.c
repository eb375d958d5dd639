/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: users of an image, by its own files, never by the host's. */
#include "image_user.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "arena.h"
#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "file.h"
#include "root.h"
#include "user_parse.h"

/* The text of a file of the image, "" when it has none. Its last component may not be a link: it leads where the image
 * says. */
static int image_file_read(struct arena *arena, const struct root *root, const char *path,
    struct user_file *ret, struct error *err)
{
    *ret = (struct user_file){ NULL, 0 };
    autoclose int fd = root_resolve(root, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fd == -ENOENT || fd == -ENOTDIR)
        return 0;
    struct stat status;
    int rc = fd < 0 ? fd : kernel_fstat(fd, &status);
    if (rc == 0 && !S_ISREG(status.st_mode))
        return err_set(err, EINVAL, "the image's %s: not a regular file", path);
    autofree char *text = NULL;
    size_t len = 0;
    if (rc == 0)
        rc = file_read_fd(fd, USER_FILE_SIZE_MAX, &text, &len);
    if (rc < 0)
        return err_sys(err, rc, "the image's %s", path);
    *ret = (struct user_file){ arena_strndup(arena, text, len), len };
    return 0;
}

int image_user_find(
    struct arena *arena, const struct root *root, const char *spec, struct user *ret, struct error *err)
{
    struct user_file passwd;
    struct user_file group;
    int rc = image_file_read(arena, root, "etc/passwd", &passwd, err);
    if (rc == 0)
        rc = image_file_read(arena, root, "etc/group", &group, err);
    return rc == 0 ? user_parse(arena, spec, &passwd, &group, ret, err) : rc;
}
