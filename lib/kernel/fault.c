/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: the fault table of dev builds. Counter and log live in shared mappings: they outlast
   fork, pivot_root and close_range. */
#include "fault.h"

#ifdef RUNA_FAULT_TABLE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#include "parse_num.h"
#include "role.h"

#define LOG_RECORDS_MAX  8192U
#define LOG_RECORD_BYTES 256U
#define NAME_BYTES_MAX   40U
#define PLACES_MAX       20
#define ERRNO_MAX        134
#define ACTION_KILL      (-1)

/* Of the linker: the program's first byte, the end of its code. */
extern const char __executable_start; /* NOLINT(bugprone-reserved-identifier) */
extern const char etext;

struct counters {
    atomic_ulong n_calls;
    atomic_ulong n_counted; /* of the order's role and name */
};

static struct {
    bool is_ready;
    struct counters *counters; /* NULL: neither fault nor log is asked for */
    char *log;
    unsigned long nth; /* of the calls that count; 0: no order */
    char role[NAME_BYTES_MAX]; /* "": of any */
    char name[NAME_BYTES_MAX]; /* "": of any */
    int error; /* or ACTION_KILL */
} table;

static int action_by_name(const char *text)
{
    if (strcmp(text, "KILL") == 0)
        return ACTION_KILL;
    uint32_t number = 0;
    if (parse_u32(text, ERRNO_MAX - 1, &number) == 0 && number > 0)
        return (int)number;
    for (int error = 1; error < ERRNO_MAX; error++) {
        const char *name = strerrorname_np(error);
        if (name && strcmp(name, text) == 0)
            return error;
    }
    return EIO;
}

static unsigned long count_of(const char *text)
{
    uint64_t count = 0;
    if (parse_u64(text, strlen(text), ULONG_MAX, &count) < 0)
        abort(); /* a test's mistake must not look like a run without faults */
    return count;
}

/* See the header. */
static void read_order(const char *order)
{
    char text[128];
    (void)snprintf(text, sizeof(text), "%s", order);
    char *first = strchr(text, '/');
    if (first) {
        *first++ = '\0';
        (void)snprintf(table.role, sizeof(table.role), "%.39s", text);
    } else {
        first = text;
    }
    char *second = strchr(first, ':');
    if (second)
        *second++ = '\0';
    if (first[0] >= '0' && first[0] <= '9') {
        table.nth = count_of(first);
        table.error = second ? action_by_name(second) : EIO;
        return;
    }
    char *third = second ? strchr(second, ':') : NULL;
    if (third)
        *third++ = '\0';
    (void)snprintf(table.name, sizeof(table.name), "%.39s", first);
    table.error = second ? action_by_name(second) : EIO;
    table.nth = third ? count_of(third) : 1;
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

/* The places that led here, by frame pointers, as far as they lie in the program itself. */
__attribute__((no_sanitize("address", "undefined"))) static void put_places(
    char *out, size_t size, const uintptr_t *frame)
{
    uintptr_t start = (uintptr_t)&__executable_start;
    size_t used = 0;
    for (int i = 0; i < PLACES_MAX && used < size; i++) {
        uintptr_t place = frame[1];
        if (place < start || place >= (uintptr_t)&etext)
            break;
        /* One byte back: into the call, not behind it. */
        int n = snprintf(out + used, size - used, " %zx", (size_t)(place - start - 1));
        if (n < 0 || (size_t)n >= size - used) {
            out[used] = '\0';
            break;
        }
        used += (size_t)n;
        frame = (const uintptr_t *)frame[0]; /* NOLINT(performance-no-int-to-ptr) */
    }
}

static void log_call(unsigned long nth, const char *name, bool is_hit, const uintptr_t *frame)
{
    if (!table.log || nth > LOG_RECORDS_MAX)
        return;
    char places[LOG_RECORD_BYTES - 64] = "";
    char record[LOG_RECORD_BYTES] = "";
    put_places(places, sizeof(places), frame);
    (void)snprintf(record, sizeof(record), "%lu %.24s %.12s%s%s\n", nth, name, role_name(),
        is_hit ? " !" : "", places);
    memcpy(table.log + (nth - 1) * LOG_RECORD_BYTES, record, sizeof(record));
}

static bool is_hit(const char *name)
{
    if (table.nth == 0 || (table.role[0] != '\0' && strcmp(table.role, role_name()) != 0) ||
        (table.name[0] != '\0' && strcmp(table.name, name) != 0))
        return false;
    return atomic_fetch_add(&table.counters->n_counted, 1) + 1 == table.nth;
}

int kernel_fault(const char *name)
{
    if (!table.is_ready)
        set_up();
    if (!table.counters)
        return 0;
    unsigned long nth = atomic_fetch_add(&table.counters->n_calls, 1) + 1;
    bool hit = is_hit(name);
    log_call(nth, name, hit, __builtin_frame_address(0));
    if (!hit)
        return 0;
    (void)unsetenv("RUNA_FAULT");
    (void)unsetenv("RUNA_FAULT_LOG");
    if (table.error == ACTION_KILL) {
        (void)raise(SIGKILL);
        _exit(128 + SIGKILL); /* the first process of a PID namespace is immune to itself */
    }
    return -table.error;
}
#endif
