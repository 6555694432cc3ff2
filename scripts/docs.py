"""Writes the generated pages of the reference, or checks that they are as they would be written.

Usage: python -m scripts.docs [--check]
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click

from tongs_agents.config_example import render_example
from tongs_agents.mcp_server import agents, fleet
from tongs_agents.mcp_server.names import PREAPPROVED
from tongs_agents.mcp_server.tool import Tool
from tongs_agents.reasons import REASONS
from tongs_agents.services import Services
from tongs_chat import roles

ROOT = Path(__file__).parents[1]
WIDTH = 88

_GENERATED = "<!-- Written by `make docs`; do not edit. -->\n"


class SourceMissing(Exception):
    """What a page is generated from does not exist or is not of the expected form."""


def _attribute(module: str, name: str) -> object:
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise SourceMissing(f"{module}.{name} is not there to be documented: {error}") from error


def commands(
    command: click.Command, path: str, parent: click.Context | None = None
) -> Iterator[tuple[str, str]]:
    """Each command that is not hidden, depth first: its full name and its help."""
    settings = {**command.context_settings, "terminal_width": WIDTH}
    context = click.Context(command, info_name=path, parent=parent, **settings)
    yield context.command_path, click.unstyle(command.get_help(context))
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None and not child.hidden:
                yield from commands(child, name, context)


def cli_page() -> str:
    """The reference of the command line, from what ``--help`` prints."""
    root = _attribute("tongs_agents.cli.main", "cli")
    if not isinstance(root, click.Command):
        raise SourceMissing("tongs_agents.cli.main.cli is not a click command")
    parts = ["# The command line\n", _GENERATED]
    for name, text in commands(root, "tongs-agents"):
        parts.append(f"## `{name}`\n\n```text\n{_trimmed(text)}\n```\n")
    return "\n".join(parts)


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def reasons_page() -> str:
    """The table of reasons, by exit code and slug."""
    parts = [
        "# Reasons\n",
        _GENERATED,
        "Every refusal and failure carries one of these slugs as `reason`, in JSON and over MCP.",
        "The exit code is the usual one. An act that had begun ends with 1 and `uncertain: true`",
        "whatever its reason; `exited` of an act is 5; Ctrl-C on a terminal is 130.\n",
        "| exit code | outcome | reason | what it means | what to do |",
        "|---|---|---|---|---|",
    ]
    for slug, row in sorted(REASONS.items(), key=lambda item: (item[1].exit_code, item[0])):
        cells = (str(row.exit_code), f"`{row.outcome}`", f"`{slug}`", row.meaning, row.remedy)
        parts.append(f"| {' | '.join(_cell(cell) for cell in cells)} |")
    return "\n".join(parts) + "\n"


def config_page() -> str:
    """The configuration, as ``tongs-agents init`` writes it."""
    return "\n".join(
        [
            "# Configuration\n",
            _GENERATED,
            "`$XDG_CONFIG_HOME/tongs-agents/config.toml`, or the file that",
            "`TONGS_AGENTS_CONFIG` names; `tongs-agents config path` says which. It must be",
            "yours and writable by nobody else. An unknown key, a wrong type or a value out",
            "of range is an error that names the file, the key and the line.\n",
            "`tongs-agents init` writes this, with a profile for each agent program it finds, here",
            "Claude Code. Where it finds none, `worker` is no comment:\n",
            f"```toml\n{render_example(['claude'])}```\n",
        ]
    )


def roles_page() -> str:
    """Who may do what in the chat file: the table that the authorizer is made from."""
    parts = [
        "# Roles in the chat file\n",
        _GENERATED,
        "Every connection to the chat file has a role. SQLite's authorizer is made from this",
        "table and denies the rest; triggers of the connection bind writes to rows. It guards",
        "against faults of the program, not against another process of the same user.\n",
        *(f"- `{letter}`: {meaning}" for letter, meaning in roles.LETTERS.items()),
        f"\n| table | column | {' | '.join(roles.ROLES)} |",
        f"|---|---|{'---|' * len(roles.ROLES)}",
    ]
    for table, column, *cells in roles.GRID:
        shown = [f"`{it}`" if it else "" for it in (column, *cells)]
        parts.append(f"| `{table}` | {shown[0] or '(row)'} | {' | '.join(shown[1:])} |")
    return "\n".join(parts) + "\n"


def mcp_page() -> str:
    """The MCP server's tools, from their own schemas."""
    services = Services({}, home=Path("/"), cwd=Path("/"), uid=0, pid=0)
    parts = [
        "# The MCP server\n",
        _GENERATED,
        "`tongs-agents mcp` on standard input and output, as server `tongs-agents`. `fleet_*` is",
        "always listed, `agents_*` where `[control] mcp_enabled` was on when the server started.",
        "Every reply is one object, structured and as the same JSON in text, with `ok`. Where it",
        "is false it has `outcome`, `exit_code`, `reason`, `error` and mostly `hint`, as every",
        "command has with `--json`: see [the reasons](reasons.md). An argument that is not named",
        "here is refused. Every call is audited.\n",
    ]
    for tool in (*fleet.family(services).tools, *agents.family(services).tools):
        parts += _tool_lines(tool)
    return "\n".join(parts)


def _tool_lines(tool: Tool) -> Iterator[str]:
    properties = tool.input_schema["properties"]
    asked = "runs without a question" if tool.name in PREAPPROVED else "is asked about first"
    yield f"## `{tool.name}`\n\n{tool.description} Registered by us, it {asked}.\n"
    if properties:
        yield "| argument | type | default | |\n|---|---|---|---|"
    for name, schema in properties.items():
        default = f"`{schema['default']}`" if "default" in schema else ""
        words = [schema.get("description", ""), _bounds(schema)]
        said = _cell(" ".join(word for word in words if word))
        yield f"| `{name}` | {schema['type']} | {default} | {said} |"
    fields = ", ".join(f"`{name}`" for name in tool.output_schema["properties"])
    yield f"{'' if not properties else chr(10)}Replies with {fields}.\n"


def _bounds(schema: Mapping[str, object]) -> str:
    enum = schema.get("enum")
    if isinstance(enum, list):
        return "One of " + ", ".join(f"`{each}`" for each in enum) + "."
    least, most = schema.get("exclusiveMinimum"), schema.get("maximum")
    return f"More than {least}, at most {most}." if most is not None else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


PAGES: Mapping[str, Callable[[], str]] = {
    "docs/reference/cli.md": cli_page,
    "docs/reference/config.md": config_page,
    "docs/reference/mcp.md": mcp_page,
    "docs/reference/reasons.md": reasons_page,
    "docs/reference/roles.md": roles_page,
}
"""Each generated page and what makes it."""


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def write(root: Path) -> list[str]:
    """Write every page below ``root``; the names of those that changed."""
    changed = []
    for name, make in PAGES.items():
        path = root / name
        text = make()
        if _read(path) != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            changed.append(name)
    return changed


def differences(root: Path) -> str:
    """A diff from the pages below ``root`` to what they ought to be; empty where they agree."""
    lines: list[str] = []
    for name, make in PAGES.items():
        there, wanted = (text.splitlines(keepends=True) for text in (_read(root / name), make()))
        lines += difflib.unified_diff(there, wanted, name, f"{name} (generated)")
    return "".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Write the pages; with ``--check`` only compare, and return 1 where they differ."""
    parser = argparse.ArgumentParser(prog="scripts.docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args(argv)
    try:
        if options.check:
            if diff := differences(ROOT):
                print(
                    f"{diff}\nthe generated pages are out of date: run `make docs`", file=sys.stderr
                )
            return 1 if diff else 0
        for name in write(ROOT):
            print(f"docs: wrote {name}")
    except SourceMissing as error:
        print(f"docs: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
