/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The tree that a layer is applied to: find the directory of an entry, make room for it, take away what lies
 *          below a whiteout. Every step is relative to an open directory; links among the parents lead nowhere but into
 *          the tree.
 * Runs in  runa-unpack, alone in its mount namespace
 * Trusts   names were taken apart by layer_path_parse; the tree holds what hostile layers put there
 * Owns     struct layer_tree owns the root's fd and the parent it keeps open
 * Fails    negative with err; what was applied so far stays (the parent throws the tree away)
 */
#pragma once
#include <sys/types.h>
#include <time.h>

#include "arena.h"
#include "name_set.h"
#include "root.h"
#include "unpack_order.h"

struct directory_times {
    struct directory_times *next;
    const char *path;
    struct timespec mtime;
};

struct layer_tree {
    struct root root;
    int parent_fd; /* of the last entry: most come in one directory after the other */
    uint64_t parent_inode;
    char parent_path[UNPACK_PATH_MAX + 1];
    struct name_set own; /* what this layer made */
    struct arena arena;
    struct directory_times
        *times; /* set at the end: what comes into a directory changes its time */
};

#define LAYER_TREE_INIT                                                                            \
    {                                                                                              \
        .root = ROOT_INIT, .parent_fd = -1                                                         \
    }

int layer_tree_open(struct layer_tree *tree, int dirfd, struct error *err);
void layer_tree_done(struct layer_tree *tree);

/* The directory as tree->parent_fd, made (0755) when it is not there. */
int layer_tree_enter_apply(struct layer_tree *tree, const char *directory, struct error *err);
/* Removes parent_fd/name, whatever it is. */
int layer_tree_clear_apply(struct layer_tree *tree, const char *name, struct error *err);
/* Removes of parent_fd/name, or with NULL of all in parent_fd, what this layer has not made. */
int layer_tree_whiteout_apply(struct layer_tree *tree, const char *name, struct error *err);
void layer_tree_own(struct layer_tree *tree, const char *name);
/* The times of a directory ("" is the root), for layer_tree_finish_apply. */
void layer_tree_times(
    struct layer_tree *tree, const char *directory, const char *name, struct timespec mtime);
int layer_tree_finish_apply(struct layer_tree *tree, struct error *err);
