"""The words of the control layer: pane, server, claim, launch, evidence, verdict, receipt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Multiplexer = Literal["tmux", "zellij"]

State = Literal["pending", "running", "replaced", "exited", "not-listed", "unknown"]
"""What verification says of a launch."""


@dataclass(frozen=True, slots=True)
class PaneRef:
    """Where a pane is. ``socket`` is tmux's absolute socket path.

    On Zellij it is the directory of the sockets; None: that of the environment.
    """

    multiplexer: Multiplexer
    session: str
    pane_id: str
    socket: str | None


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """A process that can't be mistaken for another: its pid and its start token.

    ``start_token`` is None where the system does not tell when it started;
    such an identity never verifies.
    """

    pid: int
    start_token: str | None


@dataclass(frozen=True, slots=True)
class ProcessFacts:
    """What the system says of one living process. ``start_token``: as in ProcessIdentity."""

    pid: int
    ppid: int
    start_token: str | None
    name: str
    group: int
    foreground_group: int
    """Process group in the foreground of its terminal, -1 without a terminal."""
    zombie: bool = False
    session: int = -1
    """Session id, -1 where the system does not say."""
    ready: bool = False
    """It would run on now: it waits for the processor or a disk, for nothing else."""
    used: float = field(default=0.0, compare=False)
    """Seconds of the processor that it has had; 0 where the system does not say."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The launched program's own statement from inside the pane (mechanism 1)."""

    process: ProcessIdentity
    pane_id: str
    socket: str | None
    server: ProcessIdentity
    at: float
    """Seconds since the epoch, UTC."""


@dataclass(frozen=True, slots=True)
class LaunchRecord:
    """A program started in a pane under an id; what a claim is checked against.

    ``pane`` and ``opened_pid`` are written by whoever opened the pane, before
    the claim can be made (A88). ``labels`` are free text of a layer above.
    """

    launch_id: str
    created_at: float
    argv: tuple[str, ...]
    cwd: str
    labels: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    """``state_dir``, ``runtime_dir``, ``config``: absolute, resolved once (A81, A86)."""
    pane: PaneRef | None = None
    opened_pid: int | None = None
    server: ProcessIdentity | None = None
    claim: Claim | None = None
    start_error: str | None = None
    """Why the command could not be executed (A91)."""
    ended_at: float | None = None


@dataclass(frozen=True, slots=True)
class PaneFacts:
    """One pane as the multiplexer lists it. Labels (title, name) are never proof."""

    pane_id: str
    pid: int | None
    """None on Zellij, whose listings carry no pid."""
    session: str
    window: str
    dead: bool
    mode: str
    """Name of the mode it is in (``copy-mode``), empty in none."""
    synchronized: bool
    command: str
    title: str
    width: int
    height: int
    cursor: tuple[int, int] | None = None
    """Column and row of the cursor on the visible screen, from 0."""
    input_off: bool = False
    """True where the multiplexer hands the pane no keys (tmux's ``select-pane -d``)."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Every pane of one multiplexer server, and that server's identity."""

    server: ProcessIdentity
    panes: Mapping[str, PaneFacts]


@dataclass(frozen=True, slots=True)
class Screen:
    """The visible screen: ``lines`` are plain text, ``styled`` keep their SGR codes."""

    lines: tuple[str, ...]
    styled: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """One pane and its screen, read in one act. ``pane`` is None where it is not listed."""

    server: ProcessIdentity
    pane: PaneFacts | None
    screen: Screen


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found out about a launch; input of the pure verdict.

    ``answered`` is False where the multiplexer gave no usable answer in time;
    ``server`` is None where it answered that no server runs.
    """

    answered: bool
    trouble: str
    server: ProcessIdentity | None
    pane: PaneFacts | None
    process: ProcessFacts | None
    """The claimed pid as it is now, whoever has it now."""
    ancestors: tuple[int, ...]
    """Pids from the claimed process's parent upwards."""
    now: float
    own_pane: str = ""
    """The pane that the claimed process's own initial environment names; asked only
    where the listing names no process (Zellij). Empty where it names none."""


@dataclass(frozen=True, slots=True)
class Check:
    """One named check: passed, failed or (None) not known, and what was seen."""

    name: str
    passed: bool | None
    seen: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verification says: a state, the refusal's slug, and every check."""

    state: State
    reason: str
    """Empty where ``state`` is ``running``."""
    checks: tuple[Check, ...]

    @property
    def verified(self) -> bool:
        """True only for a running launch in its own pane."""
        return self.state == "running"


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of evidence in a receipt: what was checked, what was seen, when."""

    check: str
    seen: str
    at: float


@dataclass(frozen=True, slots=True)
class Receipt:
    """How a send ended well. ``submitted`` needs proof tied to this send."""

    launch_id: str
    act: str
    bytes: int
    sha256: str
    receipt: Literal["submitted", "pasted"]
    way: Literal["paste", "channel"]
    evidence: tuple[Fact, ...]


__all__ = [
    "Check",
    "Claim",
    "Evidence",
    "Fact",
    "LaunchRecord",
    "Listing",
    "Look",
    "Multiplexer",
    "PaneFacts",
    "PaneRef",
    "ProcessFacts",
    "ProcessIdentity",
    "Receipt",
    "Screen",
    "State",
    "Verdict",
]
