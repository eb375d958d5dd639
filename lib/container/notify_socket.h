/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  sd_notify(3) for payloads: when the caller has NOTIFY_SOCKET, a directory of ours with a socket "notify" is
 *          mounted inside at the same path, and READY=1, nothing else, is passed on.
 * Runs in  parent
 * Trusts   the caller's NOTIFY_SOCKET; not the datagrams, which the payload writes: MAINPID=, FDSTORE= and the like
 *          would speak for the caller, so none of them leaves
 * Owns     the caller closes the fd of notify_socket_make; the directory goes with the state directory
 * Source   sd_notify(3); crun and runc do the same
 */
#pragma once
#include <stdbool.h>

struct arena;
struct error;
struct oci_config;

#define NOTIFY_DIRECTORY "notify" /* in the state directory */

/* The caller's NOTIFY_SOCKET: an absolute path, or NULL. Abstract sockets are not passed on. */
const char *notify_socket_wanted(void);
/* Pure: the mount and the variable. state_directory: absolute. */
void notify_socket_plan(struct arena *arena, struct oci_config *config, const char *socket_path,
    const char *state_directory);
/* The directory, for create; with it the socket, for run and start. */
int notify_directory_make(int container_dir, struct error *err);
int notify_socket_make(int container_dir, int *ret_fd, struct error *err);
/* Reads what has come; true once READY=1 was passed on (or nobody is there to hear it). */
bool notify_socket_forward(int fd, const char *socket_path);
/* Until that, or until the process of the pidfd ends. */
void notify_socket_wait(int fd, const char *socket_path, int pidfd);
