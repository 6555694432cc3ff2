"""Our own server with tools that misbehave or wait, as a test needs them; a program.

``python -m tests.agents.odd_server DIRECTORY``: what happens is written into files there,
and files there say what is to happen.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.waiting import wait_for
from tongs_agents.errors import Refused
from tongs_agents.mcp_server.descriptors import claim
from tongs_agents.mcp_server.serve import serve
from tongs_agents.mcp_server.tool import Call, Family, Presence, Tool, object_schema

ANY = {"type": "object", "properties": {}}


def _shout(_: Call) -> Mapping[str, Any]:
    print("a library prints this")
    sys.stdout.flush()
    os.write(1, b"straight to descriptor 1\n")
    subprocess.run(["sh", "-c", "echo a child prints this; cat"], check=True)
    return {"ok": True}


def _broken(_: Call) -> Mapping[str, Any]:
    raise StopIteration("a fault of ours")


def _tools(place: Path) -> tuple[Tool, ...]:
    def wait(call: Call) -> Mapping[str, Any]:
        name = call.arguments["name"]
        (place / f"{name}.began").touch()
        call.progress(0.5, "waiting")
        while not call.cancelled.wait(0.05):
            if (place / f"{name}.go").exists():
                return {"ok": True, "name": name}
        (place / f"{name}.cancelled").touch()
        return {"ok": True, "name": name}

    def stubborn(call: Call) -> Mapping[str, Any]:
        (place / "stubborn.began").touch()
        wait_for((place / "stubborn.go").exists, deadline=60)
        return {"ok": True}

    def large(call: Call) -> Mapping[str, Any]:
        call.after_reply(lambda written: (place / f"written-{written}").touch())
        return {"ok": True, "text": "x" * call.arguments["size"]}

    def surrogate(call: Call) -> Mapping[str, Any]:
        text = call.arguments["text"]
        raise Refused(f"half a pair: {text}", reason="bad-text")

    name = {"name": {"type": "string"}}
    return (
        Tool("shout", "shout", "", object_schema({}), ANY, _shout),
        Tool("wait", "wait", "", object_schema(name, required=("name",)), ANY, wait),
        Tool("stubborn", "stubborn", "", object_schema({}), ANY, stubborn),
        Tool("large", "large", "", object_schema({"size": {"type": "integer"}}), ANY, large),
        Tool("surrogate", "text", "", object_schema({"text": {"type": "string"}}), ANY, surrogate),
        Tool("broken", "broken", "", object_schema({}), ANY, _broken),
    )


def _changing(place: Path) -> Family:
    """One tool whose presence a file says; ``listed-N`` counts its listings."""
    tool = Tool("extra", "extra", "", object_schema({}), ANY, lambda _: {"ok": True}, notice="N.")

    def presence() -> Presence:
        said = (place / "presence").read_text(encoding="utf-8")
        if said == "listed":
            return "listed"
        if said == "absent":
            return "absent"
        if said == "trouble":
            raise OSError("it can't be told")
        return "hidden"

    def on_listed() -> None:
        (place / f"listed-{len(list(place.glob('listed-*')))}").touch()

    return Family((tool,), presence, on_listed)


def main(place: Path) -> int:
    """Serve until the client is gone."""
    descriptors = claim()
    families = [Family(_tools(place))]
    if (place / "presence").exists():
        families.append(_changing(place))

    def denied(tool: Tool, _: BaseException) -> None:
        (place / f"denied-{tool.action}").touch()

    return asyncio.run(serve(descriptors, families, denied))


if __name__ == "__main__":
    os._exit(main(Path(sys.argv[1])))
