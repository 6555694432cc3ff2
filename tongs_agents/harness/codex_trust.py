"""Whether the person has trusted our hooks in Codex, which asks once for each (A101)."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SESSION_FLAGS = "/<session-flags>/config.toml"
"""What Codex calls the place of hooks that come by flag."""

BYPASS = "--dangerously-bypass-hook-trust"
"""A profile's own command may name it; we never add it."""

UNTRUSTED = (
    "Codex runs these hooks only once you have trusted them: answer its dialog in the pane with "
    "`Trust all and continue`, or see `/hooks` there; until then its status stays unknown"
)
"""What a person is told, as long as they have not."""


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook command as Codex knows it: where among its event's it stands, and what it is."""

    event: str
    group: int
    command: str
    timeout: int

    @property
    def key(self) -> str:
        """Under which ``config.toml`` keeps that it is trusted, in its table ``hooks.state``."""
        return f"{SESSION_FLAGS}:{_snake(self.event)}:{self.group}:0"

    @property
    def trusted_hash(self) -> str:
        """What stands there: the hash of what it does, as Codex makes it."""
        handler = {
            "type": "command",
            "command": self.command,
            "timeout": self.timeout,
            "async": False,
        }
        identity = {"event_name": _snake(self.event), "hooks": [handler]}
        text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def config_path(environ: Mapping[str, str]) -> str:
    """Codex's own config file, for a process with this environment."""
    home = environ.get("CODEX_HOME") or f"{environ.get('HOME', '')}/.codex"
    return f"{home}/config.toml"


def config_of(environ: Mapping[str, str]) -> str:
    """The text of that file, empty where there is none or it can't be read."""
    try:
        return Path(config_path(environ)).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def are_trusted(words: Iterable[str], hooks: Iterable[Hook], config: str) -> bool:
    """True where ``config``, the text of Codex's config file, says so of every hook.

    Or where the command line ``words`` asks nobody.
    """
    if BYPASS in words:
        return True
    try:
        state: Any = tomllib.loads(config).get("hooks", {}).get("state", {})
        return all(
            state.get(hook.key, {}).get("trusted_hash") == hook.trusted_hash for hook in hooks
        )
    except (tomllib.TOMLDecodeError, AttributeError):
        return False


__all__ = [
    "BYPASS",
    "SESSION_FLAGS",
    "UNTRUSTED",
    "Hook",
    "are_trusted",
    "config_of",
    "config_path",
]
