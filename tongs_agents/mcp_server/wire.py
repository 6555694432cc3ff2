"""JSON-RPC lines over two descriptors, each in a thread: who knows when a reply was written.

The SDK's own stdio transport tells nobody (mechanism 10).
"""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Iterator
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Self

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, RequestId

from tongs_agents.mcp_server.descriptors import Descriptors
from tongs_agents.mcp_server.exchange import Exchange
from tongs_agents.mcp_server.lines import parsed
from tongs_agents.mcp_server.threads import Threads

MAX_LINE = 8 << 20
"""Longest message that is read; the rest of a longer one is dropped."""

_CHUNK = 1 << 16


class Wire:
    """Both directions of one connection; a write stream in the SDK's sense by itself.

    Everything but ``read`` and ``write`` runs on the event loop.
    """

    def __init__(self, descriptors: Descriptors, threads: Threads) -> None:
        self._fds = descriptors
        self._threads = threads
        self._loop = asyncio.get_running_loop()
        self._outbox: SimpleQueue[tuple[bytes, asyncio.Future[bool]]] = SimpleQueue()
        self._open: dict[RequestId, list[Exchange]] = {}
        self._idle = asyncio.Event()
        self._idle.set()
        self._broken = False
        self._arriving, self.incoming = anyio.create_memory_object_stream[
            SessionMessage | Exception
        ](0)
        self.ended = asyncio.Event()
        """Set when the client can say or hear nothing more."""

    incoming: MemoryObjectReceiveStream[SessionMessage | Exception]

    def start(self) -> None:
        """Begin to read and write."""
        for work in (self._read, self._write):
            Thread(target=work, name=work.__name__, daemon=True).start()

    async def answered(self) -> None:
        """Return once no request is open."""
        await self._idle.wait()

    def close_incoming(self) -> None:
        """Nothing more is handed on: for the server the input has ended."""
        self._arriving.close()

    def settle_all(self) -> None:
        """Whatever is still open gets no reply any more."""
        for each in [exchange for found in self._open.values() for exchange in found]:
            each.settle(False)

    # The SDK's write stream

    async def send(self, item: SessionMessage, /) -> None:
        """Write one message, whole. Raises BrokenResourceError where nobody reads any more.

        Cancelling it does not undo what is written by then, or stop it halfway.
        """
        message = item.message
        data = message.model_dump_json(by_alias=True, exclude_unset=True).encode("utf-8") + b"\n"
        written: asyncio.Future[bool] = self._loop.create_future()
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            request_id = message.id
            written.add_done_callback(lambda done: self._replied(request_id, done.result()))
        self._outbox.put((data, written))
        if not await asyncio.shield(written):
            raise anyio.BrokenResourceError

    async def aclose(self) -> None:
        """The descriptor stays as it is: the process ends soon."""

    async def __aenter__(self) -> Self:
        """As the SDK wants it."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing to undo."""

    def _replied(self, request_id: RequestId, written: bool) -> None:
        found = self._open.get(request_id, [])
        # of two requests of one id nobody knows which was answered
        sure = written and len(found) == 1
        for exchange in list(found):
            exchange.settle(sure)

    # Reading: a thread of its own, since no event loop can watch a plain file

    def _read(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: the process is ending
            for line in self._lines():
                message, reply = parsed(line)
                if message is not None:
                    asyncio.run_coroutine_threadsafe(self._arrived(message), self._loop).result()
                if reply is not None:
                    asyncio.run_coroutine_threadsafe(self.send(reply), self._loop)
            self._loop.call_soon_threadsafe(self.ended.set)

    def _lines(self) -> Iterator[bytes]:
        held, dropping = bytearray(), False
        while chunk := self._chunk():
            *whole, rest = chunk.split(b"\n")
            for end in whole:
                line = bytes(held + end)
                held.clear()
                if not dropping and line.strip():
                    yield line
                dropping = False
            held += rest
            if len(held) > MAX_LINE:
                held.clear()
                dropping = True
        if held.strip() and not dropping:
            yield bytes(held)

    def _chunk(self) -> bytes:
        while True:
            try:
                return os.read(self._fds.incoming, _CHUNK)
            except BlockingIOError:
                select.select([self._fds.incoming], [], [])
            except OSError:
                return b""

    async def _arrived(self, message: SessionMessage) -> None:
        if isinstance(message.message, JSONRPCRequest):
            message.metadata = self._opened(message.message.id)
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self._arriving.send(message)

    def _opened(self, request_id: RequestId) -> ServerMessageMetadata:
        exchange = Exchange(self._threads.start, lambda: self._closed(request_id, exchange))
        self._open.setdefault(request_id, []).append(exchange)
        self._idle.clear()
        return ServerMessageMetadata(
            request_context=exchange, on_request_unanswered=exchange.unanswered
        )

    def _closed(self, request_id: RequestId, exchange: Exchange) -> None:
        found = self._open[request_id]
        found.remove(exchange)
        if not found:
            del self._open[request_id]
        if not self._open:
            self._idle.set()

    # Writing: a client that does not read holds up this thread and nothing else

    def _write(self) -> None:
        while True:
            data, written = self._outbox.get()
            done = not self._broken and self._put(data)
            if not done:
                self._broken = True
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._wrote, written, done)

    def _put(self, data: bytes) -> bool:
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._fds.outgoing, left) :]
            except BlockingIOError:
                select.select([], [self._fds.outgoing], [])
            except OSError:
                return False
        return True

    def _wrote(self, written: asyncio.Future[bool], done: bool) -> None:
        written.set_result(done)
        if not done:
            self.ended.set()


__all__ = ["MAX_LINE", "Wire"]
