"""Serves one client on standard input and output, from the first byte to the orderly end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterable
from contextlib import suppress

from tongs_agents.mcp_server import liveness
from tongs_agents.mcp_server.descriptors import Descriptors
from tongs_agents.mcp_server.listing import Listing
from tongs_agents.mcp_server.server import Denied, Tools, build
from tongs_agents.mcp_server.threads import Threads
from tongs_agents.mcp_server.tool import Family
from tongs_agents.mcp_server.wire import Wire

ANSWER_SECONDS = 1.0
"""After the end of input: for replies to what was asked before it."""

FINISH_SECONDS = 0.5
"""After that: for work to write down how it ended."""

LEAVE_SECONDS = 1.8
"""Then the process is gone, come what may."""

_SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


async def serve(descriptors: Descriptors, families: Iterable[Family], denied: Denied) -> int:
    """Serve until the client is gone; returns the exit code: 0, or 128 and the signal's number."""
    loop, threads = asyncio.get_running_loop(), Threads()
    wire, listing = Wire(descriptors, threads), Listing(families, threads)
    tools = Tools(listing, threads, denied)
    server, options = build(tools, listing)
    codes: list[int] = []

    def signalled(number: int) -> None:
        codes.append(128 + number)
        wire.ended.set()

    for number in _SIGNALS:
        loop.add_signal_handler(number, signalled, number)
    wire.start()
    liveness.watch(descriptors.outgoing, lambda: _from_thread(loop, wire.ended))
    watching = asyncio.create_task(listing.watch())
    ending = asyncio.create_task(_end(wire, listing, tools, codes))
    await server.run(wire.incoming, wire, options)
    watching.cancel()
    await ending
    wire.settle_all()
    with suppress(TimeoutError):
        await asyncio.wait_for(threads.idle(), FINISH_SECONDS)
    return codes[0] if codes else 0


async def _end(wire: Wire, listing: Listing, tools: Tools, codes: list[int]) -> None:
    """Once the client is gone: nothing waits any longer, what was asked is still answered."""
    await wire.ended.wait()
    liveness.leave_in(LEAVE_SECONDS, codes[0] if codes else 0)
    tools.cancel_all()
    listing.listen.close()
    with suppress(TimeoutError):
        await asyncio.wait_for(wire.answered(), ANSWER_SECONDS)
    wire.close_incoming()


def _from_thread(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    with suppress(RuntimeError):  # the loop is closed: the process is ending
        loop.call_soon_threadsafe(event.set)


__all__ = ["ANSWER_SECONDS", "FINISH_SECONDS", "LEAVE_SECONDS", "serve"]
