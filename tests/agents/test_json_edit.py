"""Edits of JSON as text: the rest keeps every byte, and the result means what was asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_agents.install import json_edit

_KEYS = st.text(st.characters(codec="utf-8"), max_size=6)
_LEAVES = st.none() | st.booleans() | st.integers() | _KEYS
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=12,
)
_OBJECTS = st.dictionaries(_KEYS, _VALUES, max_size=5)


@st.composite
def written(draw: st.DrawFn, values: st.SearchStrategy[Any] = _OBJECTS) -> str:
    """JSON as somebody may have laid it out: indented, dense, wide, with other line ends."""
    value = draw(values)
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    separators = draw(st.sampled_from([None, (",", ":"), (" , ", " : "), (",", ": ")]))
    ascii_only = draw(st.booleans())
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=ascii_only)
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    blanks = st.sampled_from(["", "\n", "  ", "\n\n", "\r\n"])
    return draw(blanks) + text + draw(blanks)


@given(written(), st.lists(_KEYS, min_size=1, max_size=3), _VALUES)
def test_what_is_put_in_is_there_and_everything_else_is_as_it_was(
    text: str, path: list[str], value: Any
):
    expected = json.loads(text)
    at = expected
    for name in path[:-1]:
        at = at.setdefault(name, {}) if isinstance(at, dict) else None
        if not isinstance(at, dict):
            with pytest.raises(ValueError):
                json_edit.put(text, path, value)
            return
    at[path[-1]] = value
    assert json.loads(json_edit.put(text, path, value)) == expected


@given(written(st.dictionaries(_KEYS, st.lists(_VALUES, max_size=3), max_size=4)), _KEYS, _VALUES)
def test_what_is_appended_and_removed_again_leaves_every_byte(text: str, key: str, value: Any):
    before = json.loads(text)
    made = json_edit.append(text, (key,), value)
    assert json.loads(made) == {**before, key: [*before.get(key, []), value]}
    if before.get(key):
        assert json_edit.remove(made, (key,), len(before[key])) == text
    elif before and key not in before:
        assert json_edit.remove(made, (key,)) == text


@given(written(), st.data())
def test_a_member_that_is_removed_is_gone_and_nothing_else(text: str, data: st.DataObject):
    before = json.loads(text)
    if not before:
        return
    name = data.draw(st.sampled_from(sorted(before)))
    del before[name]
    assert json.loads(json_edit.remove(text, (name,))) == before


@pytest.mark.parametrize(
    "text", ["", "[]", "7", "{", '{"a": 1,}', '{"a": 1, "a": 2}', "// c\n{}", "\ufeff{}"]
)
def test_what_is_no_plain_json_object_is_not_read(text: str):
    with pytest.raises(ValueError):
        json_edit.read(text)


def test_nothing_is_removed_that_is_not_there():
    with pytest.raises(LookupError):
        json_edit.remove('{"a": {"b": [1]}}', ("a", "c"))
    with pytest.raises(LookupError):
        json_edit.remove('{"a": {"b": [1]}}', ("a", "b"), 1)


def test_a_value_that_is_no_container_is_not_overwritten_on_the_way():
    with pytest.raises(ValueError):
        json_edit.append('{"hooks": "none"}', ("hooks", "Stop"), 1)


def test_an_addition_is_laid_out_as_its_neighbours_are():
    text = '{\n    "a": 1,\n    "b": {"c": 2}\n}\n'
    assert json_edit.put(text, ("d", "e"), [1]) == (
        '{\n    "a": 1,\n    "b": {"c": 2},\n    "d": {\n        "e": [\n            1\n'
        "        ]\n    }\n}\n"
    )
    assert json_edit.put(text, ("b", "f"), [1]).splitlines()[2] == '    "b": {"c": 2, "f": [1]}'
