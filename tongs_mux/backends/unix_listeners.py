"""Who listens on which unix socket: asked of the kernel, without touching the socket itself.

A connection would do as well, but it is an act: a Zellij server that is still
starting dies of a client that connects and leaves.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tongs_mux.errors import BackendError, BackendUnavailable

# linux/netlink.h, linux/sock_diag.h, linux/unix_diag.h
_SOCK_DIAG = 4
_BY_FAMILY = 20
_REQUEST_AND_DUMP = 0x301
_ERROR, _DONE = 2, 3
_LISTENING = 1 << 10
_SHOW_NAME_AND_VFS = 3
_NAME, _VFS = 0, 1
_ANSWER_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Listener:
    """A listening unix socket: its own inode, the name it was bound to, its file's inode."""

    inode: int
    bound: str
    file_inode: int
    """Low 32 bits; a file that is renamed or linked keeps it."""


def listeners() -> tuple[Listener, ...]:
    """Every listening unix socket that has a file, in about 0.1 ms.

    Raises BackendUnavailable where the system can't be asked, BackendError
    where it does not answer.
    """
    try:
        answer = b"".join(_dump())
    except (OSError, AttributeError) as error:
        raise BackendUnavailable(
            f"this system does not say who listens on a socket: {error}",
            hint="Zellij can be driven on Linux only",
        ) from error
    return tuple(found for found in map(_listener, _messages(answer)) if found is not None)


def _dump() -> Iterator[bytes]:
    any_cookie = 0xFFFFFFFF
    ask = struct.pack(
        "=BBHIIIII",
        *(socket.AF_UNIX, 0, 0, _LISTENING, 0, _SHOW_NAME_AND_VFS, any_cookie, any_cookie),
    )
    head = struct.pack("=IHHII", 16 + len(ask), _BY_FAMILY, _REQUEST_AND_DUMP, 0, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
        kernel.settimeout(_ANSWER_SECONDS)
        kernel.send(head + ask)
        while True:
            data = kernel.recv(1 << 17)
            yield data
            if any(kind in (_ERROR, _DONE) for kind, _ in _parts(data)):
                return


def _messages(answer: bytes) -> Iterator[bytes]:
    for kind, body in _parts(answer):
        if kind == _ERROR:
            number = -struct.unpack_from("=i", body)[0]
            raise BackendError(f"the kernel lists no sockets: {os.strerror(number)}")
        if kind == _BY_FAMILY:
            yield body


def _parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(type, body) of each netlink message."""
    at = 0
    while at + 16 <= len(data):
        length, kind = struct.unpack_from("=IH", data, at)
        if length < 16:
            return
        yield kind, data[at + 16 : at + length]
        at += (length + 3) & ~3


def _listener(body: bytes) -> Listener | None:
    """The socket that one message tells of; None for one without a file."""
    inode = struct.unpack_from("=I", body, 4)[0]
    found = dict(_attributes(body[16:]))
    if _NAME not in found or _VFS not in found or found[_NAME][:1] == b"\0":
        return None
    name = os.fsdecode(found[_NAME].split(b"\0", 1)[0])
    return Listener(inode, name, struct.unpack_from("=I", found[_VFS])[0])


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("=HH", data, at)
        if length < 4:
            return
        yield kind, data[at + 4 : at + length]
        at += (length + 3) & ~3


__all__ = ["Listener", "listeners"]
