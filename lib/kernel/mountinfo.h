/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The mounts of a process as /proc/PID/mountinfo lists them, one by one, octal escapes
 *          undone.
 * Runs in  any (parse is pure)
 * Trusts   sources, targets and options may hold any byte but NUL
 * Owns     strings point into the line and live as long as it does
 * Fails    -EINVAL a line that is not one; -EFBIG more than MOUNTINFO_BYTES_MAX
 * Source   proc_pid_mountinfo(5)
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define MOUNTINFO_BYTES_MAX (16U << 20)

struct mountinfo {
    uint64_t id;
    uint64_t parent;
    unsigned major;
    unsigned minor;
    const char *root;
    const char *target;
    const char *options;
    const char *fields; /* "shared:1 master:2", "" when there are none */
    const char *type;
    const char *source;
    const char *super_options;
};

/* Works in the line, which is changed; without its newline. */
int mountinfo_parse_line(char *line, struct mountinfo *ret);
/* Calls each for every mount until it returns other than 0, and returns that; 0 at the end.
   pid_dirfd from procfs.h. */
typedef int mountinfo_each_fn(const struct mountinfo *mount, void *context);
int mountinfo_each(int pid_dirfd, mountinfo_each_fn *each, void *context);
