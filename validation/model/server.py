"""The model server itself: HTTP on loopback, one thread a request."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from validation.model.dialect import Dialect, Frames
from validation.model.messages import Messages
from validation.model.record import Record
from validation.model.responses import Responses
from validation.model.script import plan

DIALECTS: tuple[Dialect, ...] = (Messages(), Responses())
_NO_SUCH_PATH = {"type": "error", "error": {"type": "not_found_error", "message": "no such path"}}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, record: Record, dialects: Sequence[Dialect]) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.record = record
        self.dialects = dialects

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away in the middle of an answer is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the base class's name
        """Requests are on record; the terminal belongs to the run."""

    def do_HEAD(self) -> None:
        self._whole(200, None)

    def do_GET(self) -> None:
        self.server.record.write("get", self.path, None)
        self._whole(404, _NO_SUCH_PATH)

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._whole(200, {"input_tokens": 100})
            return
        dialect = next((one for one in self.server.dialects if path.endswith(one.path)), None)
        number = self.server.record.write(dialect.name if dialect else "other", path, body)
        if dialect is None or not isinstance(body, dict):
            self._whole(404, _NO_SUCH_PATH)
            return
        reply = plan(dialect.read(body))
        if reply.status != 200:
            self._whole(reply.status, dialect.failure(reply))
        elif body.get("stream"):
            self._events(dialect.stream(number, body, reply))
        else:
            self._whole(200, dialect.plain(number, body, reply))

    def _body(self) -> Any:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0)) or self._chunks()
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        with suppress(ValueError):
            return json.loads(raw)
        return None

    def _chunks(self) -> bytes:
        if "chunked" not in (self.headers.get("transfer-encoding") or ""):
            return b""
        whole = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def _whole(self, status: int, document: Any) -> None:
        data = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _events(self, frames: Frames) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for seconds, frame in frames:
            data = frame.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
            time.sleep(seconds)
        self.wfile.write(b"0\r\n\r\n")


@contextmanager
def serving(
    directory: Path, port: int = 0, dialects: Sequence[Dialect] = DIALECTS
) -> Iterator[int]:
    """Serve on loopback, requests on record in ``directory``; yields the port."""
    server = _Server(port, Record(directory), dialects)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


__all__ = ["DIALECTS", "serving"]
