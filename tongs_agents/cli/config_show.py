"""``config show``: the settings in force."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb

if TYPE_CHECKING:
    from tongs_agents.config import Config


@click.command("show", cls=Verb, example="tongs-agents config show")
@click.pass_obj
def verb(app: App) -> Reply:
    """Print every setting in force, defaults included; values of env are masked."""
    from tongs_agents.config import as_dict

    config = app.services.config
    return Reply({"ok": True, "config": as_dict(config)}, tuple(as_lines(config)))


def as_lines(config: Config) -> Iterator[str]:
    """The settings in force as lines of TOML; values of env are masked."""
    from tongs_agents.config import as_dict

    return _toml(as_dict(config))


def _toml(config: Mapping[str, Any]) -> Iterator[str]:
    """The settings as a config file would have them; what is unset is left out."""
    yield f"# {config['path']}"
    tables = {name: table for name, table in config.items() if name not in ("path", "profiles")}
    tables |= {f"profiles.{name}": table for name, table in config["profiles"].items()}
    for name, table in tables.items():
        yield ""
        yield f"[{name}]"
        for key, value in table.items():
            if value is not None and key != "name":
                yield f"{key} = {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{name} = {_value(each)}" for name, each in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    return json.dumps(value, ensure_ascii=False)


__all__ = ["as_lines", "verb"]
