"""``init``: writes a commented config."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb


@click.command("init", cls=Verb, example="tongs-agents init")
@click.pass_obj
def verb(app: App) -> Reply:
    """Write a commented config.

    It has a profile for each agent program found on PATH. Where there is none,
    profile "worker" starts the scripted agent, to try things with. A config
    that is there already is never touched.
    """
    from tongs_agents.config_example import render_example

    services = app.services
    path = services.places.config
    programs = services.environ.get("PATH", os.defpath)
    found = _harnesses(programs)
    created = _write_new(path, render_example(found).encode("utf-8"))
    document = {"ok": True, "path": str(path), "created": created}
    if not created:
        return Reply(document, (f"{path} is there already; nothing was changed",))
    lines = (f"wrote {path}", f"profiles: {', '.join(found) or 'worker'}")
    return Reply(document, lines if found else (*lines, *_to_try_with(programs)))


def _to_try_with(path: str) -> tuple[str, ...]:
    """Where nothing else was found: what ``worker`` is, and whether it can be started."""
    program = "tongs-agents-scripted"
    words = "no agent program was found on PATH: worker is the scripted agent, to try things with"
    if shutil.which(program, path=path):
        return (words,)
    return (words, f"{program} is not on PATH yet: put it where tongs-agents is")


def _harnesses(path: str) -> tuple[str, ...]:
    """The real harnesses whose command is on ``path``."""
    from tongs_agents.config_schema import HARNESS_OF_COMMAND

    return tuple(
        harness
        for command, harness in HARNESS_OF_COMMAND.items()
        if harness != "scripted" and shutil.which(command, path=path)
    )


def _write_new(path: Path, data: bytes) -> bool:
    """Write a new file of mode 0600; False where there is something at ``path`` already."""
    from tongs_mux.files import open_private

    _make_directory(path.parent)
    try:
        fd = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        return False
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise
    return True


def _make_directory(path: Path) -> None:
    """``path`` and its missing parents: the user's own, and open to nobody else.

    Under a umask of ours while they are made, so that none is ever anything else.
    """
    before = os.umask(0o077)
    try:
        for each in reversed((path, *path.parents)):
            with suppress(FileExistsError):
                if not each.exists():
                    each.mkdir(mode=0o700)
    finally:
        os.umask(before)


__all__ = ["verb"]
