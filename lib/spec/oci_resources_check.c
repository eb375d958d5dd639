/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of linux.resources that need no hierarchy to see. */
#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "err.h"
#include "oci_check_internal.h"
#include "oci_config.h"
#include "oci_config_check.h"

#define FIELD          "linux.resources."
#define WEIGHT_MIN     10 /* config-linux.md "Block IO" */
#define WEIGHT_MAX     1000
#define SWAPPINESS_MAX 100

static int device_rules_check(const struct oci_resources *resources, struct error *err)
{
    for (size_t i = 0; i < resources->n_devices; i++) {
        const char *access_ = resources->devices[i].access_;
        if (access_ && strspn(access_, "rwm") != strlen(access_))
            return oci_fault(
                err, access_, "has other letters than rwm", FIELD "devices[%zu].access", i);
    }
    return 0;
}

static int memory_check(const struct oci_memory *memory, struct error *err)
{
    const struct {
        const char *field;
        int64_t value;
    } limits[] = {
        { "limit", memory->limit },
        { "reservation", memory->reservation },
        { "swap", memory->swap },
        { "kernel", memory->kernel },
        { "kernelTCP", memory->kernel_tcp },
    };

    for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
        if (limits[i].value < OCI_UNLIMITED)
            return oci_fault(err, NULL, "less than -1", FIELD "memory.%s", limits[i].field);
    }
    if (memory->swappiness > SWAPPINESS_MAX)
        return oci_fault(err, NULL, "larger than 100", FIELD "memory.swappiness");
    return 0;
}

/* "0-3,7" */
static bool is_cpu_list(const char *list)
{
    return !list || strspn(list, "0123456789,-\n ") == strlen(list);
}

static int cpu_check(const struct oci_cpu *cpu, struct error *err)
{
    if (!is_cpu_list(cpu->cpus))
        return oci_fault(err, cpu->cpus, "is no list like 0-3,7", FIELD "cpu.cpus");
    if (!is_cpu_list(cpu->mems))
        return oci_fault(err, cpu->mems, "is no list like 0-3,7", FIELD "cpu.mems");
    if (cpu->quota < OCI_UNLIMITED)
        return oci_fault(err, NULL, "less than -1", FIELD "cpu.quota");
    if (cpu->idle != 0 && cpu->idle != 1)
        return oci_fault(err, NULL, "neither 0 nor 1", FIELD "cpu.idle");
    return 0;
}

static bool weight_is_wrong(bool has_weight, uint32_t weight)
{
    return has_weight && (weight < WEIGHT_MIN || weight > WEIGHT_MAX);
}

static int block_io_check(const struct oci_block_io *io, struct error *err)
{
    if (weight_is_wrong(io->has_weight, io->weight))
        return oci_fault(err, NULL, "not from 10 to 1000", FIELD "blockIO.weight");
    if (weight_is_wrong(io->has_leaf_weight, io->leaf_weight))
        return oci_fault(err, NULL, "not from 10 to 1000", FIELD "blockIO.leafWeight");
    for (size_t i = 0; i < io->n_weight_device; i++) {
        const struct oci_weight_device *device = &io->weight_device[i];
        if (weight_is_wrong(device->has_weight, device->weight) ||
            weight_is_wrong(device->has_leaf_weight, device->leaf_weight))
            return oci_fault(
                err, NULL, "a weight is not from 10 to 1000", FIELD "blockIO.weightDevice[%zu]", i);
    }
    return 0;
}

/* "2MB", "64KB": the size becomes a part of a file's name. */
static bool is_page_size(const char *size)
{
    if (!size)
        return false;
    size_t digits = strspn(size, "0123456789");
    const char *unit = size + digits;
    return digits > 0 && digits < 10 &&
           (strcmp(unit, "KB") == 0 || strcmp(unit, "MB") == 0 || strcmp(unit, "GB") == 0);
}

static int hugepages_check(const struct oci_resources *resources, struct error *err)
{
    for (size_t i = 0; i < resources->n_hugepage_limits; i++) {
        const char *size = resources->hugepage_limits[i].page_size;
        if (!is_page_size(size))
            return oci_fault(err, size, size ? "is no size like 2MB" : "missing",
                FIELD "hugepageLimits[%zu].pageSize", i);
    }
    return 0;
}

/* A plain word without a dot: engines know crun's text for it. */
static bool is_word(const char *key)
{
    size_t len = strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");

    return len > 0 && key[len] == '\0';
}

/* CONTROLLER.WHAT with the letters that cgroup files have. Of the cgroup core only the limits: its
 * other files move processes, kill or freeze. */
static bool is_unified_key(const char *key)
{
    if (strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._") !=
        strlen(key))
        return false;
    if (key[0] == '.' || !strchr(key, '.') || strstr(key, ".."))
        return false;
    return strncmp(key, "cgroup.", strlen("cgroup.")) != 0 ||
           strncmp(key, "cgroup.max.", strlen("cgroup.max.")) == 0;
}

static int unified_key_check(const char *key, struct error *err)
{
    if (is_word(key))
        return err_set(err, EINVAL, FIELD "unified: the specified key has not the form CONTROLLER.VALUE `%s`", key);
    return is_unified_key(key) ? 0 : oci_fault(err, key, "is no limit of a cgroup", FIELD "unified");
}

int oci_resources_check(const struct oci_resources *resources, struct error *err)
{
    int rc = device_rules_check(resources, err);
    if (rc == 0)
        rc = memory_check(&resources->memory, err);
    if (rc == 0)
        rc = cpu_check(&resources->cpu, err);
    if (rc == 0 && resources->pids.limit < OCI_UNLIMITED)
        rc = oci_fault(err, NULL, "less than -1", FIELD "pids.limit");
    if (rc == 0)
        rc = block_io_check(&resources->block_io, err);
    if (rc == 0)
        rc = hugepages_check(resources, err);
    for (size_t i = 0; rc == 0 && i < resources->n_unified; i++)
        rc = unified_key_check(resources->unified[i].key, err);
    return rc;
}
