/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  List a directory by fd; remove a tree without leaving its file system or following a
 *          link.
 * Runs in  any
 * Trusts   names are bytes of strangers; "." and ".." are not handed out
 * Owns     the walker's fd; an entry is borrowed until the next call
 * Fails    directory_remove: what was removed so far is gone
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIRECTORY_DEPTH_MAX 512
#define DIRECTORY_END       1

struct directory {
    int fd;
    size_t at;
    size_t len;
    uint64_t buffer[1024];
};

struct directory_entry {
    const char *name;
    uint64_t inode;
    unsigned char type; /* DT_*; DT_UNKNOWN is possible */
};

/* path: "." for dirfd itself. Symlinks in the last place are refused (-ELOOP or -ENOTDIR). */
int directory_open(struct directory *directory, int dirfd, const char *path);
void directory_done(struct directory *directory);
/* 0, or DIRECTORY_END */
int directory_next(struct directory *directory, struct directory_entry *ret);
bool directory_is_empty(int dirfd);
/* Removes dirfd/name and everything below; a mount point below is -EXDEV or -EBUSY. 0 too when it
   was not there. */
int directory_remove(int dirfd, const char *name);
