/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  A container that can open /proc/PID/exe of our process must not reach a writable inode
 *          of our binary (CVE-2019-5736). Either we already run from something that cannot be
 *          written, or we get a copy that cannot.
 * Runs in  parent, before the first process that the container can see
 * Owns     the returned fd is the caller's
 * Fails    no protection possible: an error, and the caller must refuse to go on
 * Source   memfd_create(2) seals; overlayfs without an upper layer is read-only and hides the lower
 *          file's mount
 */
#pragma once

struct procfs;

/* 1: the running binary is a sealed memfd, or lies on erofs or a detached overlay that has no way
   to write. 0: it is not. */
int self_exe_is_protected(const struct procfs *procfs);
/* An fd to exec (execveat AT_EMPTY_PATH): through a detached read-only overlay, else a sealed
   memfd. */
int self_exe_open(const struct procfs *procfs);
/* The two ways by themselves, for tests and measuring. */
int self_exe_open_overlay(const struct procfs *procfs);
int self_exe_open_memfd(const struct procfs *procfs);
