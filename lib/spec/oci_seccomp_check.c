/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of linux.seccomp that need no library to see: calls and architectures are the plan's. */
#include <stdbool.h>

#include "err.h"
#include "oci_check_internal.h"
#include "oci_config.h"

#define FIELD        "linux.seccomp."
#define ERRNO_MAX    4095   /* the kernel's MAX_ERRNO */
#define TRACE_MAX    0xffff /* SECCOMP_RET_DATA */
#define SYSCALL_ARGS 6

/* NULL, or what is wrong with an errnoRet beside that action. */
static const char *errno_fault(enum oci_seccomp_action action, unsigned number)
{
    if (action != OCI_SECCOMP_ERRNO && action != OCI_SECCOMP_TRACE)
        return "only for SCMP_ACT_ERRNO and SCMP_ACT_TRACE";
    if (action == OCI_SECCOMP_ERRNO && number > ERRNO_MAX)
        return "larger than 4095";
    if (number > TRACE_MAX)
        return "larger than 65535";
    return NULL;
}

static int syscall_check(const struct oci_seccomp_syscall *syscall, size_t i, struct error *err)
{
    if (syscall->n_names == 0)
        return oci_fault(err, NULL, "missing or empty", FIELD "syscalls[%zu].names", i);
    for (size_t k = 0; k < syscall->n_names; k++) {
        if (syscall->names[k][0] == '\0')
            return oci_fault(err, NULL, "empty", FIELD "syscalls[%zu].names[%zu]", i, k);
    }
    const char *fault =
        syscall->has_errno_ret ? errno_fault(syscall->action, syscall->errno_ret) : NULL;
    if (fault)
        return oci_fault(err, NULL, fault, FIELD "syscalls[%zu].errnoRet", i);
    for (size_t k = 0; k < syscall->n_args; k++) {
        if (syscall->args[k].index >= SYSCALL_ARGS)
            return oci_fault(
                err, NULL, "larger than 5", FIELD "syscalls[%zu].args[%zu].index", i, k);
    }
    return 0;
}

static int listener_check(const struct oci_seccomp *seccomp, struct error *err)
{
    bool is_used = false;
    for (size_t i = 0; i < seccomp->n_syscalls; i++)
        is_used = is_used || seccomp->syscalls[i].action == OCI_SECCOMP_NOTIFY;
    if (seccomp->listener_path && !oci_path_is_absolute(seccomp->listener_path))
        return oci_fault(
            err, seccomp->listener_path, "is not an absolute path", FIELD "listenerPath");
    if (is_used && !seccomp->listener_path)
        return oci_fault(err, NULL, "missing, but SCMP_ACT_NOTIFY needs it", FIELD "listenerPath");
    if (seccomp->listener_metadata && !seccomp->listener_path)
        return oci_fault(err, NULL, "there without listenerPath", FIELD "listenerMetadata");
    return 0;
}

int oci_seccomp_check(const struct oci_seccomp *seccomp, struct error *err)
{
    if (seccomp->default_action == OCI_SECCOMP_NOTIFY)
        return oci_fault(err, NULL, "SCMP_ACT_NOTIFY cannot be the default", FIELD "defaultAction");
    const char *fault = seccomp->has_default_errno_ret
                            ? errno_fault(seccomp->default_action, seccomp->default_errno_ret)
                            : NULL;
    if (fault)
        return oci_fault(err, NULL, fault, FIELD "defaultErrnoRet");
    for (size_t i = 0; i < seccomp->n_syscalls; i++) {
        int rc = syscall_check(&seccomp->syscalls[i], i, err);
        if (rc < 0)
            return rc;
    }
    return listener_check(seccomp, err);
}
