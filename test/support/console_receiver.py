#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""console_receiver.py SOCKET [ROWSxCOLUMNS]: takes a terminal as an engine does and prints what comes out of it.

Listens on SOCKET, accepts one connection, receives the master by SCM_RIGHTS and copies its output until the container
closes the other side. With ROWSxCOLUMNS the terminal gets that size once the output holds "ready".
"""
import fcntl
import os
import socket
import struct
import sys
import termios

listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listener.bind(sys.argv[1])
listener.listen(1)
connection = listener.accept()[0]
name, fds, _, _ = socket.recv_fds(connection, 4096, 8)
if len(fds) != 1:
    sys.exit(f"{len(fds)} descriptors with {name!r}, not 1")
master = fds[0]
seen = b""
while True:
    try:
        data = os.read(master, 4096)
    except OSError:  # EIO: the last one has closed the other side
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
    sys.stdout.flush()
    seen += data
    if len(sys.argv) > 2 and b"ready" in seen:
        rows, columns = map(int, sys.argv.pop().split("x"))
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
