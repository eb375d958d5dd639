#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""inherit.py WHAT... -- COMMAND...: starts COMMAND as an odd caller does.

ignore=SIGNAL   the signal is ignored          block=SIGNAL   it is blocked
close=FD        the descriptor is closed       umask=OCTAL    new files' mask
groups=1,2      supplementary groups           listen=N       LISTEN_FDS=N and LISTEN_PID for COMMAND, fds 3..
"""
import os
import signal
import socket
import sys

split = sys.argv.index("--")
for word in sys.argv[1:split]:
    what, value = word.split("=", 1)
    if what == "ignore":
        signal.signal(getattr(signal, value), signal.SIG_IGN)
    elif what == "block":
        signal.pthread_sigmask(signal.SIG_BLOCK, [getattr(signal, value)])
    elif what == "close":
        os.close(int(value))
    elif what == "umask":
        os.umask(int(value, 8))
    elif what == "groups":
        os.setgroups([int(group) for group in value.split(",")])
    elif what == "listen":
        for i in range(int(value)):
            kept = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            kept.bind(("127.0.0.1", 0))
            kept.listen(1)
            os.dup2(kept.detach(), 3 + i)
        os.environ.update(LISTEN_FDS=value, LISTEN_PID=str(os.getpid()), LISTEN_FDNAMES=":".join("x" * int(value)))
    else:
        sys.exit(f"inherit.py: {word}")
os.execvp(sys.argv[split + 1], sys.argv[split + 1:])
