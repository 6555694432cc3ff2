"""``config check``: says what is wrong with the config, and does nothing else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from tongs_agents.cli.reply import Line, Reply, Span
from tongs_agents.cli.verb import App, Verb

if TYPE_CHECKING:
    from tongs_agents.config import Config
    from tongs_agents.services import Services

_COLOURS = {"ok": "green", "warning": "yellow", "fault": "red"}


@click.command("check", cls=Verb, inside="open", example="tongs-agents config check")
@click.pass_obj
def verb(app: App) -> Reply:
    """Check the config: each fault with its line, and what is allowed there.

    Exit code 1 on a fault, 0 with warnings.
    """
    checks = list(_checks(app.services))
    lines = tuple(map(_line, checks))
    faults = sum(check["level"] == "fault" for check in checks)
    if not faults:
        return Reply({"ok": True, "checks": checks}, lines)
    from tongs_agents.outcomes import failure

    found = failure("usage", f"{faults} fault{'' if faults == 1 else 's'} in the config")
    document = {**found.to_json(), "checks": checks}
    return Reply(document, lines, exit_code=found.exit_code)


def _checks(services: Services) -> Iterator[dict[str, str]]:
    from tongs_agents.errors import ConfigError
    from tongs_mux.errors import PlaceRefused

    path = services.places.config
    try:
        config = services.config
    except ConfigError as error:
        for fault in error.faults:
            allowed = f"allowed: {fault.allowed}"
            text = fault.sentence(error.path).removesuffix(f"; {allowed}")
            yield _check("config", "fault", text, allowed)
        return
    except PlaceRefused as error:
        yield _check("config", "fault", error.message, error.hint)
        return
    if not path.exists():
        text = f"{path} does not exist: every setting has its default, and there is no profile"
        yield _check("config", "warning", text, "`tongs-agents init` writes one")
        return
    number = len(config.profiles)
    yield _check("config", "ok", f"{path}: {number} profile{'' if number == 1 else 's'}", "")
    yield from _profiles(config, services.environ.get("PATH", os.defpath))


def _profiles(config: Config, path: str) -> Iterator[dict[str, str]]:
    """What would make a spawn fail now; it may be right by then, so it is a warning."""
    for profile in config.profiles.values():
        name = f"profiles.{profile.name}"
        program = profile.command[0]
        if shutil.which(program, path=profile.env.get("PATH", path)) is None:
            yield _check(name, "warning", f"{program}: no such command in PATH", "install it")
        if profile.cwd is not None and not profile.cwd.is_dir():
            yield _check(name, "warning", f"{profile.cwd} is no directory", "make it")


def _check(name: str, level: str, text: str, remedy: str) -> dict[str, str]:
    return {"name": name, "level": level, "text": text, "remedy": remedy}


def _line(check: dict[str, Any]) -> Line:
    level = check["level"]
    remedy = f" ({check['remedy']})" if check["remedy"] else ""
    return (Span(f"{level:<8}", _COLOURS[level]), f" {check['name']}: {check['text']}{remedy}")


__all__ = ["verb"]
