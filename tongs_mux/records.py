"""A launch record as JSON, and back: every field is checked before any of it is believed. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, cast

from tongs_mux.errors import ClaimError
from tongs_mux.ids import is_launch_id, is_pane_id
from tongs_mux.model import Claim, LaunchRecord, Multiplexer, PaneRef, ProcessIdentity

SCHEMA = 1
"""Version of the record's JSON."""

LATEST = 1e11
"""Times are below it, in seconds since the epoch: far off, and still a date."""

_MAX_PID = 2**31 - 1


class _Unfit(ValueError):
    """A field that can't be what it says."""


def encode(record: LaunchRecord) -> bytes:
    """The record as JSON."""
    return json.dumps({"schema": SCHEMA, **asdict(record)}, indent=1).encode("utf-8") + b"\n"


def decode(data: bytes, path: Path) -> LaunchRecord:
    """The record in ``data``, which is the file ``path``.

    Raises ClaimError where it isn't one of ours: where any field has another
    type or value than we write, or the file is not called by the launch's id.
    """
    try:
        values = _table(json.loads(data), "it")
        if values.pop("schema", None) != SCHEMA:
            raise ClaimError(
                f"{path} was written by another version", hint="use the newest tongs-agents"
            )
        record = _record(values)
        if record.launch_id != path.stem:
            raise _Unfit(f"it is that of launch {record.launch_id}")
    except (ValueError, RecursionError) as error:
        raise ClaimError(
            f"{path} is not a launch record: {error}", hint="`tongs-agents gc` leaves it alone"
        ) from error
    return record


def _record(values: Mapping[str, Any]) -> LaunchRecord:
    _exactly(values, LaunchRecord, "it")
    pane = None if values["pane"] is None else _pane(values["pane"])
    claim = values["claim"]
    if claim is not None and pane is None:
        raise _Unfit("it has a claim and no pane")
    error, ended = values["start_error"], values["ended_at"]
    return LaunchRecord(
        launch_id=_launch_id(values["launch_id"]),
        created_at=_time(values["created_at"], "created_at"),
        argv=_argv(values["argv"]),
        cwd=_path(values["cwd"], "cwd"),
        labels=_texts(values["labels"], "labels"),
        places={
            name: _path(place, "a value in places")
            for name, place in _texts(values["places"], "places").items()
        },
        pane=pane,
        opened_pid=None if values["opened_pid"] is None else _pid(values["opened_pid"]),
        server=None if values["server"] is None else _identity(values["server"], "server"),
        claim=None if claim is None or pane is None else _claim(claim, pane.multiplexer),
        start_error=None if error is None else _text(error, "start_error"),
        ended_at=None if ended is None else _time(ended, "ended_at"),
    )


def _pane(given: object) -> PaneRef:
    values = _table(given, "pane")
    _exactly(values, PaneRef, "pane")
    multiplexer = values["multiplexer"]
    if multiplexer not in ("tmux", "zellij"):
        raise _Unfit("pane.multiplexer is none that is known")
    known = cast(Multiplexer, multiplexer)
    return PaneRef(
        multiplexer=known,
        session=_text(values["session"], "pane.session"),
        pane_id=_pane_id(values["pane_id"], known, "pane.pane_id"),
        socket=_place(values["socket"], known, "pane.socket"),
    )


def _claim(given: object, multiplexer: Multiplexer) -> Claim:
    values = _table(given, "claim")
    _exactly(values, Claim, "claim")
    return Claim(
        process=_identity(values["process"], "claim.process"),
        pane_id=_pane_id(values["pane_id"], multiplexer, "claim.pane_id"),
        socket=_socket(values["socket"], multiplexer, "claim.socket"),
        server=_identity(values["server"], "claim.server"),
        at=_time(values["at"], "claim.at"),
    )


def _identity(given: object, name: str) -> ProcessIdentity:
    values = _table(given, name)
    _exactly(values, ProcessIdentity, name)
    token = values["start_token"]
    return ProcessIdentity(
        pid=_pid(values["pid"]),
        start_token=None if token is None else _text(token, f"{name}.start_token", least=1),
    )


def _exactly(values: Mapping[str, Any], kind: type[Any], name: str) -> None:
    expected = {field.name for field in fields(kind)}
    if values.keys() != expected:
        odd = sorted(values.keys() ^ expected)
        raise _Unfit(f"{name} lacks, or should not have, {', '.join(odd)[:80]!r}")


def _table(given: object, name: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise _Unfit(f"{name} is no JSON object")
    return given


def _text(given: object, name: str, *, least: int = 0) -> str:
    """Any text that can be written: bytes that are no UTF-8 come as surrogates.

    ``str.encode`` raises a ValueError for other surrogates, which no text of ours has.
    """
    if not isinstance(given, str) or len(given) < least:
        raise _Unfit(f"{name} is no text")
    given.encode("utf-8", "surrogateescape")
    return given


def _texts(given: object, name: str) -> dict[str, str]:
    return {
        _text(key, f"a name in {name}"): _text(value, f"a value in {name}")
        for key, value in _table(given, name).items()
    }


def _path(given: object, name: str) -> str:
    text = _text(given, name)
    if not text.startswith("/") or "\0" in text:
        raise _Unfit(f"{name} is no absolute path")
    return text


def _argv(given: object) -> tuple[str, ...]:
    if not isinstance(given, list) or not given:
        raise _Unfit("argv is no command line")
    words = tuple(_text(word, "argv") for word in given)
    if any("\0" in word for word in words):
        raise _Unfit("argv has a NUL")
    return words


def _time(given: object, name: str) -> float:
    # type(), because True is an int to isinstance(); no comparison holds for NaN
    if type(given) not in (int, float) or not 0 <= (at := cast(float, given)) < LATEST:
        raise _Unfit(f"{name} is no time")
    return at


def _pid(given: object) -> int:
    if type(given) is not int or not 0 < given <= _MAX_PID:
        raise _Unfit("a pid is no positive number")
    return given


def _launch_id(given: object) -> str:
    if not isinstance(given, str) or not is_launch_id(given):
        raise _Unfit("launch_id is none")
    return given


def _pane_id(given: object, multiplexer: Multiplexer, name: str) -> str:
    if not isinstance(given, str) or not is_pane_id(multiplexer, given):
        raise _Unfit(f"{name} is no pane id of {multiplexer}")
    return given


def _place(given: object, multiplexer: Multiplexer, name: str) -> str | None:
    """tmux's socket, or the directory of Zellij's, which may be none: that of the environment."""
    if multiplexer == "zellij" and given is None:
        return None
    return _path(given, name)


def _socket(given: object, multiplexer: Multiplexer, name: str) -> str | None:
    if multiplexer == "tmux":
        return _path(given, name)
    if given is not None:
        raise _Unfit(f"{name} is not null, as on Zellij")
    return None


__all__ = ["LATEST", "SCHEMA", "decode", "encode"]
