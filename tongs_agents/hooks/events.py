"""What one event of a harness says, as a fact. Pure; unknown events say nothing."""

from tongs_agents.hooks.prompts import digests, is_person

MAX_ID = 512
"""Longest session id that is believed, in bytes (7.8)."""

MAX_PATH = 4096
"""Longest path that is kept."""

MAX_TOOL = 256
"""Longest name of a tool that is kept."""

MAX_DETAIL = 160
"""Longest detail that is kept."""

_NEEDS = {
    "permission_prompt": "permission",
    "elicitation_dialog": "question",
}


class Fact:
    """One fact, without its time. No prompt, tool argument or result is in it (7.13)."""

    __slots__ = ("cwd", "detail", "kind", "needs", "prompts", "session_id", "tool", "transcript")

    def __init__(self, kind: str, payload: dict[str, object]) -> None:
        self.kind = kind
        self.session_id = str(payload["session_id"])
        self.cwd = _bounded(payload.get("cwd"), MAX_PATH)
        self.transcript = _bounded(payload.get("transcript_path"), MAX_PATH)
        self.tool = ""
        self.needs = ""
        self.detail = ""
        self.prompts: tuple[str, ...] = ()


def _bounded(value: object, limit: int) -> str:
    """A text of the harness, safe to show: one line without controls, at most ``limit`` bytes."""
    if not isinstance(value, str):
        return ""
    text = "".join([char if char.isprintable() else "?" for char in value[:limit]])
    return text.encode("utf-8")[:limit].decode("utf-8", "ignore")


def fact_of(harness: str, event: str, payload: object) -> Fact | None:
    """What ``event`` says; None for one that is unknown, garbled or a subagent's (A83)."""
    if not isinstance(payload, dict) or event not in _READ or payload.get("agent_id"):
        return None
    session_id = payload.get("session_id")
    if not isinstance(session_id, str) or not session_id.isprintable():
        return None
    if not 0 < len(session_id.encode("utf-8")) <= MAX_ID:
        return None
    return _READ[event](harness, payload)


def _session_start(_: str, payload: dict[str, object]) -> Fact | None:
    """A session that is compacted goes on in its turn."""
    source = _bounded(payload.get("source"), MAX_DETAIL)
    if source == "reload":  # Pi's: the same session goes on as it was
        return None
    fact = Fact("compacted" if source == "compact" else "session-start", payload)
    fact.detail = source
    return fact


def _session_end(_: str, payload: dict[str, object]) -> Fact | None:
    reason = _bounded(payload.get("reason"), MAX_DETAIL)
    if reason == "reload":
        return None
    fact = Fact("session-end", payload)
    fact.detail = reason
    return fact


def _prompt(harness: str, payload: dict[str, object]) -> Fact:
    prompt = payload.get("prompt")
    text = prompt if isinstance(prompt, str) else ""
    if not is_person(text):
        return Fact("notified", payload)
    fact = Fact("prompt", payload)
    fact.prompts = digests(harness, text)
    typed = payload.get("typed")
    if isinstance(typed, str) and typed and typed != text:  # a template or a skill of Pi's
        fact.prompts = tuple(dict.fromkeys([*fact.prompts, *digests(harness, typed)]))
    return fact


def _permission(_: str, payload: dict[str, object]) -> Fact:
    fact = Fact("needs", payload)
    fact.needs = "permission"
    fact.tool = _bounded(payload.get("tool_name"), MAX_TOOL)
    return fact


def _notification(_: str, payload: dict[str, object]) -> Fact | None:
    """``idle_prompt`` is no question: the program waits for the next prompt."""
    kind = payload.get("notification_type")
    if kind == "idle_prompt":
        fact = Fact("idle", payload)
        fact.needs = "prompt"
        return fact
    if not isinstance(kind, str) or kind not in _NEEDS:
        return None
    fact = Fact("needs", payload)
    fact.needs = _NEEDS[kind]
    return fact


def _stop(_: str, payload: dict[str, object]) -> Fact:
    fact = Fact("stop", payload)
    tasks = payload.get("background_tasks")
    if isinstance(tasks, list) and tasks:
        fact.detail = f"background tasks: {len(tasks)}"
    return fact


def _failure(_: str, payload: dict[str, object]) -> Fact:
    fact = Fact("failure", payload)
    fact.detail = _bounded(payload.get("error"), MAX_DETAIL)
    return fact


def _interrupt(_: str, payload: dict[str, object]) -> Fact:
    fact = Fact("interrupt", payload)
    fact.needs = "prompt"
    return fact


def _settled(_: str, payload: dict[str, object]) -> Fact:
    """Pi's end of a run: it says whether that was an abort or an error (A68)."""
    if payload.get("aborted") is True:
        return _interrupt(_, payload)
    return _failure(_, payload) if payload.get("error") else Fact("stop", payload)


def _notified(_: str, payload: dict[str, object]) -> Fact:
    return Fact("notified", payload)


def _answered(_: str, payload: dict[str, object]) -> Fact:
    return Fact("answered", payload)


def _asks(_: str, payload: dict[str, object]) -> Fact:
    fact = Fact("needs", payload)
    fact.needs = "question"
    fact.detail = _bounded(payload.get("kind"), MAX_DETAIL)
    return fact


_READ = {
    "SessionStart": _session_start,
    "SessionEnd": _session_end,
    "UserPromptSubmit": _prompt,
    "PermissionRequest": _permission,
    "Notification": _notification,
    "Stop": _stop,
    "StopFailure": _failure,
    "Interrupt": _interrupt,
    # Pi's own names
    "session_start": _session_start,
    "session_shutdown": _session_end,
    "before_agent_start": _prompt,
    "message_start": _prompt,
    "agent_start": _notified,
    "agent_settled": _settled,
    "ui_prompt_start": _asks,
    "ui_prompt_end": _answered,
}

__all__ = [
    "MAX_DETAIL",
    "MAX_ID",
    "MAX_PATH",
    "MAX_TOOL",
    "Fact",
    "fact_of",
]
