/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The system call profile "agent" as linux.seccomp: an allow-list. What is known to be dangerous fails with
 *          EPERM, so that programs say what happened; a number that the list does not know fails with ENOSYS, so that
 *          programs fall back to what they did before the call existed; another architecture's calls kill the process.
 * Runs in  any (pure)
 * Owns     lives in the arena
 */
#pragma once

struct arena;
struct oci_seccomp;

struct oci_seccomp *seccomp_agent(struct arena *arena) __attribute__((returns_nonnull));
