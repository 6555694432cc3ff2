"""The ``agents_*`` tools: what the verbs of their kind do, for a caller that the rules allow."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tongs_agents.cli.target import ended
from tongs_agents.errors import Failed
from tongs_agents.looking import look
from tongs_agents.mcp_server import agents_schemas as say
from tongs_agents.mcp_server import rules
from tongs_agents.mcp_server.actor import actor_of, audited
from tongs_agents.mcp_server.admission import admitted, aimed_at, below, targeted
from tongs_agents.mcp_server.caller import caller_of
from tongs_agents.mcp_server.slots import Slot, Slots
from tongs_agents.mcp_server.tool import Call, Family, Tool
from tongs_agents.mcp_server.vigil import Vigil
from tongs_agents.sending import send
from tongs_agents.services import Services, judge
from tongs_agents.shapes import receipt_shape, spawned_shape, waited_shape
from tongs_agents.waiting import Look, asked, wait
from tongs_mux.acts import refusals
from tongs_mux.errors import BadText
from tongs_mux.model import LaunchRecord
from tongs_mux.text import prepare

Work = Callable[[Services, Call], Mapping[str, Any]]


def family(services: Services) -> Family:
    """The four tools; whether they are listed is decided once, when the server starts (6.6)."""
    return Family(
        (
            Tool(
                "agents_spawn", "spawn", say.SPAWN, say.SPAWN_TAKES, say.SPAWN_GIVES,
                _anew(services, spawn),
            ),
            Tool(
                "agents_send", "send", say.SEND, say.SEND_TAKES, say.SEND_GIVES,
                _anew(services, send_to),
            ),
            Tool(
                "agents_status", "status", say.STATUS, say.STATUS_TAKES, say.STATUS_GIVES,
                _anew(services, status_of), read_only=True,
            ),
            Tool(
                "agents_wait", "wait", say.WAIT, say.WAIT_TAKES, say.WAIT_GIVES,
                _anew(services, wait_for), read_only=True,
            ),
        )
    )  # fmt: skip


def _anew(services: Services, work: Work) -> Callable[[Call], Mapping[str, Any]]:
    """Each call by services of its own: nothing is remembered, and nothing is shared."""
    return lambda call: work(services.afresh(), call)


def spawn(services: Services, call: Call) -> dict[str, Any]:
    """``agents_spawn``: into the caller's own session, as the profile says and no other way."""
    by = actor_of(services.environ)
    with refusals(services.auditing(), judge, "spawn", by):
        who = admitted(services)
        caller = who.caller.record
        profile = rules.may_be_spawned(who.config.profiles, call.arguments["profile"])
        rules.may_spawn(who.control, caller)
        starter, root = services.starter_beside(caller), rules.root_of(caller)
        slot = _slots(services).spawn(
            caller.launch_id,
            who.control,
            root=root,
            mark=starter.new_id(),
            below=lambda: below(services, root),
        )
    with _held(services, slot):
        with refusals(services.audit, judge, "spawn", by):
            _session_runs(services, caller)
        labels = {rules.SPAWNED_BY: caller.launch_id, rules.ROOT: root}
        return spawned_shape(starter.spawn(profile, by, labels=labels, launch_id=slot.mark))


def _session_runs(services: Services, caller: LaunchRecord) -> None:
    pane = caller.pane
    runs = pane is not None and services.backends(pane).has_session(pane.session)
    rules.session_runs(runs, pane)


def send_to(services: Services, call: Call) -> dict[str, Any]:
    """``agents_send``: as ``send`` does it; never past a screen that could not be read."""
    given, text = call.arguments["launch_id"], call.arguments["text"]
    by, target = actor_of(services.environ), aimed_at(services, given)
    with refusals(services.auditing(), judge, "send", by, target, _body(text)):
        who = admitted(services)
        record = targeted(services, given, who)
        slot = _slots(services).send(who.caller.launch_id, who.control)
    with _held(services, slot):
        return receipt_shape(send(services, record, text, by))


def _body(text: str) -> bytes:
    """What would be pasted, for the audit's length and hash."""
    try:
        return prepare(text)
    except BadText:
        return text.encode("utf-8", "surrogatepass")


def status_of(services: Services, call: Call) -> dict[str, Any]:
    """``agents_status``: as ``agent-status`` does it."""
    given = call.arguments["launch_id"]
    by, target = actor_of(services.environ), aimed_at(services, given)
    with audited(services.auditing(), judge, "status", by, target):
        looked = look(services, targeted(services, given, admitted(services)))
        if looked.ended:
            raise Failed(ended(looked.doing.seen))
        return {"ok": True, **looked.launch}


def wait_for(services: Services, call: Call) -> dict[str, Any]:
    """``agents_wait``: as ``wait`` does it, for as long as its caller is who it was (6.24)."""
    given, seconds = call.arguments["launch_id"], float(call.arguments["timeout_s"])
    by, target = actor_of(services.environ), aimed_at(services, given)
    with audited(services.auditing(), judge, "wait", by, target):
        until = asked(call.arguments["until"], seconds)
        record = targeted(services, given, admitted(services))
        words = f"waiting until {record.launch_id} is {until}"
        vigil = Vigil(call, lambda: caller_of(services), words, time.monotonic)

        def seen() -> Look:
            vigil.stand()
            return services.watch.for_wait(record)

        cancelled = call.cancelled.is_set
        return waited_shape(
            wait(record.launch_id, seen, until, seconds, cancelled=cancelled, pause=vigil.pause)
        )


def _slots(services: Services) -> Slots:
    return Slots(
        services.places.mcp_rate,
        clock=services.clock,
        random_hex=lambda count: os.urandom(count).hex(),
    )


@contextmanager
def _held(services: Services, slot: Slot) -> Iterator[None]:
    """The slot counts where something came of the work, or may have (6.19)."""
    try:
        yield
    except BaseException as error:
        if getattr(error, "effect", "none") in (None, "none"):
            _slots(services).give_back(slot)
        else:
            _slots(services).keep(slot)
        raise
    _slots(services).keep(slot)


__all__ = ["Work", "family", "send_to", "spawn", "status_of", "wait_for"]
