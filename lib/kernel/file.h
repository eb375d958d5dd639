/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Whole small files: read with a limit, write in one go, replace atomically, lock.
 * Runs in  any
 * Trusts   sizes: every read has a maximum. Not for names inside a container root (root.h gives the
 *          fd for file_read_fd).
 * Owns     *ret_data is heap memory of the caller, NUL behind the last byte
 * Fails    -EFBIG longer than max; replace: the old file is whole on failure
 */
#pragma once
#include <stddef.h>
#include <sys/types.h>

/* from the current offset */
int file_read_fd(int fd, size_t max, char **ret_data, size_t *ret_len);
int file_read(int dirfd, const char *path, size_t max, char **ret_data, size_t *ret_len);
/* Into the caller's buffer, NUL-terminated; bytes without the NUL. For control files: a trailing
   newline is cut. */
ssize_t file_read_line(int dirfd, const char *path, char *ret, size_t size);
int file_write_all(int fd, const void *data, size_t len);
/* A control file (procfs, sysfs, cgroupfs): open for writing, one write of the whole text. -EIO on
   a short write. */
int file_write_control(int dirfd, const char *path, const char *text);
/* Writes a temporary file in dirfd, syncs it when is_durable, and renames it over name. */
int file_replace(
    int dirfd, const char *name, const void *data, size_t len, mode_t mode, int is_durable);
/* Opens (makes) name and takes an exclusive flock; -EWOULDBLOCK when may_wait is 0 and another
   holds it. Close to release. */
int file_lock(int dirfd, const char *name, int may_wait);
/* All bytes of in_fd from its offset on, by copy_file_range, sendfile or read/write; -EFBIG beyond
   max. */
int file_copy(int in_fd, int out_fd, size_t max);
/* 1 when both lead to one file, else 0. */
int file_is_same(int a, int b);
