"""Whose event this is: the launch's, nobody's, or not ours to record (A70, A86).

A launch's event comes from a hook that the claimed process itself runs: between
the two lie shells and nothing else, a declared wrapper aside. Record, start
token and places must agree before anything is written.
"""

from tongs_agents.hooks.proc import (
    Process,
    argv,
    environ,
    has_proc,
    is_private_dir,
    process,
    read_private,
)
from tongs_agents.hooks.wire import loads

_PREFIX = b"TONGS_AGENTS_"
_PLACES = {"config": b"CONFIG", "state_dir": b"STATE_DIR", "runtime_dir": b"RUNTIME_DIR"}
_NAMES = (*_PLACES.values(), b"LAUNCH_ID", b"LAUNCH_PID", b"LAUNCH_WRAPPER", b"ATTACHED")
_ID = frozenset("0123456789abcdefghijklmnopqrstuvwxyz-")
_SCHEMA = 1
_MAX_RECORD = 256 * 1024
_MAX_DEPTH = 64
_SHELLS = frozenset(
    [
        "sh",
        "bash",
        "dash",
        "ash",
        "busybox",
        "zsh",
        "ksh",
        "ksh93",
        "mksh",
        "lksh",
        "yash",
        "fish",
        "csh",
        "tcsh",
    ]
)
_SHELL_STEPS = 2
"""The front's own shell, and the user's where the harness runs hooks in that one."""
_HARNESSES = frozenset(("claude", "codex", "pi", "opencode"))
_INTERPRETERS = frozenset(("node", "nodejs", "MainThread", "bun", "deno"))


class Origin:
    """Where an event comes from and where its record belongs.

    ``process`` is the harness, None where the system does not tell.
    """

    __slots__ = ("launch_id", "process", "state_dir")

    def __init__(self, state_dir: bytes, launch_id: str | None, process: Process | None) -> None:
        self.state_dir = state_dir
        self.launch_id = launch_id
        self.process = process


def is_launch_id(text: str) -> bool:
    """True where ``text`` may become part of a path."""
    return 8 <= len(text) <= 64 and _ID.issuperset(text)


def state_dir_of(env: dict[bytes, bytes]) -> bytes | None:
    """The state dir that ``env`` names: ``paths.resolve``, without its imports.

    None where there is none, or where ours is relative, which is refused there.
    """
    own = env.get(_PREFIX + b"STATE_DIR", b"")
    if own:
        return own if own.startswith(b"/") else None
    base = env.get(b"XDG_STATE_HOME", b"")
    if not base.startswith(b"/"):
        home = env.get(b"HOME", b"")
        if not home.startswith(b"/"):
            return None
        base = home.rstrip(b"/") + b"/.local/state"
    return base.rstrip(b"/") + b"/tongs-agents"


def origin(env: dict[bytes, bytes], harness: str, parent: int, shell_parent: int) -> Origin | None:
    """Where an event comes from; None where it is not to be recorded.

    ``parent`` is this process's parent, ``shell_parent`` the front's word for
    the parent of its shell: believed only where the system shows no processes.
    """
    if not env.get(_PREFIX + b"LAUNCH_ID"):
        return _nobodys(env, parent)
    launch_id = env[_PREFIX + b"LAUNCH_ID"].decode("utf-8", "replace")
    pid = env.get(_PREFIX + b"LAUNCH_PID", b"")
    if not is_launch_id(launch_id) or not pid.isdigit():
        return None
    claimed = int(pid)
    if has_proc():
        wrapper = env.get(_PREFIX + b"LAUNCH_WRAPPER") == b"yes"
        below = _is_below(parent, claimed, wrapper=wrapper)
        if not (below or _is_launched(parent, claimed, harness)) or not _same_places(env, claimed):
            return None
    elif shell_parent != claimed:
        return None
    return _launchs(env, harness, launch_id, claimed)


def _is_below(pid: int, claimed: int, *, wrapper: bool) -> bool:
    """True where between ``pid`` and the claimed process lie the hook's own shells only.

    Below a declared wrapper, where lies one harness and no other.
    """
    harnesses = 0
    for step in range(_MAX_DEPTH):
        if pid == claimed:
            return True
        seen = process(pid)
        if seen is None or pid <= 1:
            return False
        harnesses += seen.name in _HARNESSES
        direct = seen.name in _SHELLS and step < _SHELL_STEPS
        if not direct and not (wrapper and harnesses <= 1):
            return False
        pid = seen.parent
    return False


def _is_launched(pid: int, claimed: int, harness: str) -> bool:
    """True where the harness's own program was started by its script, the claimed process.

    npm's packages bring such a script, which waits for it. A server that several
    sessions of the harness share is none of theirs (A71).
    """
    seen = process(pid)
    for _ in range(_SHELL_STEPS):
        if seen is not None and seen.name in _SHELLS:
            seen = process(seen.parent)
    if seen is None or seen.name != harness or seen.parent != claimed:
        return False
    script = process(claimed)
    known = script is not None and script.name in _INTERPRETERS
    return known and b"app-server" not in argv(seen.pid)


def _same_places(env: dict[bytes, bytes], claimed: int) -> bool:
    """True where what is ours in ``env`` is what the claimed process was started with.

    A harness's settings, a repository's too, can change what its hooks get.
    """
    first = environ(claimed)
    return not first or _ours(first) == _ours(env)


def _ours(env: dict[bytes, bytes]) -> list[bytes]:
    return [env.get(_PREFIX + name, b"") for name in _NAMES]


def _launchs(env: dict[bytes, bytes], harness: str, launch_id: str, claimed: int) -> Origin | None:
    state_dir = env.get(_PREFIX + b"STATE_DIR", b"")
    if not state_dir.startswith(b"/"):
        return None
    launches = state_dir + b"/launches"
    if not (is_private_dir(state_dir) and is_private_dir(launches)):
        return None
    path = launches + b"/" + launch_id.encode("ascii") + b".json"
    record = loads(read_private(path, _MAX_RECORD).decode("utf-8"))
    if not isinstance(record, dict) or record.get("schema") != _SCHEMA:
        return None
    living = process(claimed) if has_proc() else None
    agree = (
        record.get("launch_id") == launch_id
        and record.get("labels", {}).get("harness") == harness
        and _recorded_places(record) == {name: env.get(_PREFIX + _PLACES[name]) for name in _PLACES}
        and _claims(record, claimed, living)
    )
    return Origin(state_dir, launch_id, living) if agree else None


def _recorded_places(record: dict[str, object]) -> dict[str, bytes | None]:
    places = record.get("places")
    if not isinstance(places, dict):
        return {}
    return {name: str(value).encode("utf-8", "surrogateescape") for name, value in places.items()}


def _claims(record: dict[str, object], claimed: int, living: Process | None) -> bool:
    """True where the record's claim is by this very process."""
    claim = record.get("claim")
    who = claim.get("process") if isinstance(claim, dict) else None
    if not isinstance(who, dict) or who.get("pid") != claimed:
        return False
    if living is None:
        return not has_proc()
    return bool(who.get("start_token") == living.token())


def _nobodys(env: dict[bytes, bytes], parent: int) -> Origin | None:
    """A session that nobody launched: its harness is the first above that is no shell (A85)."""
    seen = process(parent)
    for _ in range(_SHELL_STEPS):
        if seen is not None and seen.name in _SHELLS:
            seen = process(seen.parent)
    state_dir = state_dir_of(env)
    first = environ(seen.pid) if seen is not None else {}
    if first and (_ours(first) != _ours(env) or state_dir_of(first) != state_dir):
        return None
    return None if state_dir is None else Origin(state_dir, None, seen)


__all__ = ["Origin", "is_launch_id", "origin", "state_dir_of"]
