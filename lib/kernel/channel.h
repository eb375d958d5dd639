/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Messages {type, bytes, fds} between two of our processes over a SOCK_SEQPACKET pair: one
 *          message is one packet.
 * Runs in  parent, init, relay, worker
 * Trusts   the peer may be a process that the container's code has taken over: sizes are checked,
 *          surplus fds closed
 * Owns     received fds are the caller's, close-on-exec; sent ones stay the sender's
 * Fails    CHANNEL_CLOSED the peer is gone (as receiver); -EPIPE (as sender); -EMSGSIZE longer than
 *          the buffer, the message is lost; -ETIMEDOUT
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define CHANNEL_BYTES_MAX 16384
#define CHANNEL_WRITE_MAX 2048 /* of channel_write */
#define CHANNEL_FDS_MAX   8
#define CHANNEL_CLOSED    1
#define CHANNEL_FOREVER   (-1)
#define CHANNEL_PATIENCE  1000 /* ms */

struct channel_message {
    uint32_t type;
    size_t len;
    size_t n_fds;
    int fds[CHANNEL_FDS_MAX]; /* [0, n_fds) */
};

int channel_open_pair(int ret_fds[2]);
int channel_send(
    int socket, uint32_t type, const void *data, size_t len, const int *fds, size_t n_fds);
/* The same without fds by write(2), which behind a system call filter is likelier to be allowed
   than sendmsg(2). */
int channel_write(int socket, uint32_t type, const void *data, size_t len);
/* data holds size bytes. On success ret is all set; use channel_message_done to close fds that were
   not taken (set to -1). */
int channel_recv(int socket, int timeout_ms, void *data, size_t size, struct channel_message *ret);
/* Waits for a peer that strangers may stop (SIGSTOP is theirs to send once it lives beside them): -ECANCELED when it
 * has been silent for a second while a signal waits that wants the program to end. */
int channel_recv_patient(int socket, void *data, size_t size, struct channel_message *ret);
void channel_message_done(struct channel_message *message);
