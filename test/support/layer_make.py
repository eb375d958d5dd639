#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""layer_make.py TAR: writes a tar archive of the entries that standard input names, one a line, in that order.

  dir PATH MODE UID:GID               link PATH TARGET
  file PATH MODE UID:GID TEXT         hard PATH TARGET
  file PATH MODE UID:GID <SOURCE      char|block PATH MAJOR:MINOR
  fifo PATH                           xattr PATH MODE UID:GID NAME=HEX    (a file with it)
"""
import io
import sys
import tarfile

KINDS = {
    "dir": tarfile.DIRTYPE, "file": tarfile.REGTYPE, "xattr": tarfile.REGTYPE, "link": tarfile.SYMTYPE,
    "hard": tarfile.LNKTYPE, "char": tarfile.CHRTYPE, "block": tarfile.BLKTYPE, "fifo": tarfile.FIFOTYPE,
}


def entry(line):
    kind, path, *words = line.split(" ", 4)
    info = tarfile.TarInfo(path)
    info.type = KINDS[kind]
    info.mode = 0o644
    data = b""
    if kind in ("dir", "file", "xattr"):
        info.mode = int(words[0], 8)
        info.uid, info.gid = map(int, words[1].split(":"))
    if kind in ("link", "hard"):
        info.linkname = words[0]
    if kind in ("char", "block"):
        info.devmajor, info.devminor = map(int, words[0].split(":"))
    if kind == "file" and len(words) > 2:
        data = open(words[2][1:], "rb").read() if words[2].startswith("<") else (words[2] + "\n").encode()
    if kind == "xattr":
        name, value = words[2].split("=")
        info.pax_headers = {"SCHILY.xattr." + name: bytes.fromhex(value).decode("utf-8", "surrogateescape")}
    info.size = len(data)
    return info, io.BytesIO(data)


with tarfile.open(sys.argv[1], "w", format=tarfile.PAX_FORMAT, encoding="utf-8") as tar:
    for text in sys.stdin:
        if text.strip():
            tar.addfile(*entry(text.rstrip("\n")))
