"""``config capture``: what a bug report needs, and nothing private."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb

if TYPE_CHECKING:
    from tongs_agents.services import Services

DEFAULT = "tongs-agents-report.txt"


@click.command("capture", cls=Verb, example="tongs-agents config capture report.txt")
@click.argument("file", required=False, default=DEFAULT, metavar="[FILE]")
@click.pass_obj
def verb(app: App, file: str) -> Reply:
    """Write config, versions and doctor's lines into FILE, for a bug report.

    Values of env are masked. No chat, audit or state goes into it. A file that
    is there already is never touched; `-` prints it. Without FILE it is
    tongs-agents-report.txt.
    """
    text = _report(app.services)
    if file == "-":
        return Reply({"ok": True, "path": None, "text": text}, tuple(text.splitlines()))
    path = app.services.cwd / Path(file).expanduser()
    _write_new(path, text)
    return Reply({"ok": True, "path": str(path)}, (f"wrote {path}: read it before you share it",))


def _report(services: Services) -> str:
    from importlib.metadata import version

    from tongs_agents.cli.config_show import as_lines
    from tongs_agents.cli.registering import machine
    from tongs_agents.doctor.examine import examine
    from tongs_agents.errors import ConfigError
    from tongs_mux.errors import PlaceRefused

    lines = [f"tongs-agents {version('tongs-agents')}", "", "# doctor"]
    found = examine(services, machine(services))
    lines += [f"{check.level:<8} {check.name}: {check.text}" for check in found]
    lines += ["", "# config"]
    try:
        lines += as_lines(services.config)
    except (ConfigError, PlaceRefused) as error:
        lines.append(error.message)
    return _without_home("\n".join(lines) + "\n", services.home)


def _without_home(text: str, home: Path) -> str:
    """A home's path names its user."""
    return text if home == Path("/") else text.replace(str(home), "~")


def _write_new(path: Path, text: str) -> None:
    """Raises UsageError where there is something already, or it can't be written."""
    from tongs_agents.errors import UsageError

    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        hint = "name another file, or remove it"
        raise UsageError(f"{path} is there already; nothing was written", hint=hint) from None
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(text)


__all__ = ["DEFAULT", "verb"]
