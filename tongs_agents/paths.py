"""Places: the one module that knows where config, state and runtime files are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tongs_mux.errors import PlaceRefused

CONFIG = "TONGS_AGENTS_CONFIG"
STATE_DIR = "TONGS_AGENTS_STATE_DIR"
RUNTIME_DIR = "TONGS_AGENTS_RUNTIME_DIR"
LAUNCH_ID = "TONGS_AGENTS_LAUNCH_ID"
LAUNCH_PID = "TONGS_AGENTS_LAUNCH_PID"
LAUNCH_WRAPPER = "TONGS_AGENTS_LAUNCH_WRAPPER"
ATTACHED = "TONGS_AGENTS_ATTACHED"

VARIABLES = (CONFIG, STATE_DIR, RUNTIME_DIR, LAUNCH_ID, LAUNCH_PID)
"""What every launch is given; its hooks and servers find their places by it (A81)."""

_APP = "tongs-agents"


@dataclass(frozen=True, slots=True)
class Places:
    """The three places, absolute; every other path of the product is a member of one."""

    config: Path
    state_dir: Path
    runtime_dir: Path

    @property
    def launches(self) -> Path:
        """Directory of launch records."""
        return self.state_dir / "launches"

    @property
    def sessions(self) -> Path:
        """Directory of session records."""
        return self.state_dir / "sessions"

    @property
    def chat_dir(self) -> Path:
        """Directory of the chat file; it does not exist before the first grant."""
        return self.state_dir / "chat"

    @property
    def chat_db(self) -> Path:
        """The chat file."""
        return self.chat_dir / "chat.db"

    @property
    def control_audit(self) -> Path:
        """What was done to panes."""
        return self.state_dir / "audit" / "control.jsonl"

    @property
    def chat_audit(self) -> Path:
        """Grants, refusals and wakes; never a message."""
        return self.state_dir / "audit" / "chat.jsonl"

    @property
    def installed(self) -> Path:
        """What `install` wrote into whose file."""
        return self.state_dir / "installed.json"

    @property
    def mcp_rate(self) -> Path:
        """Directory of the rate slots of MCP callers (6.17)."""
        return self.runtime_dir / "mcp-rate"


def _ours(env: Mapping[str, str], name: str) -> Path | None:
    """One of our own variables; a relative path is refused, not guessed at."""
    value = env.get(name, "")
    if not value:
        return None
    if not Path(value).is_absolute():
        raise PlaceRefused(
            f"{name} is {value!r}, which is not an absolute path",
            path=value,
            hint=f"give {name} an absolute path, or unset it",
        )
    return Path(value)


def _base(env: Mapping[str, str], name: str) -> Path | None:
    """An XDG base directory; its specification says to ignore a relative one."""
    path = Path(env.get(name, ""))
    return path if path.is_absolute() else None


def resolve(env: Mapping[str, str], home: Path) -> Places:
    """The places that ``env`` names, an empty variable counting as unset (A21).

    ``home`` is the absolute home directory. Nothing is made or looked at, and
    a shared temporary folder is never chosen.

    Raises:
        PlaceRefused: one of our own variables holds a relative path.
    """
    config_home = _base(env, "XDG_CONFIG_HOME") or home / ".config"
    state_home = _base(env, "XDG_STATE_HOME") or home / ".local" / "state"
    state_dir = _ours(env, STATE_DIR) or state_home / _APP
    runtime_base = _base(env, "XDG_RUNTIME_DIR")
    runtime_dir = runtime_base / _APP if runtime_base else state_dir / "run"
    return Places(
        config=_ours(env, CONFIG) or config_home / _APP / "config.toml",
        state_dir=state_dir,
        runtime_dir=_ours(env, RUNTIME_DIR) or runtime_dir,
    )


def environment(
    places: Places, launch_id: str, pid: int, *, wrapper: bool = False, attached: bool = False
) -> dict[str, str]:
    """The variables that the launcher exports to the program it becomes (A81).

    Two are there only where they say yes: that the program is a declared
    wrapper (A70), and that hooks were handed to this launch (A72).
    """
    variables = {
        CONFIG: str(places.config),
        STATE_DIR: str(places.state_dir),
        RUNTIME_DIR: str(places.runtime_dir),
        LAUNCH_ID: launch_id,
        LAUNCH_PID: str(pid),
    }
    marks = {LAUNCH_WRAPPER: wrapper, ATTACHED: attached}
    return variables | {name: "yes" for name, is_so in marks.items() if is_so}


__all__ = [
    "ATTACHED",
    "CONFIG",
    "LAUNCH_ID",
    "LAUNCH_PID",
    "LAUNCH_WRAPPER",
    "RUNTIME_DIR",
    "STATE_DIR",
    "VARIABLES",
    "Places",
    "environment",
    "resolve",
]
