"""What the front starts: ``python -I -S entry.py HARNESS --from ORIGIN EVENT PID``.

Run by its path, so that no start-up file is read. Whatever happens it prints
nothing that its harness could take for an answer, and ends with 0.
"""

import _signal  # type: ignore[import-not-found]  # the C half: `signal` imports enum
import posix
import sys
import time
from posix import _exit

SECONDS = 5
"""So long the whole of it may take; a harness that never ends its input is left alone."""

MAX_PAYLOAD = 16 * 1024 * 1024
"""Longest payload that is read; of a longer one nothing is recorded."""

_SILENT = frozenset(("PostToolUse", "PeerTool", "SubagentStart", "SubagentStop"))
"""Events that say nothing about what the agent is doing, and hear nothing."""

_HARNESSES = frozenset(("claude", "codex", "pi", "scripted"))


def run(words: list[str], env: dict[bytes, bytes], parent: int, at: float) -> None:
    """Record what the event says, then say what waits for the agent.

    Raises whatever goes wrong: ``main`` is silent about it. What chat makes of it comes
    last, so that the record is written whatever that does (4.11).
    """
    harness, _, source, event, shell_parent = words
    if harness not in _HARNESSES or event in _SILENT:
        return
    if source == "installed" and env.get(b"TONGS_AGENTS_ATTACHED") == b"yes":
        return
    from tongs_agents.hooks import events, identity, proc, record, wire  # once the path is set

    origin = identity.origin(env, harness, parent, int(shell_parent))
    if origin is None:
        return
    payload = wire.loads(proc.read_all(0, MAX_PAYLOAD).decode("utf-8", "replace"))
    fact = events.fact_of(harness, event, payload)
    if fact is not None:
        record.write(fact, harness, origin, env, at)
    if origin.launch_id is not None:
        from tongs_agents.hooks import delivery  # as above

        delivery.deliver(event, origin, payload, env, at)


def _guard_descriptors() -> None:
    """No file of ours may become the standard output of whoever closed theirs.

    What is put there can't be written to: what nobody hears must not count as said.
    """
    for fd in (0, 1, 2):
        try:
            posix.fstat(fd)
        except OSError:
            posix.open("/dev/null", posix.O_RDONLY)


def main() -> None:
    """Run, and end with 0 in silence."""
    at = time.time()
    try:
        _guard_descriptors()
        _signal.signal(_signal.SIGALRM, lambda *_: _exit(0))
        _signal.setitimer(_signal.ITIMER_REAL, SECONDS)
        sys.path.append(__file__.rpartition("/tongs_agents/")[0])
        run(sys.argv[1:], posix.environ, posix.getppid(), at)
    finally:
        _exit(0)  # before Python could report what went wrong


if __name__ == "__main__":
    main()

__all__ = ["MAX_PAYLOAD", "SECONDS", "main", "run"]
