/* SPDX-License-Identifier: Apache-2.0 */
/* update: other limits for a running container. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "cleanup.h"
#include "command.h"
#include "control.h"
#include "err.h"
#include "file.h"
#include "oci_config.h"
#include "oci_config_check.h"
#include "oci_config_parse.h"
#include "parse_num.h"
#include "strv.h"

#define RESOURCES_BYTES_MAX (1U << 20)

/* As written; the document (-r) comes first, an option wins over it. */
struct update_texts {
    const char *resources;
    const char *cpu_period;
    const char *cpu_quota;
    const char *cpu_burst;
    const char *cpu_share;
    const char *cpu_idle;
    const char *memory;
    const char *memory_reservation;
    const char *memory_swap;
    const char *pids_limit;
    const char *blkio_weight;
};

static int number_set(const char *name, const char *text, int64_t min, bool *ret_has, int64_t *ret, struct error *err)
{
    if (!text)
        return 0;
    if (parse_i64(text, strlen(text), min, INT64_MAX, ret) < 0)
        return err_set(err, EINVAL, "update: --%s %s: not a number from %lld on", name, text, (long long)min);
    *ret_has = true;
    return 0;
}

static int unsigned_set(const char *name, const char *text, bool *ret_has, uint64_t *ret, struct error *err)
{
    if (!text)
        return 0;
    if (parse_u64(text, strlen(text), UINT64_MAX, ret) < 0)
        return err_set(err, EINVAL, "update: --%s %s: not a number", name, text);
    *ret_has = true;
    return 0;
}

/* Bytes, 512m, or -1 for no limit. */
static int size_set(const char *name, const char *text, bool *ret_has, int64_t *ret, struct error *err)
{
    uint64_t bytes;

    if (!text)
        return 0;
    if (str_eq(text, "-1"))
        *ret = OCI_UNLIMITED;
    else if (parse_size(text, &bytes) == 0 && bytes <= INT64_MAX)
        *ret = (int64_t)bytes;
    else
        return err_set(err, EINVAL, "update: --%s %s: not bytes, a size as 512m, or -1", name, text);
    *ret_has = true;
    return 0;
}

static int weight_set(const char *text, struct oci_block_io *io, struct error *err)
{
    if (!text)
        return 0;
    if (parse_u32(text, 1000, &io->weight) < 0)
        return err_set(err, EINVAL, "update: --blkio-weight %s: not a number from 10 to 1000", text);
    io->has_weight = true;
    return 0;
}

static int document_read(struct arena *arena, const char *path, struct oci_resources *ret, struct error *err)
{
    autofree char *text = NULL;
    struct oci_resources *parsed;
    size_t len;
    bool is_stdin = str_eq(path, "-");
    int r = is_stdin ? file_read_fd(STDIN_FILENO, RESOURCES_BYTES_MAX, &text, &len)
                     : file_read(AT_FDCWD, path, RESOURCES_BYTES_MAX, &text, &len);

    if (r < 0)
        return err_sys(err, r, "update: --resources %s: cannot read", path);
    if (oci_resources_parse(arena, is_stdin ? "standard input" : path, text, len, &parsed, err) < 0)
        return -err->code;
    *ret = *parsed;
    ret->n_devices = 0; /* see control.h */
    return 0;
}

/* Zero of these means absent, as in a document (oci_config.h): engines send it for what is not to change. */
static void zeros_drop(struct oci_resources *r)
{
    r->cpu.has_period = r->cpu.has_period && r->cpu.period != 0;
    r->cpu.has_quota = r->cpu.has_quota && r->cpu.quota != 0;
    r->cpu.has_shares = r->cpu.has_shares && r->cpu.shares != 0;
    r->memory.has_limit = r->memory.has_limit && r->memory.limit != 0;
    r->memory.has_reservation = r->memory.has_reservation && r->memory.reservation != 0;
    r->memory.has_swap = r->memory.has_swap && r->memory.swap != 0;
    r->block_io.has_weight = r->block_io.has_weight && r->block_io.weight != 0;
}

static int texts_apply(struct arena *arena, const struct update_texts *t, struct oci_resources *r, struct error *err)
{
    struct oci_cpu *cpu = &r->cpu;
    struct oci_memory *memory = &r->memory;

    if (t->resources && document_read(arena, t->resources, r, err) < 0)
        return -err->code;
    if (unsigned_set("cpu-period", t->cpu_period, &cpu->has_period, &cpu->period, err) < 0 ||
        number_set("cpu-quota", t->cpu_quota, -1, &cpu->has_quota, &cpu->quota, err) < 0 ||
        unsigned_set("cpu-burst", t->cpu_burst, &cpu->has_burst, &cpu->burst, err) < 0 ||
        unsigned_set("cpu-share", t->cpu_share, &cpu->has_shares, &cpu->shares, err) < 0 ||
        number_set("cpu-idle", t->cpu_idle, 0, &cpu->has_idle, &cpu->idle, err) < 0 ||
        size_set("memory", t->memory, &memory->has_limit, &memory->limit, err) < 0 ||
        size_set("memory-reservation", t->memory_reservation, &memory->has_reservation, &memory->reservation, err) <
            0 ||
        size_set("memory-swap", t->memory_swap, &memory->has_swap, &memory->swap, err) < 0 ||
        number_set("pids-limit", t->pids_limit, -1, &r->pids.has_limit, &r->pids.limit, err) < 0 ||
        weight_set(t->blkio_weight, &r->block_io, err) < 0)
        return -err->code;
    zeros_drop(r);
    if (oci_resources_check(r, err) < 0)
        return -err->code;
    return oci_resources_unsupported(r, err);
}

int cmd_update(const struct command_context *context, const struct command *self, int argc, char **argv)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct oci_resources resources = { 0 };
    struct update_texts t = { 0 };
    const char *cpus = NULL;
    const char *mems = NULL;
    struct error err = ERR_INIT;
    int first;
    int status;
    const struct arg_option table[] = {
        { "resources", 'r', ARG_STRING, "FILE", "linux.resources as JSON; - is standard input", &t.resources },
        { "memory", 0, ARG_STRING, "BYTES", "memory limit; -1 lifts it", &t.memory },
        { "memory-reservation", 0, ARG_STRING, "BYTES", "memory that is left alone", &t.memory_reservation },
        { "memory-swap", 0, ARG_STRING, "BYTES", "memory and swap together", &t.memory_swap },
        { "cpu-period", 0, ARG_STRING, "USEC", "CPU period", &t.cpu_period },
        { "cpu-quota", 0, ARG_STRING, "USEC", "CPU time a period; -1 lifts it", &t.cpu_quota },
        { "cpu-burst", 0, ARG_STRING, "USEC", "CPU time above the quota", &t.cpu_burst },
        { "cpu-share", 0, ARG_STRING, "N", "CPU weight, as shares", &t.cpu_share },
        { "cpu-idle", 0, ARG_STRING, "N", "1: only when nothing else runs", &t.cpu_idle },
        { "cpuset-cpus", 0, ARG_STRING, "LIST", "CPUs", &cpus },
        { "cpuset-mems", 0, ARG_STRING, "LIST", "memory nodes", &mems },
        { "pids-limit", 0, ARG_STRING, "N", "processes; -1 lifts it", &t.pids_limit },
        { "blkio-weight", 0, ARG_STRING, "N", "weight of block I/O", &t.blkio_weight },
        { 0 },
    };

    if (!command_options(self, table, argc, argv, 1, 1, &first, &status))
        return status;
    if (texts_apply(&arena, &t, &resources, &err) < 0)
        return command_fail(&err);
    if (cpus)
        resources.cpu.cpus = cpus;
    if (mems)
        resources.cpu.mems = mems;
    if (container_update(context->root, argv[first], &resources, &err) < 0)
        return command_fail(&err);
    return EXIT_SUCCESS;
}
