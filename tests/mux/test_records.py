"""A record that was damaged is a ClaimError, never another error and never another record."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tongs_mux.errors import ClaimError
from tongs_mux.model import Claim, LaunchRecord, PaneRef, ProcessIdentity
from tongs_mux.records import LATEST, decode, encode

ID = "0123456789ab"
SERVER = ProcessIdentity(100, "boot:1")
FULL = LaunchRecord(
    ID,
    1.5,
    ("program", "-x"),
    "/work place",
    {"profile": "p"},
    {"state_dir": "/state"},
    pane=PaneRef("tmux", "one", "%3", "/socket"),
    opened_pid=200,
    server=SERVER,
    claim=Claim(ProcessIdentity(200, "boot:2"), "%3", "/socket", SERVER, at=5.0),
    start_error="no",
    ended_at=6.0,
)
ON_ZELLIJ = replace(
    FULL,
    pane=PaneRef("zellij", "one", "terminal_3", None),
    opened_pid=None,
    claim=Claim(ProcessIdentity(200, None), "terminal_3", None, SERVER, at=5.0),
    start_error=None,
    ended_at=None,
)


def read(values: object, name: str = ID) -> LaunchRecord:
    return decode(json.dumps(values).encode(), Path(f"/x/{name}.json"))


# -- what we write is read as it was

names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
texts = names | names.map(lambda text: text + "\udcff")  # as a path that is no UTF-8 comes
paths = texts.map(lambda text: f"/{text}")
identities = st.builds(ProcessIdentity, st.integers(1, 2**31 - 1), st.none() | texts.filter(bool))
moments = st.floats(0, LATEST, exclude_max=True)


@st.composite
def records(draw: st.DrawFn) -> LaunchRecord:
    number = draw(st.integers(0, 999))
    on_tmux = draw(st.booleans())
    pane_id = f"%{number}" if on_tmux else f"terminal_{number}"
    pane = PaneRef(
        "tmux" if on_tmux else "zellij", draw(texts), pane_id, draw(paths) if on_tmux else None
    )
    claim = st.builds(
        Claim, identities, st.just(pane_id), st.just(pane.socket), identities, moments
    )
    is_open = draw(st.booleans())
    return LaunchRecord(
        launch_id=draw(st.from_regex(r"[0-9a-z-]{8,64}", fullmatch=True)),
        created_at=draw(moments),
        argv=tuple(draw(st.lists(texts, min_size=1, max_size=5))),
        cwd=draw(paths),
        labels=draw(st.dictionaries(texts, texts, max_size=3)),
        places=draw(st.dictionaries(texts, paths, max_size=3)),
        pane=pane if is_open else None,
        opened_pid=draw(st.none() | st.integers(1, 2**31 - 1)),
        server=draw(st.none() | identities),
        claim=draw(st.none() | claim) if is_open else None,
        start_error=draw(st.none() | texts),
        ended_at=draw(st.none() | moments),
    )


@given(records())
@example(FULL)
@example(ON_ZELLIJ)
def test_a_record_is_read_as_it_was_written(launch: LaunchRecord):
    assert decode(encode(launch), Path(f"{launch.launch_id}.json")) == launch


# -- anything else

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([2**31, -1, 0, 1, 10**400, 1e300, "", "x", "/x", "%3", "terminal_3", ID])
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


def places_in(values: object, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a document."""
    inside: Any = values.items() if isinstance(values, dict) else enumerate(values)  # type: ignore[arg-type]
    for key, value in inside:
        yield (*above, key)
        if isinstance(value, dict | list):
            yield from places_in(value, (*above, key))


def with_other(document: Any, way: tuple[Any, ...], value: object) -> Any:
    """The document with another value at that place."""
    changed = json.loads(json.dumps(document))
    inner = changed
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = value
    return changed


DOCUMENTS = [json.loads(encode(each)) for each in (FULL, ON_ZELLIJ)]
FIELDS = [(document, way) for document in DOCUMENTS for way in places_in(document)]


@settings(max_examples=500)
@given(st.sampled_from(FIELDS), json_values)
def test_one_field_of_another_kind_is_read_as_it_stands_or_not_at_all(
    field: tuple[Any, tuple[Any, ...]], value: object
):
    changed = with_other(*field, value)
    try:
        found = read(changed)
    except ClaimError:
        return
    assert json.loads(encode(found)) == changed


@given(st.dictionaries(st.sampled_from([*DOCUMENTS[0], "extra"]), json_values) | json_values)
def test_any_other_json_is_a_claim_error(value: object):
    with pytest.raises(ClaimError):
        read(value)


@given(st.binary(max_size=50))
def test_any_other_bytes_are_a_claim_error(data: bytes):
    with pytest.raises(ClaimError):
        decode(data, Path(f"{ID}.json"))


WRONG: list[tuple[str, tuple[Any, ...], Any]] = [
    ("a time that is text", ("created_at",), "x"),
    ("no time", ("created_at",), None),
    ("a time that is true", ("created_at",), True),
    ("a time that is no number", ("created_at",), math.nan),
    ("a time without end", ("ended_at",), math.inf),
    ("a time as long as a line", ("ended_at",), 10**400),
    ("a time before all", ("claim", "at"), -1.0),
    ("no labels", ("labels",), None),
    ("a label that is no text", ("labels", "profile"), 5),
    ("a relative place", ("places", "state_dir"), "state"),
    ("a relative cwd", ("cwd",), "work"),
    ("a path with a NUL", ("cwd",), "/a\0b"),
    ("no words", ("argv",), []),
    ("words as one text", ("argv",), "program"),
    ("a pid that is a list", ("claim", "process", "pid"), [1]),
    ("a pid of nobody", ("claim", "process", "pid"), 0),
    ("a pid of a group", ("claim", "process", "pid"), -1),
    ("a pid that is true", ("opened_pid",), True),
    ("a pid that is 1.0", ("opened_pid",), 1.0),
    ("an empty start token", ("server", "start_token"), ""),
    ("an id that is a number", ("launch_id",), 5),
    ("an id that is none", ("launch_id",), "../../etc"),
    ("another launch's id", ("launch_id",), "another-id"),
    ("no socket on tmux", ("pane", "socket"), None),
    ("a relative socket", ("claim", "socket"), "socket"),
    ("a pane by its name", ("pane", "pane_id"), "one:0.0"),
    ("another multiplexer's pane", ("claim", "pane_id"), "terminal_3"),
    ("another multiplexer", ("pane", "multiplexer"), "screen"),
    ("a claim without a pane", ("pane",), None),
    ("half a character", ("start_error",), "\ud800"),
    ("a field that is not ours", ("extra",), 1),
    ("another version", ("schema",), 2),
]


@pytest.mark.parametrize(("way", "value"), [case[1:] for case in WRONG], ids=[c[0] for c in WRONG])
def test_each_field_is_checked(way: tuple[Any, ...], value: object):
    with pytest.raises(ClaimError, match=ID):
        read(with_other(DOCUMENTS[0], way, value))


def test_on_zellij_the_record_has_a_directory_of_sockets_and_the_claim_has_none():
    record = read(with_other(DOCUMENTS[1], ("pane", "socket"), "/sockets"))
    assert record.pane is not None
    assert record.pane.socket == "/sockets"
    with pytest.raises(ClaimError, match="no absolute path"):
        read(with_other(DOCUMENTS[1], ("pane", "socket"), "sockets"))
    with pytest.raises(ClaimError, match=r"claim\.socket"):
        read(with_other(DOCUMENTS[1], ("claim", "socket"), "/sockets"))


def test_a_field_that_is_missing_is_named():
    document = {name: value for name, value in DOCUMENTS[0].items() if name != "labels"}
    with pytest.raises(ClaimError, match="labels"):
        read(document)
