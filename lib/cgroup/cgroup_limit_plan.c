/* SPDX-License-Identifier: Apache-2.0 */
/* linux.resources → control files to write. One function for each object of the spec. */
#include "cgroup_limit_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cgroup_weight.h"
#include "cleanup.h"
#include "err.h"
#include "oci_config.h"
#include "strv.h"

#define CPU_PERIOD_DEFAULT_USEC 100000

static const char *const controller_names[CGROUP_CONTROLLERS] = {
    [CGROUP_CORE] = "cgroup",
    [CGROUP_CPUSET] = "cpuset",
    [CGROUP_CPU] = "cpu",
    [CGROUP_IO] = "io",
    [CGROUP_MEMORY] = "memory",
    [CGROUP_HUGETLB] = "hugetlb",
    [CGROUP_PIDS] = "pids",
    [CGROUP_RDMA] = "rdma",
    [CGROUP_MISC] = "misc",
    [CGROUP_DMEM] = "dmem",
};

/* The files of the core that are limits. All others move, kill or hand on processes, which is the
 * runtime's business. */
static const char *const core_limits[] = { "cgroup.max.depth", "cgroup.max.descendants",
    "cgroup.pressure" };

struct limit_builder {
    struct arena *arena;
    const struct cgroup_limits_now *now; /* NULL: new container */
    struct cgroup_limit_plan plan;
    size_t size;
    struct error *err;
};

const char *cgroup_controller_name(enum cgroup_controller controller)
{
    return controller_names[controller];
}

enum cgroup_controller cgroup_controller_find(const char *name, size_t len)
{
    for (enum cgroup_controller i = CGROUP_CORE; i < CGROUP_CONTROLLERS; i++)
        if (strlen(controller_names[i]) == len && memcmp(controller_names[i], name, len) == 0)
            return i;
    return CGROUP_CONTROLLERS;
}

static struct cgroup_write *write_add(struct limit_builder *b, enum cgroup_controller controller,
    const char *limit, const char *file, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static struct cgroup_write *write_add(struct limit_builder *b, enum cgroup_controller controller,
    const char *limit, const char *file, const char *format, ...)
{
    struct cgroup_limit_plan *plan = &b->plan;
    va_list ap;

    if (plan->n_writes == b->size) {
        size_t size = b->size == 0 ? 16 : 2 * b->size;
        struct cgroup_write *larger = arena_new_array(b->arena, size, struct cgroup_write);
        if (plan->n_writes > 0)
            memcpy(larger, plan->writes, plan->n_writes * sizeof(*larger));
        plan->writes = larger;
        b->size = size;
    }
    struct cgroup_write *write = &plan->writes[plan->n_writes++];
    va_start(ap, format);
    *write = (struct cgroup_write){
        .controller = controller,
        .limit = limit,
        .file = file,
        .value = arena_vprintf(b->arena, format, ap),
    };
    va_end(ap);
    if (controller != CGROUP_CORE)
        plan->controllers |= 1U << controller;
    return write;
}

static int refuse(struct limit_builder *b, const char *limit)
{
    return err_set(b->err, ENOTSUP, "linux.resources.%s: cgroup v2 has no such limit", limit);
}

/* A size, or -1 for none. */
static int size_check(struct limit_builder *b, const char *limit, int64_t value)
{
    if (value >= OCI_UNLIMITED)
        return 0;
    return err_set(
        b->err, EINVAL, "linux.resources.%s: %" PRId64 " is neither a limit nor -1", limit, value);
}

static void limit_add(struct limit_builder *b, enum cgroup_controller controller, const char *limit,
    const char *file, int64_t value)
{
    if (value == OCI_UNLIMITED)
        (void)write_add(b, controller, limit, file, "max");
    else
        (void)write_add(b, controller, limit, file, "%" PRId64, value);
}

/* --- memory --- */

static int memory_refuse(struct limit_builder *b, const struct oci_memory *memory)
{
    if (memory->has_kernel && memory->kernel != OCI_UNLIMITED)
        return refuse(b, "memory.kernel");
    if (memory->has_kernel_tcp && memory->kernel_tcp != OCI_UNLIMITED)
        return refuse(b, "memory.kernelTCP");
    /* 0 is what the spec's own example has, next to a swap limit that leaves no swap. */
    if (memory->has_swappiness && memory->swappiness != 0)
        return refuse(b, "memory.swappiness");
    if (memory->disable_oom_killer)
        return refuse(b, "memory.disableOOMKiller");
    return 0;
}

/* The spec counts memory and swap together, v2 swap alone. */
static int swap_plan(struct limit_builder *b, const struct oci_memory *memory)
{
    bool has_limit = memory->has_limit;
    int64_t limit = memory->limit;

    if (!memory->has_swap) {
        /* With an unlimited memory only, v1 had unlimited both; engines count on it. */
        if (has_limit && limit == OCI_UNLIMITED && b->now == NULL)
            write_add(b, CGROUP_MEMORY, "memory.limit", "memory.swap.max", "max")->kind =
                CGROUP_WRITE_IF_THERE;
        return 0;
    }
    if (memory->swap == OCI_UNLIMITED) {
        write_add(b, CGROUP_MEMORY, "memory.swap", "memory.swap.max", "max")->kind =
            CGROUP_WRITE_IF_THERE;
        return 0;
    }
    if (!has_limit && b->now != NULL && b->now->has_memory_max) {
        has_limit = true;
        limit = b->now->memory_max_bytes;
    }
    if (!has_limit || limit == OCI_UNLIMITED)
        return err_set(b->err, EINVAL,
            "linux.resources.memory.swap: counts memory too, and needs a memory.limit");
    if (memory->swap < limit)
        return err_set(b->err, EINVAL,
            "linux.resources.memory.swap: %" PRId64
            " counts memory too, and is below the memory limit %" PRId64,
            memory->swap, limit);
    struct cgroup_write *write = write_add(
        b, CGROUP_MEMORY, "memory.swap", "memory.swap.max", "%" PRId64, memory->swap - limit);
    if (memory->swap == limit)
        write->kind = CGROUP_WRITE_IF_NO_SWAP;
    return 0;
}

static int memory_plan(struct limit_builder *b, const struct oci_memory *memory)
{
    int r = memory_refuse(b, memory);

    if (r == 0)
        r = size_check(b, "memory.limit", memory->limit);
    if (r == 0)
        r = size_check(b, "memory.reservation", memory->reservation);
    if (r == 0)
        r = size_check(b, "memory.swap", memory->swap);
    if (r == 0)
        r = swap_plan(b, memory);
    if (r < 0)
        return r;
    if (memory->has_limit) {
        limit_add(b, CGROUP_MEMORY, "memory.limit", "memory.max", memory->limit);
        if (memory->check_before_update && b->now != NULL && memory->limit > 0)
            b->plan.memory_check_bytes = (uint64_t)memory->limit;
    }
    if (memory->has_reservation)
        limit_add(b, CGROUP_MEMORY, "memory.reservation", "memory.low", memory->reservation);
    return 0;
}

/* --- cpu --- */

static int cpu_check(struct limit_builder *b, const struct oci_cpu *cpu)
{
    if (cpu->has_realtime_runtime)
        return refuse(b, "cpu.realtimeRuntime");
    if (cpu->has_realtime_period)
        return refuse(b, "cpu.realtimePeriod");
    if (cpu->has_idle && cpu->idle != 0 && cpu->idle != 1)
        return err_set(
            b->err, EINVAL, "linux.resources.cpu.idle: %" PRId64 " is neither 0 nor 1", cpu->idle);
    return 0;
}

static void cpu_max_plan(struct limit_builder *b, const struct oci_cpu *cpu)
{
    const struct cgroup_limits_now *now = b->now;
    int64_t quota = cpu->quota;
    uint64_t period = cpu->has_period ? cpu->period : CPU_PERIOD_DEFAULT_USEC;

    if (!cpu->has_quota && !cpu->has_period)
        return;
    if (!cpu->has_quota)
        quota = now != NULL && now->has_cpu_max ? now->cpu_quota_usec : OCI_UNLIMITED;
    const char *limit = cpu->has_quota ? "cpu.quota" : "cpu.period";
    if (now != NULL && !cpu->has_period) /* the file keeps a period that is not named */
        limit_add(b, CGROUP_CPU, limit, "cpu.max", quota < 0 ? OCI_UNLIMITED : quota);
    else if (quota < 0)
        (void)write_add(b, CGROUP_CPU, limit, "cpu.max", "max %" PRIu64, period);
    else
        (void)write_add(b, CGROUP_CPU, limit, "cpu.max", "%" PRId64 " %" PRIu64, quota, period);
}

static int cpu_plan(struct limit_builder *b, const struct oci_cpu *cpu)
{
    int r = cpu_check(b, cpu);
    if (r < 0)
        return r;

    /* An idle cgroup takes no weight: leave idleness before, enter it behind. */
    if (cpu->has_idle && cpu->idle == 0)
        (void)write_add(b, CGROUP_CPU, "cpu.idle", "cpu.idle", "0");
    if (cpu->has_shares)
        (void)write_add(b, CGROUP_CPU, "cpu.shares", "cpu.weight", "%" PRIu64,
            cgroup_weight_of_shares(cpu->shares));
    if (cpu->has_idle && cpu->idle == 1)
        (void)write_add(b, CGROUP_CPU, "cpu.idle", "cpu.idle", "1");

    /* At no moment may burst be above quota: the kernel refuses either write then. */
    bool has_max = cpu->has_quota || cpu->has_period;
    if (b->now != NULL && cpu->has_burst && has_max)
        (void)write_add(b, CGROUP_CPU, "cpu.burst", "cpu.max.burst", "0");
    cpu_max_plan(b, cpu);
    if (cpu->has_burst)
        (void)write_add(b, CGROUP_CPU, "cpu.burst", "cpu.max.burst", "%" PRIu64, cpu->burst);
    return 0;
}

static int cpu_list_add(
    struct limit_builder *b, const char *limit, const char *file, const char *list)
{
    if (list == NULL)
        return 0;
    if (list[strspn(list, "0123456789,-:/ ")] != '\0')
        return err_set(b->err, EINVAL, "linux.resources.%s: not a list such as \"0-3,7\"", limit);
    (void)write_add(b, CGROUP_CPUSET, limit, file, "%s", list);
    return 0;
}

/* --- io --- */

static int io_weight_check(struct limit_builder *b, const char *limit, uint32_t weight)
{
    if (weight >= CGROUP_IO_WEIGHT_MIN && weight <= CGROUP_IO_WEIGHT_MAX)
        return 0;
    return err_set(
        b->err, EINVAL, "linux.resources.%s: %" PRIu32 " is not in 10 to 1000", limit, weight);
}

static int io_weight_plan(struct limit_builder *b, const struct oci_block_io *io)
{
    if (io->has_leaf_weight)
        return refuse(b, "blockIO.leafWeight");
    if (io->has_weight) {
        int r = io_weight_check(b, "blockIO.weight", io->weight);
        if (r < 0)
            return r;
        struct cgroup_write *write =
            write_add(b, CGROUP_IO, "blockIO.weight", "io.bfq.weight", "%" PRIu32, io->weight);
        write->else_file = "io.weight";
        write->else_value = arena_printf(b->arena, "%" PRIu32, cgroup_weight_of_io(io->weight));
    }
    for (size_t i = 0; i < io->n_weight_device; i++) {
        const struct oci_weight_device *device = &io->weight_device[i];
        if (device->has_leaf_weight && device->leaf_weight != 0)
            return refuse(b, "blockIO.weightDevice.leafWeight");
        if (!device->has_weight || device->weight == 0)
            continue;
        int r = io_weight_check(b, "blockIO.weightDevice.weight", device->weight);
        if (r < 0)
            return r;
        struct cgroup_write *write =
            write_add(b, CGROUP_IO, "blockIO.weightDevice", "io.bfq.weight",
                "%" PRIu32 ":%" PRIu32 " %" PRIu32, device->major, device->minor, device->weight);
        write->else_file = "io.weight";
        write->else_value = arena_printf(b->arena, "%" PRIu32 ":%" PRIu32 " %" PRIu32,
            device->major, device->minor, cgroup_weight_of_io(device->weight));
    }
    return 0;
}

static void throttle_plan(struct limit_builder *b, const char *limit, const char *key,
    const struct oci_throttle_device *devices, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t major = devices[i].major;
        uint32_t minor = devices[i].minor;
        if (devices[i].rate != 0)
            (void)write_add(b, CGROUP_IO, limit, "io.max", "%" PRIu32 ":%" PRIu32 " %s=%" PRIu64,
                major, minor, key, devices[i].rate);
        else if (b->now != NULL) /* lifts one that may be there */
            (void)write_add(
                b, CGROUP_IO, limit, "io.max", "%" PRIu32 ":%" PRIu32 " %s=max", major, minor, key);
    }
}

static int io_plan(struct limit_builder *b, const struct oci_block_io *io)
{
    int r = io_weight_plan(b, io);
    if (r < 0)
        return r;
    throttle_plan(b, "blockIO.throttleReadBpsDevice", "rbps", io->throttle_read_bps_device,
        io->n_throttle_read_bps_device);
    throttle_plan(b, "blockIO.throttleWriteBpsDevice", "wbps", io->throttle_write_bps_device,
        io->n_throttle_write_bps_device);
    throttle_plan(b, "blockIO.throttleReadIOPSDevice", "riops", io->throttle_read_iops_device,
        io->n_throttle_read_iops_device);
    throttle_plan(b, "blockIO.throttleWriteIOPSDevice", "wiops", io->throttle_write_iops_device,
        io->n_throttle_write_iops_device);
    return 0;
}

/* --- the others --- */

static int pids_plan(struct limit_builder *b, const struct oci_pids *pids)
{
    if (!pids->has_limit)
        return 0;
    int r = size_check(b, "pids.limit", pids->limit);
    if (r < 0)
        return r;
    limit_add(b, CGROUP_PIDS, "pids.limit", "pids.max", pids->limit);
    return 0;
}

/* "2MB": as the kernel names its files. */
static bool page_size_is_valid(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    return digits > 0 && digits <= 9 && text[0] != '0' &&
           (str_eq(text + digits, "KB") || str_eq(text + digits, "MB") ||
               str_eq(text + digits, "GB"));
}

static int hugepage_plan(struct limit_builder *b, const struct oci_hugepage_limit *limits, size_t n)
{
    const char *name = "hugepageLimits";

    for (size_t i = 0; i < n; i++) {
        const char *size = limits[i].page_size;
        if (size == NULL || !page_size_is_valid(size))
            return err_set(b->err, EINVAL,
                "linux.resources.hugepageLimits: pageSize is not a size such as \"2MB\"");
        const char *file = arena_printf(b->arena, "hugetlb.%s.max", size);
        (void)write_add(b, CGROUP_HUGETLB, name, file, "%" PRIu64, limits[i].limit);
        /* Reservations too: else a process that may reserve but not use is killed by SIGBUS on
         * first touch. */
        file = arena_printf(b->arena, "hugetlb.%s.rsvd.max", size);
        (void)write_add(b, CGROUP_HUGETLB, name, file, "%" PRIu64, limits[i].limit);
    }
    return 0;
}

static int rdma_plan(struct limit_builder *b, const struct oci_rdma *rdma, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct oci_rdma *device = &rdma[i];
        AUTO(buf) struct buf value = BUF_INIT;

        if (device->key == NULL || device->key[0] == '\0' || strpbrk(device->key, " \t\n=") != NULL)
            return err_set(b->err, EINVAL, "linux.resources.rdma: not the name of a device");
        if (device->has_hca_handles)
            buf_printf(&value, " hca_handle=%" PRIu32, device->hca_handles);
        if (device->has_hca_objects)
            buf_printf(&value, " hca_object=%" PRIu32, device->hca_objects);
        if (value.len > 0)
            (void)write_add(
                b, CGROUP_RDMA, "rdma", "rdma.max", "%s%s", device->key, buf_str(&value));
    }
    return 0;
}

static int network_refuse(struct limit_builder *b, const struct oci_network *network)
{
    if (network->has_class_id && network->class_id != 0)
        return refuse(b, "network.classID");
    if (network->n_priorities > 0)
        return refuse(b, "network.priorities");
    return 0;
}

static bool file_name_is_plain(const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                *c == '_' || *c == '-' || *c == '.'))
            return false;
    return name[0] != '\0';
}

static int unified_check(struct limit_builder *b, const char *file, enum cgroup_controller *ret)
{
    size_t len = strcspn(file, ".");

    if (!file_name_is_plain(file))
        return err_set(
            b->err, EINVAL, "linux.resources.unified: a key is not the name of a control file");
    enum cgroup_controller controller = cgroup_controller_find(file, len);
    if (controller == CGROUP_CONTROLLERS || file[len] != '.')
        return err_set(b->err, EINVAL,
            "linux.resources.unified: \"%s\": the requested cgroup controller `%.*s` is not available", file, (int)len,
            file);
    if (controller == CGROUP_CORE) {
        bool is_limit = false;
        for (size_t i = 0; i < ARRAY_SIZE(core_limits); i++)
            is_limit = is_limit || str_eq(file, core_limits[i]);
        if (!is_limit)
            return err_set(b->err, EINVAL, "linux.resources.unified: \"%s\" is not a limit", file);
    }
    *ret = controller;
    return 0;
}

/* One write for each line: the files with a line for each device take one at a time. */
static int unified_plan(struct limit_builder *b, const struct oci_pair *pair)
{
    enum cgroup_controller controller = CGROUP_CONTROLLERS;
    const char *limit = arena_printf(b->arena, "unified.%s", pair->key);
    int r = unified_check(b, pair->key, &controller);
    if (r < 0)
        return r;

    const char *line = pair->value;
    do {
        size_t len = strcspn(line, "\n");
        /* An empty value resets a cpuset; a write of no bytes would do nothing. */
        if (len > 0 || pair->value[0] == '\0')
            (void)write_add(
                b, controller, limit, pair->key, "%.*s%s", (int)len, line, len > 0 ? "" : "\n");
        line += len;
        line += *line == '\n';
    } while (*line != '\0');
    return 0;
}

/* clone3 into a cgroup counts against pids.max; no limit of 0 could ever be used if it were there
 * before init. */
static void late_mark(struct limit_builder *b)
{
    if (b->now != NULL)
        return;
    for (size_t i = 0; i < b->plan.n_writes; i++) {
        struct cgroup_write *write = &b->plan.writes[i];
        if (str_eq(write->file, "pids.max") && str_eq(write->value, "0")) {
            write->kind = CGROUP_WRITE_LATE;
            b->plan.has_late = true;
        }
    }
}

int cgroup_limit_plan(struct arena *arena, const struct oci_resources *resources,
    const struct cgroup_limits_now *now, struct cgroup_limit_plan *ret, struct error *err)
{
    struct limit_builder b = { .arena = arena, .now = now, .err = err };
    int r = memory_plan(&b, &resources->memory);

    if (r == 0)
        r = cpu_plan(&b, &resources->cpu);
    if (r == 0)
        r = cpu_list_add(&b, "cpu.cpus", "cpuset.cpus", resources->cpu.cpus);
    if (r == 0)
        r = cpu_list_add(&b, "cpu.mems", "cpuset.mems", resources->cpu.mems);
    if (r == 0)
        r = pids_plan(&b, &resources->pids);
    if (r == 0)
        r = io_plan(&b, &resources->block_io);
    if (r == 0)
        r = hugepage_plan(&b, resources->hugepage_limits, resources->n_hugepage_limits);
    if (r == 0)
        r = rdma_plan(&b, resources->rdma, resources->n_rdma);
    if (r == 0)
        r = network_refuse(&b, &resources->network);
    for (size_t i = 0; r == 0 && i < resources->n_unified; i++)
        r = unified_plan(&b, &resources->unified[i]);
    if (r < 0)
        return r;
    late_mark(&b);
    *ret = b.plan;
    return 0;
}

void cgroup_limit_plan_print(const struct cgroup_limit_plan *plan, struct buf *out)
{
    static const char *const kinds[] = {
        [CGROUP_WRITE_PLAIN] = "",
        [CGROUP_WRITE_IF_THERE] = " (where the file exists)",
        [CGROUP_WRITE_IF_NO_SWAP] = " (may be missing without swap)",
        [CGROUP_WRITE_LATE] = " (late)",
    };

    for (size_t i = 0; i < plan->n_writes; i++) {
        const struct cgroup_write *write = &plan->writes[i];
        buf_printf(out, "limit %s %s ", write->limit, write->file);
        buf_put_quoted(out, write->value, strlen(write->value));
        if (write->else_file != NULL) {
            buf_printf(out, " else %s ", write->else_file);
            buf_put_quoted(out, write->else_value, strlen(write->else_value));
        }
        buf_printf(out, "%s\n", kinds[write->kind]);
    }
    for (enum cgroup_controller i = CGROUP_CORE; i < CGROUP_CONTROLLERS; i++)
        if ((plan->controllers & (1U << i)) != 0)
            buf_printf(out, "controller %s\n", controller_names[i]);
    if (plan->memory_check_bytes > 0)
        buf_printf(out, "check memory.current %" PRIu64 "\n", plan->memory_check_bytes);
}
