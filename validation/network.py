"""Loopback and nothing else: this process and all that it starts lose the network."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from contextlib import suppress
from pathlib import Path

_NEW_NETWORK, _NEW_USER = 0x40000000, 0x10000000
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1


def loopback_only() -> bool:
    """Enter a network namespace of our own that holds only ``lo``.

    Where root allows it, or an unprivileged user may make namespaces; False
    where neither does (or this is not Linux), and the network stays as it is.
    Call it before any thread starts.
    """
    with suppress(OSError, AttributeError):
        if os.geteuid() == 0:
            _unshare(_NEW_NETWORK)
        else:
            _own_user_namespace()
        _up("lo")
        return True
    return False


def _unshare(flags: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(flags):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _own_user_namespace() -> None:
    uid, gid = os.geteuid(), os.getegid()
    _unshare(_NEW_USER | _NEW_NETWORK)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1", encoding="ascii")


def _up(interface: str) -> None:
    name = interface.encode()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", name, 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, _GET_FLAGS, request))[1]
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", name, flags | _UP))


__all__ = ["loopback_only"]
