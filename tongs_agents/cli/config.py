"""``config``: where the settings are, what they are, and what is wrong with them."""

from __future__ import annotations

from tongs_agents.cli.group import VerbGroup

verb = VerbGroup(
    "config",
    help="Look at the settings.",
    example="tongs-agents config check",
    verbs={
        "path": "tongs_agents.cli.config_path",
        "show": "tongs_agents.cli.config_show",
        "check": "tongs_agents.cli.config_check",
        "capture": "tongs_agents.cli.config_capture",
    },
)

__all__ = ["verb"]
