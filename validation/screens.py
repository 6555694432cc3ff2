"""Takes the real programs' screens, for the readers' tests: ``python -m validation.screens``.

Each file is a first line with cursor, size and title, then what ``capture-pane -e`` gives.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tongs_mux.model import Look
from validation import (
    claude,
    claude_dialogs,
    claude_screens,
    codex_dialogs,
    codex_screens,
    pi,
    pi_dialogs,
    pi_screens,
)
from validation.ending import adopt, end_all
from validation.install import cache_of, installed, pinned
from validation.kinds import KINDS
from validation.model.server import serving
from validation.network import loopback_only
from validation.tmux_terminal import TmuxTerminal
from validation.troubles import CannotRun, NotHeld
from validation.world import World, world

INTO = Path(__file__).parents[1] / "tests" / "agents" / "screens"


@dataclass(frozen=True, slots=True)
class Drawn:
    """One way in which a program draws itself, and the sizes at which that is taken."""

    suffix: str = ""
    options: tuple[str, ...] = ()
    environ: tuple[str, ...] = ()
    sizes: tuple[tuple[int, int], ...] = ((200, 50), (80, 24), (25, 24))


@dataclass(frozen=True, slots=True)
class Shoot:
    """What is taken of one harness, and by how it is drawn."""

    scenes: tuple[Callable[[Camera], None], ...]
    looks: tuple[Drawn, ...]


_SMALL = ((80, 24),)
SHOOTS: dict[str, Shoot] = {
    "claude": Shoot(
        (
            claude_screens.idle,
            claude_screens.drafts,
            claude_screens.busy,
            claude_screens.tools,
            claude_screens.subagents,
            claude_dialogs.permissions,
            claude_dialogs.before,
            claude_dialogs.overlays,
            claude_dialogs.modes,
            claude_dialogs.ended,
        ),
        (
            Drawn(environ=(claude.FULLSCREEN,)),
            Drawn("-classic", environ=(claude.CLASSIC,), sizes=_SMALL),
        ),
    ),
    "codex": Shoot(
        (
            codex_screens.idle,
            codex_screens.drafts,
            codex_screens.busy,
            codex_screens.tools,
            codex_screens.modes,
            codex_dialogs.approvals,
            codex_dialogs.before,
            codex_dialogs.overlays,
            codex_dialogs.ended,
        ),
        (Drawn(), Drawn("-inline", options=("--no-alt-screen",), sizes=_SMALL)),
    ),
    "pi": Shoot(
        (
            pi_screens.idle,
            pi_screens.drafts,
            pi_screens.busy,
            pi_screens.tools,
            pi_screens.modes,
            pi_dialogs.questions,
            pi_dialogs.before,
            pi_dialogs.overlays,
            pi_dialogs.ended,
        ),
        (Drawn(), Drawn("-regular", options=pi.REGULAR, sizes=_SMALL)),
    ),
}

_PLACE = os.path.realpath("/tmp")
"""Below it a place that is the same each time, since screens show the project's path."""


@dataclass(frozen=True, slots=True)
class Camera:
    """Takes one scene at one size, drawn in one way."""

    terminal: TmuxTerminal
    size: tuple[int, int]
    into: Path
    command: tuple[str, ...]
    drawn: Drawn

    def open(
        self,
        *options: str,
        environ: Iterable[str] = (),
        cwd: Path | None = None,
        argv: Sequence[str] | None = None,
    ) -> str:
        """The program in a pane of this size; another's ``argv`` is given no option of ours."""
        words = (*self.command, *self.drawn.options) if argv is None else argv
        return self.terminal.open(
            (*words, *options),
            size=self.size,
            cwd=None if cwd is None else str(cwd),
            environ=(*self.drawn.environ, *environ),
        )

    def take(self, state: str, pane: str) -> None:
        """Write the screen down as ``<state>-<width>.txt``."""
        name = f"{state}{self.drawn.suffix}-{self.size[0]}.txt"
        (self.into / name).write_text(written(self.terminal.look(pane)), encoding="utf-8")
        print(f"  {name}", flush=True)


def written(look: Look) -> str:
    """A screen as a fixture holds it."""
    pane = look.pane
    assert pane is not None
    column, row = pane.cursor or (-1, -1)
    head = f"cursor {column},{row} size {pane.width}x{pane.height} title {pane.title}"
    return "\n".join((head, *look.screen.styled)) + "\n"


def take_all(here: World, name: str, into: Path, wanted: Callable[[str], bool]) -> int:
    """Every scene of harness ``name``, drawn in every way, at every size; how many failed."""
    failed = 0
    command = KINDS[name].command
    for drawn, size in ((each, size) for each in SHOOTS[name].looks for size in each.sizes):
        camera = Camera(TmuxTerminal(here), size, into, command, drawn)
        for scene in filter(lambda scene: wanted(scene.__name__), SHOOTS[name].scenes):
            try:
                scene(camera)
            except NotHeld as error:
                print(f"  {scene.__name__} at {size[0]}: {error}", file=sys.stderr)
                failed += 1
            end_all(here.directory)
    return failed


def main() -> int:
    """Take the screens; 1 where a scene did not come about."""
    parser = argparse.ArgumentParser(prog="python -m validation.screens", description=__doc__)
    parser.add_argument("harness", choices=list(SHOOTS), help="the harness to take")
    parser.add_argument("scenes", nargs="*", help="only these scenes")
    parser.add_argument("--into", type=Path, help="the directory to write to")
    wanted = parser.parse_args()
    kind, only = KINDS[wanted.harness], set(wanted.scenes)
    into = wanted.into or INTO / kind.name
    into.mkdir(parents=True, exist_ok=True)
    try:
        programs = installed(pinned()[kind.name], cache_of(os.environ), print)
        adopt()
        loopback_only()
        with (
            world(programs, beside=kind.beside, directory=Path(_PLACE, f"tg-{kind.name}")) as made,
            serving(made.requests) as port,
        ):
            here = World(made.directory, {**made.environ, **kind.environment(port)})
            kind.seed(here, port)
            return min(1, take_all(here, kind.name, into, lambda name: not only or name in only))
    except CannotRun as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())


__all__ = ["INTO", "SHOOTS", "Camera", "Drawn", "Shoot", "main", "take_all", "written"]
