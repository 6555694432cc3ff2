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
from validation import claude, claude_dialogs, claude_screens
from validation.ending import adopt, end_all
from validation.install import cache_of, installed, pinned
from validation.model.server import serving
from validation.network import loopback_only
from validation.tmux_terminal import TmuxTerminal
from validation.troubles import CannotRun, NotHeld
from validation.world import World, world

SIZES = ((200, 50), (80, 24), (25, 24))
CLASSIC_SIZE = (80, 24)
INTO = Path(__file__).parents[1] / "tests" / "agents" / "screens"
SCENES: tuple[Callable[[Camera], None], ...] = (
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
)

_PLACE = Path(os.path.realpath("/tmp"), "tg-screens")
"""Always the same, since screens show the project's path."""


@dataclass(frozen=True, slots=True)
class Camera:
    """Takes one scene at one size."""

    terminal: TmuxTerminal
    size: tuple[int, int]
    into: Path
    classic: bool = False
    """The renderer of the main screen; else the one of the alternate screen."""

    def open(
        self,
        *options: str,
        environ: Iterable[str] = (),
        cwd: Path | None = None,
        argv: Sequence[str] = claude.COMMAND,
    ) -> str:
        """The program in a pane of this size."""
        renderer = claude.CLASSIC if self.classic else claude.FULLSCREEN
        return self.terminal.open(
            (*argv, *options),
            size=self.size,
            cwd=None if cwd is None else str(cwd),
            environ=(renderer, *environ),
        )

    def take(self, state: str, pane: str) -> None:
        """Write the screen down as ``<state>-<width>.txt``."""
        name = f"{state}{'-classic' if self.classic else ''}-{self.size[0]}.txt"
        (self.into / name).write_text(written(self.terminal.look(pane)), encoding="utf-8")
        print(f"  {name}", flush=True)


def written(look: Look) -> str:
    """A screen as a fixture holds it."""
    pane = look.pane
    assert pane is not None
    column, row = pane.cursor or (-1, -1)
    head = f"cursor {column},{row} size {pane.width}x{pane.height} title {pane.title}"
    return "\n".join((head, *look.screen.styled)) + "\n"


def take_all(here: World, into: Path, wanted: Callable[[str], bool]) -> int:
    """Every scene at every size; the number that failed."""
    failed = 0
    cameras = [Camera(TmuxTerminal(here), size, into) for size in SIZES]
    cameras.append(Camera(TmuxTerminal(here), CLASSIC_SIZE, into, classic=True))
    for camera in cameras:
        for scene in filter(lambda scene: wanted(scene.__name__), SCENES):
            try:
                scene(camera)
            except NotHeld as error:
                print(f"  {scene.__name__} at {camera.size[0]}: {error}", file=sys.stderr)
                failed += 1
            end_all(here.directory)
    return failed


def main() -> int:
    """Take the screens; 1 where a scene did not come about."""
    parser = argparse.ArgumentParser(prog="python -m validation.screens", description=__doc__)
    parser.add_argument("scenes", nargs="*", help="only these scenes")
    parser.add_argument("--into", type=Path, default=INTO / "claude")
    wanted = parser.parse_args()
    wanted.into.mkdir(parents=True, exist_ok=True)
    try:
        programs = installed(pinned()["claude"], cache_of(os.environ), print)
        adopt()
        loopback_only()
        with (
            world(programs, beside=claude.beside, directory=_PLACE) as made,
            serving(made.requests) as port,
        ):
            here = World(made.directory, {**made.environ, **claude.environment(port)})
            claude.seed(here)
            only = set(wanted.scenes)
            return min(1, take_all(here, wanted.into, lambda name: not only or name in only))
    except CannotRun as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())


__all__ = ["CLASSIC_SIZE", "INTO", "SCENES", "SIZES", "Camera", "main", "take_all", "written"]
