/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: the fault table of dev builds. Counter and log live in shared mappings: they outlast
   fork, pivot_root and close_range. */
#include "fault.h"

#ifdef RUNA_FAULT_TABLE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "role.h"

#define LOG_RECORDS_MAX  8192U
#define LOG_RECORD_BYTES 48U
#define NAME_BYTES_MAX   40U
#define ERRNO_MAX        134

struct counters {
    atomic_ulong n_calls;
    atomic_ulong n_named;
};

static struct {
    bool is_ready;
    struct counters *counters; /* NULL: neither fault nor log is asked for */
    char *log;
    unsigned long nth; /* of all calls, or of the named one */
    char name[NAME_BYTES_MAX];
    int error;
} table;

static int error_by_name(const char *text)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (end != text && *end == '\0' && number > 0 && number < ERRNO_MAX)
        return (int)number;
    for (int error = 1; error < ERRNO_MAX; error++) {
        const char *name = strerrorname_np(error);
        if (name && strcmp(name, text) == 0)
            return error;
    }
    return EIO;
}

/* "N[:ERRNO]" or "NAME:ERRNO[:K]" */
static void read_order(const char *order)
{
    char text[128];
    (void)snprintf(text, sizeof(text), "%s", order);
    char *second = strchr(text, ':');
    if (second)
        *second++ = '\0';
    if (text[0] >= '0' && text[0] <= '9') {
        table.nth = strtoul(text, NULL, 10);
        table.error = second ? error_by_name(second) : EIO;
        return;
    }
    char *third = second ? strchr(second, ':') : NULL;
    if (third)
        *third++ = '\0';
    (void)snprintf(table.name, sizeof(table.name), "%.39s", text);
    table.error = second ? error_by_name(second) : EIO;
    table.nth = third ? strtoul(third, NULL, 10) : 1;
}

static char *map_log(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        abort();
    if (ftruncate(fd, (off_t)LOG_RECORDS_MAX * LOG_RECORD_BYTES) < 0)
        abort();
    void *log = mmap(NULL, (size_t)LOG_RECORDS_MAX * LOG_RECORD_BYTES, PROT_READ | PROT_WRITE,
        MAP_SHARED, fd, 0);
    (void)close(fd);
    if (log == MAP_FAILED)
        abort();
    return log;
}

static void set_up(void)
{
    table.is_ready = true;
    const char *order = getenv("RUNA_FAULT");
    const char *log_path = getenv("RUNA_FAULT_LOG");
    if (!order && !log_path)
        return;
    if (order)
        read_order(order);
    if (log_path)
        table.log = map_log(log_path);
    void *page = mmap(
        NULL, sizeof(struct counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        abort();
    table.counters = page;
}

void kernel_fault_reset(void)
{
    if (table.counters)
        (void)munmap(table.counters, sizeof(struct counters));
    if (table.log)
        (void)munmap(table.log, (size_t)LOG_RECORDS_MAX * LOG_RECORD_BYTES);
    memset(&table, 0, sizeof(table));
}

static void log_call(unsigned long nth, const char *name)
{
    if (!table.log || nth > LOG_RECORDS_MAX)
        return;
    char record[LOG_RECORD_BYTES + 1];
    (void)snprintf(record, sizeof(record), "%lu %.24s %.12s\n", nth, name, role_name());
    memcpy(table.log + (nth - 1) * LOG_RECORD_BYTES, record, strlen(record));
}

int kernel_fault(const char *name)
{
    if (!table.is_ready)
        set_up();
    if (!table.counters)
        return 0;
    unsigned long nth = atomic_fetch_add(&table.counters->n_calls, 1) + 1;
    log_call(nth, name);
    if (table.name[0] != '\0') {
        if (strcmp(table.name, name) != 0)
            return 0;
        nth = atomic_fetch_add(&table.counters->n_named, 1) + 1;
    }
    return nth == table.nth ? -table.error : 0;
}
#endif
