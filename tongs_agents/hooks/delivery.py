"""What a granted session hears of chat at an event: a short framed note on standard output (4.3).

The cheapest look comes first (4.9). Nothing is marked as handed over before the output
was written; whatever goes wrong, nothing is said that is not whole.
"""

import posix

from tongs_agents.hooks import prompts, wire
from tongs_agents.hooks.identity import Origin

EVENTS = frozenset(("SessionStart", "UserPromptSubmit", "PreToolUse"))
"""Events at which Claude Code and Codex are told of mentions."""


def deliver(
    event: str, origin: Origin, payload: object, env: dict[bytes, bytes], at: float
) -> None:
    """Say what is to be said at ``event``. Raises whatever goes wrong: nothing is said then."""
    if event not in EVENTS or origin.launch_id is None or origin.process is None:
        return
    path = origin.state_dir + b"/chat/chat.db"
    try:
        posix.lstat(path)
    except FileNotFoundError:
        return
    if not isinstance(payload, dict) or payload.get("agent_id"):
        return  # a subagent's: what waits is its agent's
    bell = env.get(b"TONGS_AGENTS_RUNTIME_DIR", b"") + b"/bells/" + origin.launch_id.encode("ascii")
    _take_down(bell)  # before the store is read, so that none is missed (A82)
    from tongs_chat import roles  # here: before the first grant none of it is needed
    from tongs_chat.database import Database
    from tongs_chat.errors import GrantError

    try:
        database = Database(path.decode("utf-8"), roles.HOOK, origin.launch_id)
    except GrantError:
        return
    with database:
        if _hand_over(event, database, origin.process, payload, at):
            _put_up(bell)


def _hand_over(event: str, database, process, payload: dict[str, object], at: float) -> bool:  # type: ignore[no-untyped-def]
    """Say it, then mark it; True where something stays unsaid for now."""
    from tongs_chat import delivery

    with database.read() as connection:
        _, _, _, pid, token, _ = delivery.own(connection, database.me)
    if (pid, token) != (process.pid, process.token()):
        return False  # the grant was another process's
    if event == "UserPromptSubmit":
        person = prompts.is_person(str(payload.get("prompt", "")))
        delivery.turn_began(database, now=at, by_person=person)
    text, newest, unsaid = _text(event, database, at)
    if text:
        _say(event, text)
        delivery.injected(database, newest, now=at if event == "PreToolUse" else None)
    return unsaid


def _text(event: str, database, at: float) -> tuple[str, int, bool]:  # type: ignore[no-untyped-def]
    """(what is to be said, the newest mention that it covers, whether something stays unsaid)."""
    from tongs_chat import delivery, digest, limits, pending

    with database.read() as connection:
        handle, _, granted_at, _, _, listed_at = delivery.own(connection, database.me)
        ready = delivery.tools_shown(granted_at, listed_at)
        total = pending.mentions_total(connection, database.me)
        newest = pending.newest_mention(connection, database.me)
        if event == "SessionStart":
            return digest.start(handle, total, ready=ready), newest, False
        if event == "UserPromptSubmit":
            rows = pending.mentions(connection, database.me, limits.INBOX_MENTIONS)
            return digest.joined(digest.prompt(rows, total, ready=ready)), newest, False
        if not total:
            return "", newest, False
        if delivery.notice_due(connection, database.me, newest, at):
            return digest.notice(total, ready=ready), newest, False
        return "", newest, _waits(connection, database.me, newest)


def _waits(connection, me: int, newest: int) -> bool:  # type: ignore[no-untyped-def]
    """True where a newer mention than the last that was announced is not due yet (4.3)."""
    (injected,) = connection.execute(
        "SELECT injected_id FROM delivery WHERE participant_id = ?", (me,)
    ).fetchone()
    return bool(newest > injected)


def _say(event: str, text: str) -> None:
    """One JSON document, whole or not at all: it fits into what a pipe takes at once."""
    said = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    data = wire.dumps(said).encode("ascii") + b"\n"
    while data:
        data = data[posix.write(1, data) :]


def _take_down(bell: bytes) -> None:
    down = bell + b".%d" % posix.getpid()
    try:
        posix.rename(bell, down)
        posix.unlink(down)
    except OSError:
        return


def _put_up(bell: bytes) -> None:
    try:
        posix.close(posix.open(bell, posix.O_WRONLY | posix.O_CREAT | posix.O_CLOEXEC, 0o600))
    except OSError:
        return


__all__ = ["EVENTS", "deliver"]
