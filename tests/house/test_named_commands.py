"""Every command of ours that a page, a reason or a hint names exists, with its options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import click
import pytest

from tests.house.tree import PACKAGES, files, modules, parse
from tests.pages import page
from tongs_agents.cli.main import ELSEWHERE, cli
from tongs_agents.reasons import REASONS

PAGES = [
    name
    for name in files()
    if name.endswith(".md") and (name.startswith("docs/") or "/" not in name)
]
_SPAN = re.compile(r"`(?:\$ )?(tongs-agents [^`\n]+)")
_LINE = re.compile(r"^(?:#? *|.*\$ )(tongs-agents [a-z-][^\n]*)$", re.MULTILINE)
_FENCED = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def wrong(command: str) -> str:
    """What of a command line of ours does not exist; empty where all does."""
    at: click.Command = cli
    for word in (each.rstrip(".,;:)") for each in command.split()[1:]):
        if word in ("--", "|", "WORDS") or word.startswith(("#", "'", '"', "…")):
            return ""
        if word.startswith("-") and len(word) > 1:
            known = {opt for each in at.params for opt in each.opts} | {"--help", "-h"}
            if word not in known:
                return f"{command}: no option {word}"
        elif isinstance(at, click.Group):
            found = at.get_command(click.Context(at), word)
            if found is None:
                return f"{command}: no command {word}"
            at = found
    return ""


def _of_page(text: str) -> Iterator[str]:
    yield from _SPAN.findall(text)
    for block in _FENCED.findall(text):
        yield from _LINE.findall(block)


def _of_module(name: str) -> Iterator[str]:
    for node in ast.walk(parse(name)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _SPAN.findall(node.value)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_names_only_commands_that_exist(name: str):
    assert [fault for fault in map(wrong, _of_page(page(name))) if fault] == []


@pytest.mark.parametrize("name", modules(*PACKAGES))
def test_a_module_names_only_commands_that_exist(name: str):
    assert [fault for fault in map(wrong, _of_module(name)) if fault] == []


@pytest.mark.parametrize("slug", REASONS)
def test_a_reason_names_commands_by_their_full_name(slug: str):
    row = REASONS[slug]
    spans = re.findall(r"`([^`]+)`", f"{row.meaning} {row.remedy}")
    commands = [span for span in spans if span != row.outcome and span != "refused"]
    assert all(span.startswith("tongs-agents ") for span in commands)
    assert [wrong(span) for span in commands if wrong(span)] == []


def test_what_is_suggested_for_another_programs_verb_exists():
    for verb, meant in ELSEWHERE.items():
        assert cli.get_command(click.Context(cli), verb) is None
        assert [wrong(f"tongs-agents {words}") for words in meant] == [""] * len(meant)


@pytest.mark.parametrize(
    "command",
    ["tongs-agents nonesuch", "tongs-agents config nonesuch", "tongs-agents list --nonesuch"],
)
def test_one_that_does_not_exist_would_be_seen(command: str):
    assert list(_of_page(f"see `{command}`")) == [command]
    assert list(_of_page(f"```sh\n$ {command}\n```")) == [command]
    assert "nonesuch" in wrong(command)
