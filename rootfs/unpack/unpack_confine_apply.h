/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Takes from runa-unpack everything but its pipes and one directory: root file system, descriptors,
 *          capabilities, limits, and last the system calls. Before this nothing of the input is read.
 * Runs in  runa-unpack, root of a fresh user namespace that owns its mount, net, ipc, uts and pid namespaces
 * Fails    negative with err: the caller must leave, nothing has been read
 * Source   pivot_root(2), move_mount(2), capabilities(7), seccomp(2)
 */
#pragma once

struct error;

enum unpack_job { UNPACK_JOB_INFLATE, UNPACK_JOB_LAYER, UNPACK_JOB_ARCHIVE };

/* On success the root directory is the tree that UNPACK_FD_ROOT was, or an empty one for UNPACK_JOB_INFLATE. */
int unpack_confine_apply(enum unpack_job job, struct error *err);
