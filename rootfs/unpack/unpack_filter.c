/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: the allow-list. */
#include "unpack_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <seccomp.h>

#include "call.h"
#include "cleanup.h"
#include "err.h"
#include "file.h"
#include "role.h"
#include "seccomp_call.h"

#define FILTER_BYTES_MAX 65536

/* Pipes, channel, memory. mmap and mprotect come with a condition, below. */
static const int calls_base[] = {
    SCMP_SYS(read),
    SCMP_SYS(write),
    SCMP_SYS(close),
    SCMP_SYS(sendmsg),
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(futex),
    SCMP_SYS(getpid),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(gettid),
    SCMP_SYS(tgkill),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(sched_yield),
    SCMP_SYS(getrandom),
    SCMP_SYS(restart_syscall),
};

/* Files below the root, by open directories. */
static const int calls_tree[] = {
    SCMP_SYS(openat),
    SCMP_SYS(openat2),
    SCMP_SYS(fstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(statx),
    SCMP_SYS(lseek),
    SCMP_SYS(ftruncate),
    SCMP_SYS(getdents64),
    SCMP_SYS(readlinkat),
    SCMP_SYS(mkdirat),
    SCMP_SYS(symlinkat),
    SCMP_SYS(linkat),
    SCMP_SYS(unlinkat),
    SCMP_SYS(fchown),
    SCMP_SYS(fchownat),
    SCMP_SYS(fchmod),
    SCMP_SYS(fchmodat),
    SCMP_SYS(utimensat),
    SCMP_SYS(fsetxattr),
    SCMP_SYS(fstatfs),
};

#if UNPACK_IS_SANITIZED
/* What the sanitizers' own run time does, in dev builds only. */
static const int calls_sanitizer[] = {
    SCMP_SYS(sigaltstack),
    SCMP_SYS(getrlimit),
    SCMP_SYS(prlimit64),
    SCMP_SYS(readlink),
    SCMP_SYS(openat),
    SCMP_SYS(open),
    SCMP_SYS(fstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(lseek),
};
#else
static const int calls_sanitizer[] = { SCMP_SYS(exit) };
#endif

static int calls_allow(scmp_filter_ctx filter, const int *calls, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
        if (rc < 0 && rc != -EDOM) /* this architecture has no such call */
            return rc;
    }
    return 0;
}

/* No memory becomes code; of special files only FIFOs. */
static int conditions_add(scmp_filter_ctx filter, bool has_tree)
{
    const struct scmp_arg_cmp no_code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    const struct scmp_arg_cmp is_fifo = SCMP_A2(SCMP_CMP_MASKED_EQ, S_IFMT, S_IFIFO);
    int rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, &no_code);
    if (rc == 0)
        rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, &no_code);
    if (rc == 0 && has_tree)
        rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(mknodat), 1, &is_fifo);
    return rc;
}

static int filter_fill(scmp_filter_ctx filter, bool has_tree)
{
    int rc = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    if (rc == 0)
        rc = calls_allow(filter, calls_base, ARRAY_SIZE(calls_base));
    if (rc == 0)
        rc = calls_allow(filter, calls_sanitizer, ARRAY_SIZE(calls_sanitizer));
    if (rc == 0 && has_tree)
        rc = calls_allow(filter, calls_tree, ARRAY_SIZE(calls_tree));
    return rc == 0 ? conditions_add(filter, has_tree) : rc;
}

/* Through a memory file, so that the one wrapper of seccomp(2) loads it. */
static int filter_load(scmp_filter_ctx filter)
{
    autoclose int fd = kernel_memfd_create("filter", 0);
    if (fd < 0)
        return fd;
    int rc = seccomp_export_bpf(filter, fd);
    if (rc == 0)
        rc = kernel_lseek(fd, 0, SEEK_SET) < 0 ? -EIO : 0;
    if (rc < 0)
        return rc;
    autofree char *program = NULL;
    size_t len = 0;
    rc = file_read_fd(fd, FILTER_BYTES_MAX, &program, &len);
    return rc < 0 ? rc : kernel_seccomp_load(program, len, 0);
}

int unpack_filter_apply(bool has_tree, struct error *err)
{
    role_require(ROLE_UNPACK);
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (filter == NULL)
        return err_set(err, ENOMEM, "system call filter: libseccomp did not start");
    int rc = filter_fill(filter, has_tree);
    if (rc == 0)
        rc = filter_load(filter);
    seccomp_release(filter);
    return rc < 0 ? err_sys(err, rc, "system call filter") : 0;
}
