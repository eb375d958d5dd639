/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Plain constants of Linux that newer kernels know and the build machine's headers may
 *          not. The only header of this room that pure files (_parse, _check, _plan) may include.
 * Runs in  any (pure)
 * Source   Linux 6.18 uapi headers; numbers are ABI. What glibc has (MS_*, MNT_*, O_*, S_IF*,
 *          CLONE_*, RLIMIT_*, AT_*, PER_*) comes from the headers included here.
 */
#pragma once
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* sched.h */
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif
#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif
#define KERNEL_NAMESPACE_FLAGS                                                                     \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |  \
        CLONE_NEWNET | CLONE_NEWTIME)
#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif
#define KERNEL_SCHED_EXT                 7
#define KERNEL_SCHED_FLAG_RESET_ON_FORK  0x01
#define KERNEL_SCHED_FLAG_RECLAIM        0x02
#define KERNEL_SCHED_FLAG_DL_OVERRUN     0x04
#define KERNEL_SCHED_FLAG_KEEP_POLICY    0x08
#define KERNEL_SCHED_FLAG_KEEP_PARAMS    0x10
#define KERNEL_SCHED_FLAG_UTIL_CLAMP_MIN 0x20
#define KERNEL_SCHED_FLAG_UTIL_CLAMP_MAX 0x40

/* ioprio.h: value = class << 13 | level (0..7) */
#define KERNEL_IOPRIO_CLASS_RT            1
#define KERNEL_IOPRIO_CLASS_BE            2
#define KERNEL_IOPRIO_CLASS_IDLE          3
#define KERNEL_IOPRIO_VALUE(class, level) (((class) << 13) | (level))

/* fcntl.h, openat2.h */
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif
#ifndef RESOLVE_NO_XDEV
#define RESOLVE_NO_XDEV       0x01
#define RESOLVE_NO_MAGICLINKS 0x02
#define RESOLVE_NO_SYMLINKS   0x04
#define RESOLVE_BENEATH       0x08
#define RESOLVE_IN_ROOT       0x10
#endif
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE  2
#define RENAME_WHITEOUT  4
#endif
#ifndef F_SEAL_EXEC
#define F_SEAL_EXEC 0x0020 /* 6.3 */
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* 6.3 */
#define MFD_EXEC        0x0010U /* 6.3 */
#endif

/* mount.h */
#ifndef MS_NOSYMFOLLOW
#define MS_NOSYMFOLLOW 256
#endif
#ifndef MOUNT_ATTR_RDONLY
#define MOUNT_ATTR_RDONLY      0x00000001
#define MOUNT_ATTR_NOSUID      0x00000002
#define MOUNT_ATTR_NODEV       0x00000004
#define MOUNT_ATTR_NOEXEC      0x00000008
#define MOUNT_ATTR__ATIME      0x00000070
#define MOUNT_ATTR_RELATIME    0x00000000
#define MOUNT_ATTR_NOATIME     0x00000010
#define MOUNT_ATTR_STRICTATIME 0x00000020
#define MOUNT_ATTR_NODIRATIME  0x00000080
#define MOUNT_ATTR_IDMAP       0x00100000
#endif
#ifndef MOUNT_ATTR_NOSYMFOLLOW
#define MOUNT_ATTR_NOSYMFOLLOW 0x00200000
#endif
#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE   1
#define OPEN_TREE_CLOEXEC O_CLOEXEC
#endif
#ifndef MOVE_MOUNT_F_EMPTY_PATH
#define MOVE_MOUNT_F_EMPTY_PATH 0x00000004
#define MOVE_MOUNT_T_EMPTY_PATH 0x00000040
#endif

/* seccomp.h */
#define KERNEL_SECCOMP_FLAG_TSYNC              (1U << 0)
#define KERNEL_SECCOMP_FLAG_LOG                (1U << 1)
#define KERNEL_SECCOMP_FLAG_SPEC_ALLOW         (1U << 2)
#define KERNEL_SECCOMP_FLAG_NEW_LISTENER       (1U << 3)
#define KERNEL_SECCOMP_FLAG_TSYNC_ESRCH        (1U << 4)
#define KERNEL_SECCOMP_FLAG_WAIT_KILLABLE_RECV (1U << 5) /* 5.19, with NEW_LISTENER only */

/* securebits.h */
#define KERNEL_SECBIT_NOROOT                 (1U << 0)
#define KERNEL_SECBIT_NOROOT_LOCKED          (1U << 1)
#define KERNEL_SECBIT_NO_SETUID_FIXUP        (1U << 2)
#define KERNEL_SECBIT_NO_SETUID_FIXUP_LOCKED (1U << 3)
#define KERNEL_SECBIT_KEEP_CAPS              (1U << 4)
#define KERNEL_SECBIT_NO_CAP_AMBIENT_RAISE   (1U << 6)

/* capability.h: numbers stop here in 6.18 */
#define KERNEL_CAP_LAST 40

/* statfs magics */
#define KERNEL_MAGIC_PROC     0x9fa0
#define KERNEL_MAGIC_NSFS     0x6e736673
#define KERNEL_MAGIC_CGROUP2  0x63677270
#define KERNEL_MAGIC_CGROUP   0x27e0eb
#define KERNEL_MAGIC_TMPFS    0x01021994
#define KERNEL_MAGIC_OVERLAY  0x794c7630
#define KERNEL_MAGIC_EROFS    0xe0f5e1e2
#define KERNEL_MAGIC_DEVPTS   0x1cd1
#define KERNEL_MAGIC_SYSFS    0x62656572
#define KERNEL_MAGIC_SELINUX  0xf97cff8c
#define KERNEL_MAGIC_SECURITY 0x73636673

/* inodes of the initial namespaces of procfs */
#define KERNEL_PROC_ROOT_INO 1

/* device numbers of the spec's default devices (admin-guide/devices) */
#define KERNEL_DEV_NULL    makedev(1, 3)
/* An overlay whiteout is a character device of this number. */

/* bpf.h: flags of attaching, and what a program for devices is asked about */
#define KERNEL_BPF_ALLOW_MULTI 2U
#define KERNEL_BPF_REPLACE     4U
#define KERNEL_BPF_DEVCG_MKNOD 1U
#define KERNEL_BPF_DEVCG_READ  2U
#define KERNEL_BPF_DEVCG_WRITE 4U
#define KERNEL_BPF_DEVCG_BLOCK 1U
#define KERNEL_BPF_DEVCG_CHAR  2U
