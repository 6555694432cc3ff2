"""The generator of the reference pages: what it writes, and that a page left behind is seen."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from scripts import docs


@click.group()
def outer() -> None:
    """Does it all."""


@outer.command()
@click.option("--json", is_flag=True, help="One JSON document.")
def inner(json: bool) -> None:
    """Does one thing."""


@outer.command(hidden=True)
def secret() -> None:
    """Not for people."""


def test_every_command_that_is_not_hidden_is_a_section():
    sections = dict(docs.commands(outer, "tongs-agents"))
    assert list(sections) == ["tongs-agents", "tongs-agents inner"]
    assert "Usage: tongs-agents inner [OPTIONS]" in sections["tongs-agents inner"]
    assert "One JSON document." in sections["tongs-agents inner"]


def test_help_does_not_depend_on_the_terminal(monkeypatch: pytest.MonkeyPatch):
    wide = dict(docs.commands(outer, "tongs-agents"))
    monkeypatch.setenv("COLUMNS", "40")
    assert dict(docs.commands(outer, "tongs-agents")) == wide


def test_a_page_that_was_left_behind_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    pages = {"reference/page.md": lambda: "new\n"}
    monkeypatch.setattr(docs, "PAGES", pages)
    assert "+new" in docs.differences(tmp_path)
    assert docs.write(tmp_path) == ["reference/page.md"]
    assert docs.differences(tmp_path) == ""
    assert docs.write(tmp_path) == []


def test_a_missing_source_is_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setattr(docs, "PAGES", {"x.md": lambda: docs._attribute("no_such", "CLI")})
    assert docs.main(["--check"]) == 1
    assert "no_such.CLI is not there to be documented" in capsys.readouterr().err
