/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What the parent (create, run) and the container's first process (init) say to each other while a container
 *          is set up, and what start says to init later. This is the heart of the runtime: the drawing is the sequence.
 * Runs in  parent and init
 * Trusts   init until it has execed the payload. The payload never holds either socket: both are close-on-exec, and
 *          init closes what it does not need before it enters the rootfs.
 *
 *   Set-up, over a SOCK_SEQPACKET pair that init inherits ([..] only where the configuration needs it):
 *
 *     parent                                                     init
 *       | -- clone3(namespaces, cgroup, pidfd) ------------------> |
 *       | [writes uid_map, gid_map, setgroups]                     |
 *       | [makes idmapped mount sources]                           |
 *       | -- GO ------------------------------------------------> |  sets ids to 0 of the namespace
 *       |                                                          |  builds mounts in the rootfs
 *       | <------------------------------------------------ HOOKS  | [prestart, createRuntime wanted]
 *       | runs them in its own namespaces                          |
 *       | -- GO ------------------------------------------------> |  createContainer hooks, pivot_root, masks, /dev,
 *       |                                                          |  sysctl, capabilities, ids, working directory
 *       | <------------------------------------- CONSOLE (pty fd)  | [process.terminal]
 *       | <------------------------------ LISTENER (seccomp fd)    | [SCMP_ACT_NOTIFY; before READY, see payload.c]
 *       | -- GO ------------------------------------------------> | [after LISTENER: the agent has the fd]
 *       | <------------------------------------------------ READY  |
 *
 *     Instead of any message of its own init may send FAILED or NO_EXEC (a struct error) and end. When either side dies
 *     the other sees the end of the channel: the parent reports and removes everything, init ends.
 *
 *   Start. run sends START on the same channel (ahead of READY when init waits for nothing else); create leaves, and
 *   init waits on the listening socket start.sock of the state directory, on which the later start command connects and
 *   gets the same answers:
 *
 *     start                                                      init
 *       | -- START ---------------------------------------------> |  startContainer hooks
 *       | <--------------------------------------------- EXECING  |  system call filter, then execve
 *       | <-- end of the channel: the payload runs                 |
 *       | <-- or FAILED: execve refused                            |
 */
#pragma once
#include <stdint.h>

enum init_message {
    INIT_MESSAGE_GO = 1,   /* parent to init, empty */
    INIT_MESSAGE_HOOKS,    /* init to parent, empty */
    INIT_MESSAGE_CONSOLE,  /* init to parent, one fd: the pty's master */
    INIT_MESSAGE_LISTENER, /* init to parent, one fd: the seccomp listener */
    INIT_MESSAGE_READY,    /* init to parent, empty */
    INIT_MESSAGE_START,    /* parent or start to init, empty */
    INIT_MESSAGE_EXECING,  /* init to parent or start, empty */
    INIT_MESSAGE_FAILED,   /* init to parent or start, struct error */
    INIT_MESSAGE_NO_EXEC,  /* the same: and the reason is that the payload's program cannot be executed */
};
