"""The verdict: (launch record, evidence) -> state and named checks. Pure.

The order of the checks is the order of what they mean. Without a claim there
is nothing to verify; without an answer nothing is known; another pid in the
pane, or another server behind the socket, is a stranger wearing the same id
(A14, C1); a dead process has exited; a living one without its pane is not
listed. Titles, names, options and command lines are never evidence (D2).
"""

from __future__ import annotations

from collections.abc import Iterable

from tongs_mux.model import Check, Evidence, LaunchRecord, ProcessIdentity, State, Verdict

CLAIM_GRACE = 60.0
"""Seconds after which a launch that never claimed is not waited for (A88)."""


def verdict(record: LaunchRecord, evidence: Evidence) -> Verdict:
    """What ``evidence`` says of ``record``.

    ``running`` needs every check to pass; a check that could not be made
    (``passed is None``) is never read as passed.
    """
    if record.start_error is not None:
        return _end("exited", "exited", [Check("started", False, record.start_error)])
    if record.claim is None:
        return _unclaimed(record, evidence)
    checks = [Check("claimed", True, f"pid {record.claim.process.pid}")]
    if not evidence.answered:
        checks.append(Check("answered", None, evidence.trouble))
        return _end("unknown", "unknown", checks)
    checks.append(Check("answered", True, "the multiplexer answered"))
    checks += [
        _server(record.claim.server, evidence.server, _address(record)),
        _listed(evidence),
        _pane_process(record, evidence),
        _process(record.claim.process, evidence),
        _tree(record, evidence),
        _not_dead(evidence),
    ]
    state = _state(record, evidence, {check.name: check.passed for check in checks})
    return _end(state, "" if state == "running" else state, checks)


def _end(state: State, reason: str, checks: Iterable[Check]) -> Verdict:
    return Verdict(state, reason, tuple(checks))


def _unclaimed(record: LaunchRecord, evidence: Evidence) -> Verdict:
    age = evidence.now - record.created_at
    check = Check("claimed", False, f"no claim {age:.0f} s after the launch")
    return _end("pending", "pending" if age < CLAIM_GRACE else "not-claimed", [check])


def _address(record: LaunchRecord) -> str:
    """What a person can look for: the socket, or the session where there is none (C8)."""
    pane = record.pane
    if pane is None:
        return "there"
    if pane.multiplexer == "zellij":
        return f"at {pane.session}" + (f" in {pane.socket}" if pane.socket else "")
    return f"at {pane.socket}"


def _server(claimed: ProcessIdentity, seen: ProcessIdentity | None, where: str) -> Check:
    if seen is None:
        return Check("server", False, f"no server runs {where}")
    if claimed.start_token is None or seen.start_token is None:
        return Check("server", None, "the system does not say when the server started")
    same = claimed == seen
    return Check("server", same, f"pid {seen.pid}" + ("" if same else f", not {claimed.pid}"))


def _listed(evidence: Evidence) -> Check:
    listed = evidence.pane is not None
    return Check("listed", listed, "the pane is listed" if listed else "the pane is not listed")


def _pane_process(record: LaunchRecord, evidence: Evidence) -> Check:
    if evidence.pane is None:
        return Check("pane-process", None, "no pane to ask")
    if record.pane is not None and record.claim is not None:
        recorded, claimed = record.pane.pane_id, record.claim.pane_id
        if recorded != claimed:
            return Check("pane-process", False, f"its record names {recorded}, its claim {claimed}")
    if record.pane is not None and record.pane.multiplexer == "zellij":
        return _own_pane(record, evidence)
    seen, expected = evidence.pane.pid, record.opened_pid
    if seen is None or expected is None:
        return Check("pane-process", True, "this multiplexer names no process")
    same = seen == expected
    return Check("pane-process", same, f"pid {seen}" + ("" if same else f", not {expected}"))


def _own_pane(record: LaunchRecord, evidence: Evidence) -> Check:
    """Zellij names no process of a pane: the claimed one has to name its pane."""
    if not evidence.own_pane:
        return Check("pane-process", None, "the claimed process names no pane")
    expected = record.claim.pane_id if record.claim is not None else ""
    same = evidence.own_pane == expected
    text = f"the claimed process was started in {evidence.own_pane}"
    return Check("pane-process", same, text + ("" if same else f", not in {expected}"))


def _process(claimed: ProcessIdentity, evidence: Evidence) -> Check:
    seen = evidence.process
    if seen is None:
        return Check("process", False, f"pid {claimed.pid} has ended")
    if seen.zombie:
        return Check("process", False, f"pid {claimed.pid} has ended and waits to be reaped")
    if claimed.start_token is None or seen.start_token is None:
        return Check("process", None, "the system does not say when it started")
    same = seen.start_token == claimed.start_token
    text = f"pid {seen.pid} runs" if same else f"pid {seen.pid} is another process now"
    return Check("process", same, text)


def _tree(record: LaunchRecord, evidence: Evidence) -> Check:
    """The claimed process is the pane's own, or below it, or its server's child (Zellij)."""
    if evidence.process is None:
        return Check("tree", None, "no process to place")
    top = evidence.pane.pid if evidence.pane is not None else None
    if top is None:
        top = evidence.server.pid if evidence.server is not None else None
    if top is None:
        return Check("tree", None, "no pane to place it in")
    inside = top == evidence.process.pid or top in evidence.ancestors
    if record.pane is not None and record.pane.multiplexer == "zellij":
        inside = evidence.ancestors[:1] == (top,)
    return Check("tree", inside, f"{'inside' if inside else 'outside'} the tree of pid {top}")


def _not_dead(evidence: Evidence) -> Check:
    if evidence.pane is None:
        return Check("not-dead", None, "no pane to ask")
    return Check("not-dead", not evidence.pane.dead, "dead" if evidence.pane.dead else "alive")


def _state(record: LaunchRecord, evidence: Evidence, passed: dict[str, bool | None]) -> State:
    same_server = passed["server"] is True
    if passed["listed"] and (passed["server"] is False or passed["pane-process"] is False):
        return "replaced"
    if passed["process"] is False or (same_server and passed["not-dead"] is False):
        return "exited"
    if not passed["listed"]:
        return "not-listed"
    if all(passed.values()):
        return "running"
    return "replaced" if passed["tree"] is False else "unknown"


__all__ = ["CLAIM_GRACE", "verdict"]
