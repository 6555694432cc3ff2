"""The rules of agent control, one function each: it returns where the rule allows. Pure.

They are asked in the order of ``agents``: switched on; the caller is verified (1); the
profiles have opted in (2); somebody else (3) that the caller itself started (4) is
meant, or the caller may spawn at all; then the rates and caps (5), and that the session
runs (6). The pane itself is verified last, by the control layer.
"""

from __future__ import annotations

from collections.abc import Mapping

from tongs_agents.config import Control, Profile
from tongs_agents.errors import Refused
from tongs_mux.model import LaunchRecord, PaneRef

SPAWNED_BY = "spawned_by"
"""Label of a launch: the launch that started it over MCP. Nobody else's has one (6.12)."""

ROOT = "root"
"""Label of the same launch: the first of its line, whom no agent started."""


def root_of(record: LaunchRecord) -> str:
    """The launch below which this one counts: itself, where no agent started it."""
    return record.labels.get(ROOT, record.launch_id)


def switched_on(control: Control) -> None:
    """6.7. Raises Refused ``disabled``."""
    if not control.mcp_enabled:
        raise Refused(
            "agents may not control agents: [control] mcp_enabled is not true",
            reason="disabled",
            hint="a person can set `mcp_enabled = true` in the config",
        )


def opted_in(profiles: Mapping[str, Profile], record: LaunchRecord, who: str) -> None:
    """Rule 2 for the caller and the target, by the profile of today's config.

    Raises Refused ``not-opted-in``, also where the profile is named no more (A17).
    """
    name = record.labels.get("profile", "")
    profile = profiles.get(name)
    if profile is None or not profile.mcp_control:
        raise _not_opted_in(name, f"{who}'s profile")


def may_be_spawned(profiles: Mapping[str, Profile], name: str) -> Profile:
    """Rule 2 for a profile to spawn. Raises Refused ``no-such-profile``, ``not-opted-in``."""
    profile = profiles.get(name)
    if profile is None:
        known = ", ".join(sorted(it for it in profiles if profiles[it].mcp_control)) or "none"
        raise Refused(
            f"there is no profile {name!r} (that may be spawned: {known})",
            reason="no-such-profile",
            hint="name one of these; a person can add another to the config",
        )
    if not profile.mcp_control:
        raise _not_opted_in(name, "the profile")
    return profile


def _not_opted_in(name: str, whose: str) -> Refused:
    return Refused(
        f"{whose} {name!r} has not opted in to agent control",
        reason="not-opted-in",
        hint=f"a person can set `mcp_control = true` in [profiles.{name}]",
    )


def somebody_else(caller: LaunchRecord, target: LaunchRecord) -> None:
    """Rule 3, by launch and by pane, as both are on record. Raises Refused ``self``."""
    if target.launch_id == caller.launch_id:
        what = "the caller itself"
    elif _is_same_pane(caller.pane, target.pane):
        what = "in the caller's own pane"
    else:
        return
    raise Refused(f"launch {target.launch_id} is {what}", reason="self")


def _is_same_pane(one: PaneRef | None, other: PaneRef | None) -> bool:
    """True where both may name one pane; tmux's ids are its server's, whatever session it is in."""
    if one is None or other is None:
        return False
    if (one.multiplexer, one.pane_id) != (other.multiplexer, other.pane_id):
        return False
    if one.multiplexer == "zellij" and one.session != other.session:
        return False
    # an older record of Zellij has no socket directory
    return one.socket == other.socket or None in (one.socket, other.socket)


def owned(control: Control, caller: LaunchRecord, target: LaunchRecord) -> None:
    """Rule 4. Raises Refused ``not-owner``."""
    if control.mcp_any_target or target.labels.get(SPAWNED_BY) == caller.launch_id:
        return
    raise Refused(
        f"launch {target.launch_id} was not started by the caller",
        reason="not-owner",
        hint="drive what agents_spawn started for you; a person can set `mcp_any_target`",
    )


def may_spawn(control: Control, caller: LaunchRecord) -> None:
    """6.16. Raises Refused ``nested-spawn``; an agent still drives what it owns (A19)."""
    if SPAWNED_BY in caller.labels and not control.mcp_nested_spawn:
        raise Refused(
            "an agent that was itself started by an agent may start none",
            reason="nested-spawn",
            hint=f"ask launch {caller.labels[SPAWNED_BY]}; a person can set `mcp_nested_spawn`",
        )


def within_rate(taken: int, control: Control, action: str) -> None:
    """Rule 5. ``taken`` counts the last minute. Raises Refused ``rate``."""
    if taken >= control.mcp_rate_per_minute:
        raise Refused(
            f"{taken} of {control.mcp_rate_per_minute} {action}s a minute are taken",
            reason="rate",
        )


def within_caps(live: int, ever: int, control: Control, root: str) -> None:
    """A100: agents below one root launch. Raises Refused ``max-live``, ``max-spawns``."""
    if live >= control.mcp_max_live:
        raise Refused(
            f"{live} agents are alive below launch {root}, of {control.mcp_max_live} at most",
            reason="max-live",
        )
    if ever >= control.mcp_max_spawns:
        raise Refused(
            f"{ever} agents were started below launch {root}, of {control.mcp_max_spawns} ever",
            reason="max-spawns",
        )


def session_runs(runs: bool, pane: PaneRef | None) -> None:
    """Rule 6: the session of the caller's own record. Raises Refused ``no-session``."""
    if not runs or pane is None:
        name = "the session" if pane is None else f"{pane.multiplexer} session {pane.session!r}"
        raise Refused(
            f"{name}, in which the caller was started, does not run any more",
            reason="no-session",
        )


__all__ = [
    "ROOT",
    "SPAWNED_BY",
    "may_be_spawned",
    "may_spawn",
    "opted_in",
    "owned",
    "root_of",
    "session_runs",
    "somebody_else",
    "switched_on",
    "within_caps",
    "within_rate",
]
