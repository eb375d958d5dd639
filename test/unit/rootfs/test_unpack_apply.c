/* SPDX-License-Identifier: Apache-2.0 */
/* What runa-unpack may do while it reads a stranger's bytes, seen from outside; limits of time and size. */
#include <signal.h>
#include <time.h>

#include "id_range.h"
#include "image_lab.h"
#include "namespace.h"
#include "procfs.h"
#include "unpack_apply.h"

#define FIRST      700000U
#define CAPS_LAYER "000000008000001b" /* CHOWN, DAC_OVERRIDE, FOWNER, FSETID, SETFCAP */
#define CAPS_NONE  "0000000000000000"

static struct lab lab;

struct bench {
    struct procfs procfs;
    char map[ID_RANGE_MAP_SIZE];
    int userns;
    int place;
    int tree;
    int program;
    int in[2];
};

static void bench_open(struct bench *b)
{
    const uint32_t first = FIRST;
    struct overlay_plan plan;
    lab_open(&lab);
    *b = (struct bench){ .procfs = PROCFS_INIT, .tree = -1 };
    ck_assert_int_eq(procfs_open_host(&b->procfs), 0);
    id_range_map(FIRST, b->map);
    b->userns = namespace_new_user(&b->procfs, b->map, b->map);
    ck_assert_int_eq(mkdirat(lab.dir, "u", 0700), 0);
    b->place = openat(lab.dir, "u", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_eq(overlay_plan_build(&lab.arena, NULL, 0, "u", &first, false, &plan, &lab.err), 0);
    ck_assert_int_eq(overlay_apply(&plan, NULL, b->place, b->userns, &b->tree, &lab.err), 0);
    b->program = open(lab.program, O_PATH | O_CLOEXEC);
    ck_assert_int_eq(pipe2(b->in, O_CLOEXEC), 0);
}

static void bench_close(struct bench *b)
{
    procfs_done(&b->procfs);
    (void)close(b->userns);
    (void)close(b->place);
    (void)close(b->tree);
    (void)close(b->program);
    lab_close(&lab);
}

static int bench_run(const struct bench *b, bool is_layer, int timeout_ms, struct unpack_result *ret)
{
    const struct unpack_task task = {
        .program_fd = b->program,
        .in_fd = b->in[0],
        .tree_fd = b->tree,
        .is_layer = is_layer,
        .map = b->map,
        .procfs = &b->procfs,
        .timeout_ms = timeout_ms,
    };
    lab.err = (struct error)ERR_INIT;
    return unpack_apply(&task, ret, &lab.err);
}

/* --- looking at the child --- */

static bool status_field(pid_t pid, const char *field, char *ret, size_t size)
{
    char path[64], text[4096];
    (void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (n <= 0)
        return false;
    text[n] = '\0';
    char *at = strstr(text, field);
    if (at == NULL)
        return false;
    at += strlen(field) + 1;
    at += strspn(at, " \t");
    size_t len = strcspn(at, "\n");
    len = len < size - 1 ? len : size - 1;
    memcpy(ret, at, len);
    ret[len] = '\0';
    return true;
}

static unsigned children_of(pid_t parent, pid_t *ret, unsigned max)
{
    unsigned n = 0;
    DIR *proc = opendir("/proc");
    char want[16], have[64];
    (void)snprintf(want, sizeof(want), "%d", (int)parent);
    for (struct dirent *entry; n < max && (entry = readdir(proc)) != NULL;) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (*end == '\0' && status_field((pid_t)pid, "\nPPid:", have, sizeof(have)) && strcmp(have, want) == 0)
            ret[n++] = (pid_t)pid;
    }
    (void)closedir(proc);
    return n;
}

static void expect_status(pid_t pid, const char *field, const char *value)
{
    char have[256];
    ck_assert(status_field(pid, field, have, sizeof(have)));
    ck_assert_msg(strcmp(have, value) == 0, "%s is %s, not %s", field + 1, have, value);
}

static unsigned count_in(pid_t pid, const char *what)
{
    char path[64];
    unsigned n = 0;
    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
    DIR *directory = opendir(path);
    ck_assert_ptr_nonnull(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        n += entry->d_name[0] != '.';
    (void)closedir(directory);
    return n;
}

/* n_fds: the pipes and the channel, and for those with a tree its root twice */
static void expect_confined(pid_t pid, const char *caps, unsigned n_fds)
{
    static const char *const namespaces[] = { "user", "mnt", "pid", "net", "ipc", "uts", "cgroup" };
    expect_status(pid, "\nUid:", "700000\t700000\t700000\t700000");
    expect_status(pid, "\nGid:", "700000\t700000\t700000\t700000");
    expect_status(pid, "\nGroups:", "");
    expect_status(pid, "\nCapEff:", caps);
    expect_status(pid, "\nCapPrm:", caps);
    expect_status(pid, "\nCapBnd:", CAPS_NONE);
    expect_status(pid, "\nCapInh:", CAPS_NONE);
    expect_status(pid, "\nCapAmb:", CAPS_NONE);
    expect_status(pid, "\nNoNewPrivs:", "1");
    expect_status(pid, "\nSeccomp:", "2");
    for (size_t i = 0; i < ARRAY_SIZE(namespaces); i++) {
        char path[64], mine[64] = "", its[64] = "";
        (void)snprintf(path, sizeof(path), "/proc/self/ns/%s", namespaces[i]);
        ck_assert_int_gt((int)readlink(path, mine, sizeof(mine) - 1), 0);
        (void)snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, namespaces[i]);
        ck_assert_int_gt((int)readlink(path, its, sizeof(its) - 1), 0);
        ck_assert_msg(strcmp(mine, its) != 0, "%s namespace is shared", namespaces[i]);
    }
    char path[64], text[4096];
    (void)snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)pid);
    autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, text, sizeof(text));
    ck_assert_int_gt((int)n, 0);
    ck_assert_ptr_eq(memchr(text, '\n', (size_t)n), text + n - 1); /* one mount */
    ck_assert_uint_eq(count_in(pid, "root"), 0);
    ck_assert_uint_le(count_in(pid, "fd"), n_fds);
}

/* Starts a run in a process of its own, feeds the bytes, waits until its children have put their filters on. */
static pid_t run_in_background(
    struct bench *b, bool is_layer, const void *data, size_t len, pid_t *ret_children, unsigned n_children)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct unpack_result result;
        (void)close(b->in[1]);
        _exit(bench_run(b, is_layer, 30000, &result) == 0 ? 0 : 1);
    }
    ck_assert_int_eq((int)write(b->in[1], data, len), (int)len);
    for (unsigned i = 0; i < 500; i++) {
        unsigned n = children_of(pid, ret_children, n_children);
        unsigned n_ready = 0;
        char have[64];
        for (unsigned k = 0; k < n; k++)
            n_ready += status_field(ret_children[k], "\nSeccomp:", have, sizeof(have)) && strcmp(have, "2") == 0;
        if (n_ready == n_children)
            return pid;
        (void)nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    ck_abort_msg("the unpacker did not get ready");
}

static int background_end(struct bench *b, pid_t pid)
{
    int status = 0;
    (void)close(b->in[1]);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    (void)close(b->in[0]);
    return WEXITSTATUS(status);
}

START_TEST(layer_is_read_by_a_confined_process)
{
    struct bench b;
    pid_t child = 0;
    struct buf tar = BUF_INIT;
    tar_file(&tar, "f", "text");
    tar_end(&tar);
    bench_open(&b);
    pid_t pid = run_in_background(&b, true, tar.data, 100, &child, 1);
    expect_confined(child, CAPS_LAYER, 6);
    ck_assert_int_eq((int)write(b.in[1], tar.data + 100, tar.len - 100), (int)(tar.len - 100));
    ck_assert_int_eq(background_end(&b, pid), 0);
    ck_assert_str_eq(lab_read(&lab, b.tree, "f"), "text");
    buf_done(&tar);
    bench_close(&b);
}
END_TEST

START_TEST(archive_is_read_without_any_capability)
{
    struct bench b;
    pid_t child = 0;
    struct buf tar = BUF_INIT;
    tar_add(&tar, &(struct tar_item){ .name = ".wh.f", .mode = 06777, .uid = 7, .data = "text", .len = 4 });
    tar_end(&tar);
    bench_open(&b);
    pid_t pid = run_in_background(&b, false, tar.data, 100, &child, 1);
    expect_confined(child, CAPS_NONE, 6);
    ck_assert_int_eq((int)write(b.in[1], tar.data + 100, tar.len - 100), (int)(tar.len - 100));
    ck_assert_int_eq(background_end(&b, pid), 0);
    struct stat s = lab_stat(b.tree, ".wh.f"); /* only a name, and nothing of its attributes */
    ck_assert_uint_eq(s.st_mode & 07777, 0600);
    ck_assert_uint_eq(s.st_uid, FIRST);
    buf_done(&tar);
    bench_close(&b);
}
END_TEST

START_TEST(decompressor_is_confined_and_has_no_tree)
{
    struct bench b;
    pid_t children[2] = { 0, 0 };
    bench_open(&b);
    pid_t pid = run_in_background(&b, true, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", 10, children, 2);
    char have[64];
    ck_assert(status_field(children[0], "\nCapEff:", have, sizeof(have)));
    bool is_first_layer = strcmp(have, CAPS_LAYER) == 0;
    expect_confined(children[is_first_layer ? 0 : 1], CAPS_LAYER, 6);
    expect_confined(children[is_first_layer ? 1 : 0], CAPS_NONE, 4);
    ck_assert_int_eq(background_end(&b, pid), 1);
    bench_close(&b);
}
END_TEST

START_TEST(unpackers_die_with_the_parent)
{
    struct bench b;
    pid_t child = 0;
    struct buf tar = BUF_INIT;
    tar_file(&tar, "f", "text");
    bench_open(&b);
    pid_t pid = run_in_background(&b, true, tar.data, 100, &child, 1);
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    (void)background_end(&b, pid);
    char have[64];
    bool is_gone = false;
    for (unsigned i = 0; i < 300 && !is_gone; i++) {
        is_gone = !status_field(child, "\nState:", have, sizeof(have)) || have[0] == 'Z';
        (void)nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    ck_assert(is_gone);
    buf_done(&tar);
    bench_close(&b);
}
END_TEST

START_TEST(stream_that_stalls_ends_in_time)
{
    struct bench b;
    struct unpack_result result;
    bench_open(&b);
    ck_assert_int_eq((int)write(b.in[1], "12345", 5), 5);
    ck_assert_int_eq(bench_run(&b, true, 300, &result), -ETIMEDOUT);
    (void)close(b.in[0]);
    (void)close(b.in[1]);
    bench_close(&b);
}
END_TEST

START_TEST(result_has_digests_of_what_went_through)
{
    struct bench b;
    struct unpack_result result;
    struct buf tar = BUF_INIT;
    char digest[DIGEST_TEXT_SIZE];
    tar_file(&tar, "f", "text");
    tar_end(&tar);
    buf_puts(&tar, "behind the end");
    bench_open(&b);
    ck_assert_int_eq((int)write(b.in[1], tar.data, tar.len), (int)tar.len);
    (void)close(b.in[1]);
    ck_assert_msg(bench_run(&b, true, 30000, &result) == 0, "%s", lab.err.text);
    (void)close(b.in[0]);
    lab_digest(&tar, digest);
    ck_assert_str_eq(result.stored_digest, digest);
    ck_assert_str_eq(result.plain_digest, digest);
    ck_assert_uint_eq(result.plain_bytes, tar.len);
    ck_assert_uint_eq(result.report.n_entries, 1);
    ck_assert_uint_eq(result.report.n_bytes, 4);
    buf_done(&tar);
    bench_close(&b);
}
END_TEST

int main(void)
{
    if (lab_cannot_run("unpack_apply"))
        return LAB_SKIPPED;
    const TTest *const tests[] = { layer_is_read_by_a_confined_process, archive_is_read_without_any_capability,
        decompressor_is_confined_and_has_no_tree, unpackers_die_with_the_parent, stream_that_stalls_ends_in_time,
        result_has_digests_of_what_went_through };
    return unit_run("unpack_apply", tests, sizeof(tests) / sizeof(tests[0]));
}
