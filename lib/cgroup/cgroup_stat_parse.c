/* SPDX-License-Identifier: Apache-2.0 */
/* Text of control files → numbers. */
#include "cgroup_stat_parse.h"

#include <errno.h>
#include <string.h>

#include "arena.h"
#include "cleanup.h"
#include "parse_num.h"

/* A key of a text and where its value goes; a key that the kernel does not have leaves 0. */
struct stat_key {
    const char *name;
    uint64_t *value;
};

int cgroup_flat_get(const char *text, const char *key, uint64_t *ret)
{
    size_t key_len = strlen(key);

    for (const char *line = text; *line != '\0';) {
        size_t len = strcspn(line, "\n");
        if (len > key_len && memcmp(line, key, key_len) == 0 && line[key_len] == ' ') {
            const char *value = line + key_len + 1;
            return parse_u64(value, len - key_len - 1, UINT64_MAX, ret) < 0 ? -EINVAL : 0;
        }
        line += len;
        line += *line == '\n';
    }
    return -ENOENT;
}

static int keys_get(const char *text, const struct stat_key *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t value = 0;
        int r = cgroup_flat_get(text, keys[i].name, &value);
        if (r < 0 && r != -ENOENT)
            return r;
        *keys[i].value = value;
    }
    return 0;
}

int cgroup_value_parse(const char *text, uint64_t *ret)
{
    size_t len = strcspn(text, "\n");

    if (text[len] != '\0' && text[len + 1] != '\0')
        return -EINVAL;
    if (len == 3 && memcmp(text, "max", 3) == 0) {
        *ret = CGROUP_MAX;
        return 0;
    }
    return parse_u64(text, len, UINT64_MAX - 1, ret) < 0 ? -EINVAL : 0;
}

int cgroup_events_parse(const char *text, struct cgroup_events *ret)
{
    uint64_t populated = 0;
    uint64_t frozen = 0;
    int r = cgroup_flat_get(text, "populated", &populated);

    if (r == 0)
        r = cgroup_flat_get(text, "frozen", &frozen);
    if (r < 0 || populated > 1 || frozen > 1)
        return -EINVAL;
    *ret = (struct cgroup_events){ .is_populated = populated == 1, .is_frozen = frozen == 1 };
    return 0;
}

int cgroup_cpu_stat_parse(const char *text, struct cgroup_cpu_stat *ret)
{
    struct cgroup_cpu_stat stat = { 0 };
    const struct stat_key keys[] = {
        { "usage_usec", &stat.usage_usec },
        { "user_usec", &stat.user_usec },
        { "system_usec", &stat.system_usec },
        { "nr_periods", &stat.n_periods },
        { "nr_throttled", &stat.n_throttled },
        { "throttled_usec", &stat.throttled_usec },
    };
    int r = keys_get(text, keys, ARRAY_SIZE(keys));

    if (r == 0)
        *ret = stat;
    return r;
}

int cgroup_memory_events_parse(const char *text, struct cgroup_memory_events *ret)
{
    struct cgroup_memory_events events = { 0 };
    const struct stat_key keys[] = {
        { "low", &events.low },
        { "high", &events.high },
        { "max", &events.max },
        { "oom", &events.oom },
        { "oom_kill", &events.oom_kill },
    };
    int r = keys_get(text, keys, ARRAY_SIZE(keys));

    if (r == 0)
        *ret = events;
    return r;
}

static int u32_parse(const char *text, size_t len, uint32_t *ret)
{
    uint64_t value = 0;

    if (parse_u64(text, len, UINT32_MAX, &value) < 0)
        return -EINVAL;
    *ret = (uint32_t)value;
    return 0;
}

/* "rbytes=12" */
static int io_pair_parse(const char *pair, size_t len, struct cgroup_io_stat *stat)
{
    const struct stat_key keys[] = {
        { "rbytes", &stat->read_bytes },
        { "wbytes", &stat->written_bytes },
        { "rios", &stat->n_reads },
        { "wios", &stat->n_writes },
    };
    const char *sign = memchr(pair, '=', len);

    if (sign == NULL)
        return -EINVAL;
    size_t key_len = (size_t)(sign - pair);
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (strlen(keys[i].name) == key_len && memcmp(keys[i].name, pair, key_len) == 0)
            return parse_u64(sign + 1, len - key_len - 1, UINT64_MAX, keys[i].value) < 0 ? -EINVAL
                                                                                         : 0;
    return 0;
}

/* "8:0 rbytes=1 wbytes=2 …" */
static int io_line_parse(const char *line, size_t len, struct cgroup_io_stat *ret)
{
    const char *end = line + len;
    const char *colon = memchr(line, ':', len);
    if (colon == NULL)
        return -EINVAL;
    const char *blank = memchr(colon, ' ', (size_t)(end - colon));
    const char *minor_end = blank != NULL ? blank : end;

    if (u32_parse(line, (size_t)(colon - line), &ret->major) < 0 ||
        u32_parse(colon + 1, (size_t)(minor_end - colon - 1), &ret->minor) < 0)
        return -EINVAL;
    for (const char *pair = minor_end; pair < end;) {
        pair++; /* the blank */
        const char *pair_end = memchr(pair, ' ', (size_t)(end - pair));
        if (pair_end == NULL)
            pair_end = end;
        if (pair_end > pair) {
            int r = io_pair_parse(pair, (size_t)(pair_end - pair), ret);
            if (r < 0)
                return r;
        }
        pair = pair_end;
    }
    return 0;
}

int cgroup_io_stat_parse(
    struct arena *arena, const char *text, struct cgroup_io_stat **ret, size_t *ret_n)
{
    size_t n_lines = 0;
    size_t n = 0;

    for (const char *c = text; *c != '\0'; c++)
        n_lines += *c == '\n' || c[1] == '\0';
    if (n_lines > CGROUP_IO_DEVICES_MAX)
        return -EINVAL;
    struct cgroup_io_stat *stats = arena_new_array(arena, n_lines + 1, struct cgroup_io_stat);
    for (const char *line = text; *line != '\0';) {
        size_t len = strcspn(line, "\n");
        /* A device without activity since it was turned off has a line of its number and a blank
         * alone. */
        if (len > 0) {
            int r = io_line_parse(line, len, &stats[n]);
            if (r < 0)
                return r;
            n++;
        }
        line += len;
        line += *line == '\n';
    }
    *ret = stats;
    *ret_n = n;
    return 0;
}
