/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: children that unpack, and the pump that feeds them. */
#include "unpack_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "alloc.h"
#include "call.h"
#include "channel.h"
#include "cleanup.h"
#include "credential.h"
#include "deadline.h"
#include "err.h"
#include "kernel_const.h"
#include "namespace.h"
#include "process.h"
#include "process_call.h"
#include "procfs.h"
#include "role.h"
#include "signals.h"
#include "trace.h"

#define CHUNK_BYTES  (256U << 10)
#define EXIT_NOT_RUN 127
#define FD_FLOOR     16 /* above the numbers that runa-unpack expects */

/* --- a child --- */

struct unpacker {
    int pidfd; /* -1: not started */
    int channel;
};

#define UNPACKER_INIT                                                                              \
    {                                                                                              \
        .pidfd = -1, .channel = -1                                                                 \
    }

struct unpacker_files {
    int in;
    int out;  /* -1: none */
    int tree; /* -1: none */
    int null;
    int channel;
    int program;
};

static void unpacker_done(struct unpacker *unpacker)
{
    if (unpacker->pidfd >= 0)
        process_kill(unpacker->pidfd);
    cleanup_close(&unpacker->pidfd);
    cleanup_close(&unpacker->channel);
}

/* The descriptors at the numbers of unpack_order.h. They are moved up first, as one may sit where another belongs. */
static int files_place(const struct unpacker_files *files, int *ret_program)
{
    int wanted[UNPACK_FDS] = { files->in, files->out >= 0 ? files->out : files->null, files->null,
        files->channel, files->tree >= 0 ? files->tree : files->null };
    if (trace_is_on)
        wanted[2] = 2;
    int high[UNPACK_FDS];
    for (int i = 0; i < UNPACK_FDS; i++) {
        high[i] = kernel_dup_above(wanted[i], FD_FLOOR);
        if (high[i] < 0)
            return high[i];
    }
    *ret_program = kernel_dup_above(files->program, FD_FLOOR);
    for (int i = 0; i < UNPACK_FDS; i++) {
        int rc = kernel_dup3(high[i], i, 0);
        if (rc < 0)
            return rc;
    }
    return *ret_program < 0 ? *ret_program
                            : kernel_close_range(UNPACK_FDS, UINT_MAX, CLOSE_RANGE_CLOEXEC);
}

static _Noreturn void child_main(const struct unpacker_files *files, char *const *argv)
{
    role_set(ROLE_WORKER);
    struct channel_message go;
    int program = -1;
    int rc = kernel_set_pdeathsig(SIGKILL); /* until the ids change, which takes it away */
    if (rc == 0)
        rc = channel_recv(files->channel, CHANNEL_FOREVER, NULL, 0, &go);
    if (rc != 0 || go.type != UNPACK_GO)
        _exit(EXIT_NOT_RUN);
    rc = kernel_setgroups(0, NULL);
    if (rc == 0)
        rc = kernel_setresgid(0, 0, 0);
    if (rc == 0)
        rc = kernel_setresuid(0, 0, 0);
    if (rc == 0)
        rc = kernel_set_pdeathsig(SIGKILL);
    if (rc == 0)
        rc = signals_reset();
    if (rc == 0)
        rc = files_place(files, &program);
    char *const no_environment[] = { NULL };
    if (rc == 0)
        rc = kernel_execveat(program, "", argv, no_environment, AT_EMPTY_PATH);
    _exit(EXIT_NOT_RUN);
}

static int maps_write(const struct unpack_task *task, pid_t pid, int pidfd, struct error *err)
{
    autoclose int dir = procfs_open_pid(task->procfs, pid, pidfd);
    int rc = dir < 0 ? dir : namespace_write_uid_map(dir, task->map);
    if (rc == 0)
        rc = namespace_write_gid_map(dir, task->map);
    return rc < 0 ? err_sys(err, rc, "runa-unpack: write its id maps") : 0;
}

static int unpacker_start(const struct unpack_task *task, const struct unpacker_files *files,
    char *const *argv, struct unpacker *ret, struct error *err)
{
    int pair[2] = { -1, -1 };
    int rc = channel_open_pair(pair);
    if (rc < 0)
        return err_sys(err, rc, "runa-unpack: channel");
    ret->channel = pair[0];
    autoclose int theirs = pair[1];
    struct unpacker_files all = *files;
    all.channel = theirs;
    all.program = task->program_fd;
    const struct kernel_clone clone = {
        .flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                 CLONE_NEWUTS | CLONE_NEWCGROUP,
        .ret_pidfd = &ret->pidfd,
        .cgroup_fd = -1,
        .exit_signal = SIGCHLD,
    };
    pid_t pid = kernel_clone3(&clone);
    if (pid < 0)
        return err_sys(err, pid, "runa-unpack: start");
    if (pid == 0)
        child_main(&all, argv);
    rc = maps_write(task, pid, ret->pidfd, err);
    if (rc < 0)
        return rc;
    rc = channel_send(ret->channel, UNPACK_GO, NULL, 0, NULL, 0);
    return rc < 0 ? err_sys(err, rc, "runa-unpack: start") : 0;
}

/* Its text goes to people's terminals: only plain characters stay. */
static void text_clean(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (char *c = text; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

static int unpacker_report(
    const struct unpacker *unpacker, int timeout_ms, struct unpack_report *ret, struct error *err)
{
    struct unpack_report report;
    struct channel_message message;
    int rc = channel_recv(unpacker->channel, timeout_ms, &report, sizeof(report), &message);
    if (rc == 0) {
        bool is_report = message.type == UNPACK_REPORT && message.len == sizeof(report);
        channel_message_done(&message);
        if (!is_report)
            return err_set(err, EPROTO, "runa-unpack: its report is none");
        text_clean(report.error.text, sizeof(report.error.text));
        if (report.error.code != 0)
            return err_set(err, EINVAL, "%s", report.error.text);
        *ret = report;
        return 0;
    }
    if (rc < 0)
        return err_sys(err, rc, "runa-unpack: wait for its report");
    int status = 0;
    rc = process_wait(unpacker->pidfd, timeout_ms, &status);
    if (rc < 0)
        return err_sys(err, rc, "runa-unpack: wait for its end");
    int code = process_exit_code(status);
    if (code == EXIT_NOT_RUN)
        return err_set(err, EIO, "runa-unpack: it could not be started");
    return err_set(err, EINVAL, "runa-unpack: ended without a report (status %d%s)", code,
        code == 128 + SIGSYS ? ", a forbidden system call" : "");
}

/* --- the pump --- */

struct stage {
    int in; /* -1: closed or not used */
    int out;
    uint8_t *data;
    size_t at;
    size_t len;
    uint64_t n_bytes;
    struct digest_state *digest;
    bool is_broken; /* the reader went away */
};

static void stage_done(struct stage *stage)
{
    free(take_ptr(&stage->data));
    stage->digest = digest_free(stage->digest);
}

static void stage_open(struct stage *stage, int in, int out)
{
    stage->in = in;
    stage->out = out;
    stage->data = xmalloc(CHUNK_BYTES);
    stage->digest = digest_new();
}

static int stage_read(struct stage *stage, struct error *err)
{
    ssize_t n = kernel_read(stage->in, stage->data, CHUNK_BYTES);
    if (n == -EAGAIN)
        return 0;
    if (n < 0)
        return err_sys(err, (int)n, "read the archive");
    if (n == 0) {
        stage->in = -1;
        return 0;
    }
    stage->at = 0;
    stage->len = (size_t)n;
    stage->n_bytes += (uint64_t)n;
    digest_add(stage->digest, stage->data, (size_t)n);
    return 0;
}

static int stage_write(struct stage *stage, struct error *err)
{
    ssize_t n = kernel_write(stage->out, stage->data + stage->at, stage->len - stage->at);
    if (n == -EAGAIN)
        return 0;
    if (n == -EPIPE) {
        stage->is_broken = true;
        return 0;
    }
    if (n < 0)
        return err_sys(err, (int)n, "feed runa-unpack");
    stage->at += (size_t)n;
    return 0;
}

static bool stage_is_full(const struct stage *stage)
{
    return stage->at < stage->len;
}

/* in -1 and nothing left to write */
static bool stage_is_over(const struct stage *stage)
{
    return stage->data == NULL || (stage->in < 0 && !stage_is_full(stage));
}

struct unpack_run {
    const struct unpack_task *task;
    struct unpacker inflate;
    struct unpacker unpack;
    struct stage stored; /* file → inflate, or → unpack when it is plain */
    struct stage plain;  /* inflate → unpack */
    int to_inflate;
    int from_inflate;
    int to_unpack;
    int null;
    bool is_compressed;
    int64_t deadline;
};

static void unpack_run_done(struct unpack_run *run)
{
    unpacker_done(&run->inflate);
    unpacker_done(&run->unpack);
    stage_done(&run->stored);
    stage_done(&run->plain);
    cleanup_close(&run->to_inflate);
    cleanup_close(&run->from_inflate);
    cleanup_close(&run->to_unpack);
    cleanup_close(&run->null);
}

static int limits_check(const struct unpack_run *run, struct error *err)
{
    uint64_t stored = run->stored.n_bytes;
    uint64_t plain = run->is_compressed ? run->plain.n_bytes : stored;
    if (plain > UNPACK_BYTES_MAX)
        return err_set(err, EFBIG, "more than %llu bytes", (unsigned long long)UNPACK_BYTES_MAX);
    if (run->is_compressed && plain > UNPACK_RATIO_FREE && plain / UNPACK_RATIO_MAX > stored)
        return err_set(
            err, EFBIG, "it decompresses to more than %u times its size", UNPACK_RATIO_MAX);
    return 0;
}

static int stage_step(struct stage *stage, short events, struct error *err)
{
    if (events == 0)
        return 0;
    return stage_is_full(stage) ? stage_write(stage, err) : stage_read(stage, err);
}

/* What a stage waits for: room behind it, or bytes before it. */
static struct pollfd stage_poll(const struct stage *stage)
{
    if (stage_is_over(stage))
        return (struct pollfd){ .fd = -1 };
    if (stage_is_full(stage))
        return (struct pollfd){ .fd = stage->out, .events = POLLOUT };
    return (struct pollfd){ .fd = stage->in, .events = POLLIN };
}

static int pump_step(struct unpack_run *run, struct error *err)
{
    struct pollfd fds[2] = { stage_poll(&run->stored), stage_poll(&run->plain) };
    int rc = kernel_poll(fds, 2, deadline_left(run->deadline));
    if (rc == -EINTR)
        return 0;
    if (rc <= 0)
        return rc < 0 ? err_sys(err, rc, "poll") : err_set(err, ETIMEDOUT, "it takes too long");
    rc = stage_step(&run->stored, fds[0].revents, err);
    if (rc == 0)
        rc = stage_step(&run->plain, fds[1].revents, err);
    if (rc == 0)
        rc = limits_check(run, err);
    if (rc == 0 && run->is_compressed && stage_is_over(&run->stored) && run->to_inflate >= 0)
        (void)close(take_fd(&run->to_inflate));
    return rc;
}

static int pump(struct unpack_run *run, struct error *err)
{
    bool is_stopped = false;
    while (!is_stopped && !(stage_is_over(&run->stored) && stage_is_over(&run->plain))) {
        int rc = pump_step(run, err);
        if (rc < 0)
            return rc;
        /* A decompressor that stopped reading may still have bytes for us: go on until it ends. */
        if (run->is_compressed && run->stored.is_broken) {
            run->stored.in = -1;
            run->stored.at = run->stored.len;
        }
        is_stopped = run->plain.is_broken || (!run->is_compressed && run->stored.is_broken);
    }
    if (run->to_inflate >= 0)
        (void)close(take_fd(&run->to_inflate));
    if (run->from_inflate >= 0)
        (void)close(take_fd(&run->from_inflate));
    (void)close(take_fd(&run->to_unpack));
    return 0;
}

/* --- start and end --- */

static int pipe_open(int *ret_ours, int *ret_theirs, bool is_ours_reader, struct error *err)
{
    int fds[2];
    int rc = kernel_pipe2(fds, O_CLOEXEC);
    if (rc < 0)
        return err_sys(err, rc, "pipe");
    *ret_ours = fds[is_ours_reader ? 0 : 1];
    *ret_theirs = fds[is_ours_reader ? 1 : 0];
    rc = kernel_set_flags(*ret_ours, O_NONBLOCK);
    return rc < 0 ? err_sys(err, rc, "pipe") : 0;
}

static int inflate_start(struct unpack_run *run, const char *filter, struct error *err)
{
    autoclose int in = -1;
    autoclose int out = -1;
    int rc = pipe_open(&run->to_inflate, &in, false, err);
    if (rc == 0)
        rc = pipe_open(&run->from_inflate, &out, true, err);
    if (rc < 0)
        return rc;
    const struct unpacker_files files = { .in = in, .out = out, .tree = -1, .null = run->null };
    char name[] = "runa-unpack";
    char job[] = "inflate";
    char filter_copy[8];
    (void)snprintf(filter_copy, sizeof(filter_copy), "%s", filter);
    char *const argv[] = { name, job, filter_copy, NULL };
    return unpacker_start(run->task, &files, argv, &run->inflate, err);
}

static int unpack_start(struct unpack_run *run, struct error *err)
{
    autoclose int in = -1;
    int rc = pipe_open(&run->to_unpack, &in, false, err);
    if (rc < 0)
        return rc;
    const struct unpacker_files files = {
        .in = in, .out = -1, .tree = run->task->tree_fd, .null = run->null
    };
    char name[] = "runa-unpack";
    char layer[] = "layer";
    char archive[] = "archive";
    char *const argv[] = { name, run->task->is_layer ? layer : archive, NULL };
    return unpacker_start(run->task, &files, argv, &run->unpack, err);
}

/* Compression is told by the first bytes, never by a media type. */
static const char *filter_of(const struct stage *stage)
{
    static const uint8_t gzip[] = { 0x1f, 0x8b };
    static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
    if (stage->len >= sizeof(gzip) && memcmp(stage->data, gzip, sizeof(gzip)) == 0)
        return "gzip";
    if (stage->len >= sizeof(zstd) && memcmp(stage->data, zstd, sizeof(zstd)) == 0)
        return "zstd";
    return NULL;
}

static int run_start(struct unpack_run *run, struct error *err)
{
    run->null = kernel_open("/dev/null", O_RDWR, 0);
    if (run->null < 0)
        return err_sys(err, run->null, "/dev/null");
    stage_open(&run->stored, run->task->in_fd, -1);
    int rc = stage_read(&run->stored, err);
    if (rc < 0)
        return rc;
    if (run->stored.len < 4)
        return err_set(err, EINVAL, "tar: it is empty or cut off");
    const char *filter = filter_of(&run->stored);
    run->is_compressed = filter != NULL;
    rc = unpack_start(run, err);
    if (rc == 0 && run->is_compressed)
        rc = inflate_start(run, filter, err);
    if (rc < 0)
        return rc;
    run->stored.out = run->is_compressed ? run->to_inflate : run->to_unpack;
    if (run->is_compressed)
        stage_open(&run->plain, run->from_inflate, run->to_unpack);
    return 0;
}

/* Whose complaint counts: the unpacker's when it stopped by itself, else the decompressor's, which cut it off. */
static int run_reports(struct unpack_run *run, struct unpack_result *ret, struct error *err)
{
    if (run->is_compressed && !run->plain.is_broken) {
        struct unpack_report inflated;
        int rc = unpacker_report(&run->inflate, deadline_left(run->deadline), &inflated, err);
        if (rc < 0)
            return rc;
    }
    return unpacker_report(&run->unpack, deadline_left(run->deadline), &ret->report, err);
}

static void digest_take(struct stage *stage, char ret[DIGEST_TEXT_SIZE])
{
    uint8_t bytes[DIGEST_BYTES];
    digest_final(stage->digest, bytes);
    digest_text(bytes, ret);
}

static int run_all(struct unpack_run *run, struct unpack_result *ret, struct error *err)
{
    int rc = run_start(run, err);
    if (rc == 0)
        rc = pump(run, err);
    if (rc == 0)
        rc = run_reports(run, ret, err);
    if (rc < 0)
        return rc;
    if (run->stored.is_broken || run->plain.is_broken || !stage_is_over(&run->stored))
        return err_set(err, EPROTO, "runa-unpack: it did not read to the end");
    ret->stored_bytes = run->stored.n_bytes;
    ret->plain_bytes = run->is_compressed ? run->plain.n_bytes : run->stored.n_bytes;
    digest_take(&run->stored, ret->stored_digest);
    if (run->is_compressed)
        digest_take(&run->plain, ret->plain_digest);
    else
        memcpy(ret->plain_digest, ret->stored_digest, sizeof(ret->plain_digest));
    return 0;
}

int unpack_apply(const struct unpack_task *task, struct unpack_result *ret, struct error *err)
{
    role_require(ROLE_PARENT);
    struct unpack_run run = {
        .task = task,
        .inflate = UNPACKER_INIT,
        .unpack = UNPACKER_INIT,
        .to_inflate = -1,
        .from_inflate = -1,
        .to_unpack = -1,
        .null = -1,
        .deadline = deadline_in(task->timeout_ms),
    };
    /* A child that is gone is EPIPE here, not our end. */
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    struct sigaction old;
    (void)sigaction(SIGPIPE, &ignore, &old);
    struct unpack_result result = { .stored_bytes = 0 };
    int rc = run_all(&run, &result, err);
    unpack_run_done(&run);
    (void)sigaction(SIGPIPE, &old, NULL);
    if (rc == 0)
        *ret = result;
    return rc;
}
