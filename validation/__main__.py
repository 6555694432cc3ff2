"""``make validate``: the product with real programs, cell by cell."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from validation import inspector, matrix, mcp_stdio
from validation.cell import Cell, all_cells
from validation.ending import adopt
from validation.install import Pinned, cache_of, installed, pinned, zellij
from validation.network import loopback_only
from validation.run import Rig, run_all
from validation.troubles import CannotRun
from validation.world import need_tmux


def main(words: Sequence[str] | None = None) -> int:
    """0 where every cell held, 1 where one did not or something that it needs is missing."""
    cells, versions = all_cells(), pinned()
    wanted = _parser(cells, versions).parse_args(words)
    if wanted.list:
        for cell in cells:
            print(f"{cell.name:<18} {', '.join(cell.harnesses):<8} {cell.promise}")
        return 0
    chosen = [cell for cell in cells if not wanted.cell or cell.name in wanted.cell]
    try:
        need_tmux()
        alone = [] if wanted.cell or wanted.harness else _alone()
        held = [*alone, *_run(chosen, versions, wanted)]
    except CannotRun as error:
        print(f"validate: {error}", file=sys.stderr)
        return 1
    numbers = {name: each.version for name, each in versions.items()}
    matrix.PAGE.parent.mkdir(parents=True, exist_ok=True)
    matrix.PAGE.write_text(matrix.page(cells, numbers), encoding="utf-8")
    print(f"validate: {sum(held)} of {len(held)} held; see docs/reference/live-matrix.md")
    return 0 if all(held) else 1


def _alone() -> list[bool]:
    """The proofs that need no harness: each a program that can be run by itself, too."""
    return [main() == 0 for main in (mcp_stdio.main, inspector.main)]


def _run(cells: list[Cell], versions: dict[str, Pinned], wanted: argparse.Namespace) -> list[bool]:
    need_tmux()
    found = zellij()
    muxes = _muxes(wanted.multiplexer, found)
    harnesses = [name for name in versions if not wanted.harness or name in wanted.harness]
    cache = cache_of(os.environ)
    programs = {name: installed(versions[name], cache, print) for name in harnesses}
    adopt()
    # everything is here by now: from now on there is no network to reach
    alone = loopback_only()
    network = "loopback only, enforced" if alone else "not cut off: no network namespace here"
    print(f"validate: network {network}", flush=True)
    held = []
    for name in harnesses:
        places = (programs[name], *([found] if found else []))
        rig = Rig(versions[name], places, network, wanted.keep)
        mine = [cell for cell in cells if name in cell.harnesses]
        held += [not ran.trouble for ran in run_all(rig, mine, muxes)]
    return held


def _muxes(asked: list[str] | None, found: Path | None) -> list[str]:
    """Those to run on. Raises CannotRun where Zellij was asked for and is missing."""
    if found is not None:
        return asked or ["tmux", "zellij"]
    missing = "no Zellij 0.44.2 or newer: `sh scripts/need-zellij` builds one"
    if "zellij" in (asked or ()):
        raise CannotRun(f"{missing}.")
    print(f"validate: its cells on Zellij are not run: {missing}", flush=True)
    return asked or ["tmux"]


def _parser(cells: list[Cell], versions: dict[str, Pinned]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m validation", description=__doc__)
    muxes = sorted({mux for cell in cells for mux in cell.multiplexers})
    for option, names in (
        ("--harness", list(versions)),
        ("--multiplexer", muxes),
        ("--cell", [cell.name for cell in cells]),
    ):
        one = f"only this {option[2:]}; may be repeated"
        parser.add_argument(option, choices=names, help=one, action="append", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="list the cells and run nothing")
    parser.add_argument("--keep", action="store_true", help="leave each world, its panes running")
    return parser


if __name__ == "__main__":
    sys.exit(main())


__all__ = ["main"]
