"""HOST: a program that is a launch's own process, and starts MCP servers as a harness does.

It listens on a unix socket. Whoever connects sends one JSON line, ``{"argv", "env"}``;
the program that it names is started as HOST's child, with the connection as its
standard input and output, and ``env`` (null: unset) over HOST's own environment. An
empty ``argv`` ends HOST, which outlives its pane.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys


def main(path: str) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(64)
    children: list[subprocess.Popen[bytes]] = []
    while True:
        connection, _ = server.accept()
        asked = json.loads(_line(connection))
        if not asked["argv"]:
            return
        environ = dict(os.environ)
        for name, value in asked["env"].items():
            environ.pop(name, None)
            if value is not None:
                environ[name] = value
        with connection, open(asked["errors"], "ab") as errors:
            child = subprocess.Popen(
                asked["argv"],
                stdin=connection.fileno(),
                stdout=connection.fileno(),
                stderr=errors,
                env=environ,
            )
        children = [it for it in children if it.poll() is None] + [child]


def _line(connection: socket.socket) -> bytes:
    """Up to the newline and not one byte more: the rest is the child's."""
    data = b""
    while not data.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte:
            return b'{"argv": ["true"], "env": {}, "errors": "/dev/null"}'
        data += byte
    return data


if __name__ == "__main__":
    main(sys.argv[1])
