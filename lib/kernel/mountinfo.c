/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: read mountinfo. */
#include "mountinfo.h"

#include <fcntl.h>
#include <stdbool.h>

#include "cleanup.h"
#include "file.h"
#include "kernel_internal.h"
#include "parse_num.h"

#define FIELDS_FIXED 6 /* id parent major:minor root target options */

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* "\040" to " ", in place. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && is_octal(from[2]) &&
            is_octal(from[3])) {
            *to++ = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
            from += 4;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

static char *next_field(char **at)
{
    char *start = *at;
    if (*start == '\0')
        return NULL;
    char *end = strchr(start, ' ');
    if (end) {
        *end = '\0';
        *at = end + 1;
    } else {
        *at = start + strlen(start);
    }
    return start;
}

static int parse_device(char *text, struct mountinfo *ret)
{
    uint32_t major, minor;
    char *colon = strchr(text, ':');
    if (!colon)
        return -EINVAL;
    *colon = '\0';
    if (parse_u32(text, UINT32_MAX, &major) < 0 || parse_u32(colon + 1, UINT32_MAX, &minor) < 0)
        return -EINVAL;
    ret->major = major;
    ret->minor = minor;
    return 0;
}

/* The optional fields: everything up to " - ", which may be empty; leaves *at behind the dash. */
static char *take_optional(char **at)
{
    char *start = *at;
    if (start[0] == '-' && start[1] == ' ') {
        *at = start + 2;
        *start = '\0';
        return start;
    }
    char *dash = strstr(start, " - ");
    if (!dash)
        return NULL;
    *dash = '\0';
    *at = dash + 3;
    return start;
}

int mountinfo_parse_line(char *line, struct mountinfo *ret)
{
    char *at = line;
    char *fields[FIELDS_FIXED] = { NULL };
    for (size_t i = 0; i < FIELDS_FIXED; i++) {
        fields[i] = next_field(&at);
        if (!fields[i])
            return -EINVAL;
    }
    struct mountinfo mount = { 0 };
    if (parse_u64(fields[0], strlen(fields[0]), UINT64_MAX, &mount.id) < 0 ||
        parse_u64(fields[1], strlen(fields[1]), UINT64_MAX, &mount.parent) < 0 ||
        parse_device(fields[2], &mount) < 0)
        return -EINVAL;
    char *optional = take_optional(&at);
    if (!optional)
        return -EINVAL;
    char *type = next_field(&at);
    char *source = next_field(&at);
    if (!type || !source)
        return -EINVAL;
    char *super_options = at;
    char *escaped[] = { fields[3], fields[4], type, source, super_options };
    for (size_t i = 0; i < ARRAY_SIZE(escaped); i++)
        unescape(escaped[i]);
    mount.root = fields[3];
    mount.target = fields[4];
    mount.options = fields[5];
    mount.fields = optional;
    mount.type = type;
    mount.source = source;
    mount.super_options = super_options;
    *ret = mount;
    return 0;
}

int mountinfo_each(int pid_dirfd, mountinfo_each_fn *each, void *context)
{
    autofree char *text = NULL;
    int r = file_read(pid_dirfd, "mountinfo", MOUNTINFO_BYTES_MAX, &text, NULL);
    if (r < 0)
        return r;
    for (char *line = text; *line != '\0';) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        struct mountinfo mount;
        r = mountinfo_parse_line(line, &mount);
        if (r == 0)
            r = each(&mount, context);
        if (r != 0)
            return r;
        if (!end)
            break;
        line = end + 1;
    }
    return 0;
}
