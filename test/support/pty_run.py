#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pty_run.py ROWSxCOLUMNS COMMAND...: runs COMMAND in a terminal of that size, prints its output, ends with its status.

Lines of the own standard input are typed into the terminal.
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios

rows, columns = map(int, sys.argv[1].split("x"))
pid, master = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
sources = [master, 0]
while True:
    ready = select.select(sources, [], [])[0]
    if 0 in ready:
        typed = os.read(0, 4096)
        if typed:
            os.write(master, typed)
        else:
            sources.remove(0)
    if master in ready:
        try:
            data = os.read(master, 4096)
        except OSError:
            break
        if not data:
            break
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(status if status >= 0 else 128 - status)
