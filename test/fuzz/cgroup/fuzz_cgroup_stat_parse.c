/* SPDX-License-Identifier: Apache-2.0 */
/* Every parser of control files on the same text. */
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "cgroup_stat_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = ARENA_INIT;
    const char *text = arena_strndup(&arena, (const char *)data, size);
    struct cgroup_events events;
    struct cgroup_cpu_stat cpu;
    struct cgroup_memory_events memory;
    struct cgroup_io_stat *io = NULL;
    size_t n_io = 0;
    uint64_t value = 0;

    (void)cgroup_value_parse(text, &value);
    (void)cgroup_events_parse(text, &events);
    (void)cgroup_cpu_stat_parse(text, &cpu);
    (void)cgroup_memory_events_parse(text, &memory);
    if (cgroup_io_stat_parse(&arena, text, &io, &n_io) == 0)
        for (size_t i = 0; i < n_io; i++)
            value += io[i].read_bytes; /* read, so that a sanitizer sees it */
    arena_done(&arena);
    return 0;
}
