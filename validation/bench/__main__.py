"""``python -m validation.bench``: measure every goal in one run and write the page."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from validation.bench import p1_hook, p3_inbox, p4_send, p5_command, p6_list, p7_mcp, p8_post
from validation.bench.bare import Bare, BareTmux, BareZellij
from validation.bench.farm import Farm, farm
from validation.bench.measure import Sample
from validation.bench.report import Row, page, write
from validation.install import zellij

_GOALS = {"P4": p4_send.GOAL, "P5": p5_command.GOAL, "P6": p6_list.GOAL}

NOTES = {
    ("P4", "tmux"): "four tmux processes (look, paste, look, Enter) where the floor is one; a "
    "control connection would make them cheap and is not taken, see decision 2.",
    ("P4", "zellij"): "two processes that act where the floor has the same two; besides, every "
    "look is three (panes, tabs, screen), before and after each act.",
    ("P5", "tmux"): "the command's own imports and six private files on top of the two libraries.",
    ("P5", "zellij"): "the processes of P4 on top of the command's own imports and files.",
    ("P6", "tmux"): "one record, one verdict and one look at /proc for each launch, in Python.",
    ("P6", "zellij"): "tabs are asked for beside panes; one record, one verdict and one look at "
    "/proc for each launch, in Python.",
}


def main() -> int:
    """Measure, print as it goes, write the page."""
    parser = argparse.ArgumentParser(prog="python -m validation.bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=21, help="runs of each subject (21)")
    parser.add_argument("--dry-run", action="store_true", help="print, write no page")
    options = parser.parse_args()
    rows: list[Row] = []
    growth: list[str] = []
    for bare_of in _multiplexers():
        with farm(bare_of) as made:
            more, grown = _measure(made, options.runs)
        rows, growth = [*rows, *more], [*growth, *grown, ""]
    _say("hooks …")
    rows = [*p1_hook.measure(options.runs), *rows]
    _say("chat …")
    rows += _chat(options.runs)
    _say("MCP server …")
    rows += p7_mcp.measure(max(5, options.runs // 2))
    text = page(rows, growth[:-1], options.runs)
    sys.stdout.write("\n" + text)
    if not options.dry_run:
        write(text)
    return 0


def _chat(runs: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        inbox = p3_inbox.measure(place, runs)
        posts = p8_post.measure(place, max(3, runs // 4))
    note = "each limit is counted in the transaction of the post, and its indexes are kept"
    return [
        Row("P3", "inbox, 100,000 messages stored, a hundred times", *inbox, p3_inbox.GOAL),
        Row("P8", "post, 8 processes at 50/s each, 95th percentile", *posts, p8_post.GOAL, note),
    ]


def _multiplexers() -> Iterator[Callable[[Path], Bare]]:
    """What to measure on; says so where Zellij is missing."""
    yield BareTmux
    place = zellij()
    if place is None:
        _say("no Zellij 0.44.2 or newer: its rows are left out; `sh scripts/need-zellij` builds")
    else:
        yield partial(BareZellij, program=place / "zellij")


def _measure(made: Farm, runs: int) -> tuple[list[Row], list[str]]:
    rows: list[Row] = []
    sends: list[Sample] = []
    lists: list[Sample] = []
    mux, counts = made.bare.multiplexer, made.bare.panes
    growth = [f"| panes, {mux} | verified send (ms) | verified list (ms) |", "|---|---|---|"]
    for panes in counts:
        _say(f"{mux}: {panes} launches …")
        made.grow(panes)
        floor, send = p4_send.measure(made, runs)
        bare, listing = p6_list.measure(made, runs)
        sends.append(send)
        lists.append(listing)
        growth.append(f"| {panes} | {send.median * 1e3:.2f} | {listing.median * 1e3:.2f} |")
        if panes == 50:
            rows.append(_row("P4", "verified send, 50 panes", mux, (floor, send)))
            rows.append(_row("P6", "verified list, 50 launches", mux, (bare, listing)))
    _say(f"{mux}: whole processes …")
    floor, command = p5_command.measure(made, max(5, runs // 2))
    rows.insert(1, _row("P5", "`tongs-agents send`", mux, (floor, command)))
    growth += ["", *_grown(counts, sends, lists)]
    return rows, growth


def _row(goal: str, what: str, mux: str, samples: tuple[Sample, Sample]) -> Row:
    return Row(goal, f"{what}, {mux}", *samples, _GOALS[goal], NOTES[goal, mux])


def _grown(counts: Sequence[int], sends: list[Sample], lists: list[Sample]) -> list[str]:
    flat = sends[-1].median / sends[0].median
    more = lists[-1].median / lists[0].median
    panes = counts[-1] / counts[0]
    send_goal = "reached" if flat <= 1.3 else "**missed**"
    list_goal = "reached" if more <= panes else "**missed**"
    first = f"From {counts[0]} to {counts[-1]} panes a send takes {flat:.2f} × as long"
    second = f"a list {more:.1f} × for {panes:g} × the panes"
    return [f"{first} (goal 1.3: {send_goal}), {second} (goal linear: {list_goal})."]


def _say(text: str) -> None:
    sys.stderr.write(f"bench: {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
