/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What the files of mount_apply share.
 * Runs in  init
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct error;
struct mount_plan;
struct mount_root;
struct mount_sources;
struct mount_step;
struct root;

#define MOUNT_DIRECTORY_MODE 0755
#define MOUNT_FILE_MODE      0644

struct mount_context {
    const struct mount_plan *plan;
    struct mount_sources *sources;
    struct mount_root *root;
    struct error *err;
};

/* A detached mount of the step's filesystem. target_fd: where it will go, for its mode and for copy-up; is_new_target:
 * made by us a moment ago. */
int mount_filesystem_make(
    const struct mount_step *step, int target_fd, bool is_new_target, struct error *err);
/* Copies what is in one directory into another: directories, files, links, FIFOs and devices, with owner, mode and
 * time. */
int mount_copy_up(int from_fd, int to_fd, const char *destination, struct error *err);
/* O_PATH fd of the directory that holds the last component of path (inside, clean), made when it is not there; the
 * component is *ret_name, which points into path. */
int mount_parent_open(
    const struct root *root, const char *path, const char **ret_name, struct error *err);
/* Nodes and links of the plan. */
int device_apply(const struct mount_context *c);
