#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""notify_agent.py SOCKET STATE ERRNO: a seccomp agent.

Listens on SOCKET, takes one listener with the container process state (written to the file STATE), then answers each
notified call: with ERRNO, or with "continue" when ERRNO is 0. Ends when the last process under the filter is gone.
"""
import fcntl
import os
import select
import socket
import struct
import sys

RECEIVE = 0xC0502100  # SECCOMP_IOCTL_NOTIF_RECV, struct seccomp_notif: 80 bytes
SEND = 0xC0182101  # SECCOMP_IOCTL_NOTIF_SEND, struct seccomp_notif_resp: 24 bytes
CONTINUE = 1

server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
server.bind(sys.argv[1])
server.listen(1)
connection = server.accept()[0]
state, fds, _, _ = socket.recv_fds(connection, 1 << 20, 8)
while True:
    more = connection.recv(65536)
    if not more:
        break
    state += more
with open(sys.argv[2], "wb") as file:
    file.write(state)
if len(fds) != 1:
    sys.exit(f"{len(fds)} descriptors, not 1")
answer = int(sys.argv[3])
poll = select.poll()
poll.register(fds[0], select.POLLIN)
while True:
    events = poll.poll()[0][1]
    if not events & select.POLLIN:
        break
    request = bytearray(80)
    try:
        fcntl.ioctl(fds[0], RECEIVE, request)
        number = struct.unpack_from("Q", request)[0]
        response = struct.pack("QqiI", number, 0, -answer, 0 if answer else CONTINUE)
        fcntl.ioctl(fds[0], SEND, bytearray(response))
    except OSError:  # it was killed meanwhile
        continue
os.close(fds[0])
