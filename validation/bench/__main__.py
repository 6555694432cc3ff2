"""``python -m validation.bench``: measure every goal in one run and write the page."""

from __future__ import annotations

import argparse
import sys

from validation.bench import p1_hook, p4_send, p5_command, p6_list
from validation.bench.farm import Farm, farm
from validation.bench.measure import Sample
from validation.bench.report import Row, page, write

PANES = (5, 50, 200)
NOTES = {
    "P4": "four tmux processes (look, paste, look, Enter) where the floor is one; a control "
    "connection would make them cheap and is not taken, see decision 2.",
    "P5": "the command's own imports and six private files on top of the two libraries.",
    "P6": "one record, one verdict and one look at /proc for each launch, in Python.",
}


def main() -> int:
    """Measure, print as it goes, write the page."""
    parser = argparse.ArgumentParser(prog="python -m validation.bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=21, help="runs of each subject (21)")
    parser.add_argument("--dry-run", action="store_true", help="print, write no page")
    options = parser.parse_args()
    with farm() as made:
        rows, growth = _measure(made, options.runs)
    _say("hooks …")
    rows = [*p1_hook.measure(options.runs), *rows]
    text = page(rows, growth, options.runs)
    sys.stdout.write("\n" + text)
    if not options.dry_run:
        write(text)
    return 0


def _measure(made: Farm, runs: int) -> tuple[list[Row], list[str]]:
    rows: list[Row] = []
    sends: list[Sample] = []
    lists: list[Sample] = []
    growth = ["| panes | verified send (ms) | verified list (ms) |", "|---|---|---|"]
    for panes in PANES:
        _say(f"{panes} launches …")
        made.grow(panes)
        floor, send = p4_send.measure(made, runs)
        bare, listing = p6_list.measure(made, runs)
        sends.append(send)
        lists.append(listing)
        growth.append(f"| {panes} | {send.median * 1e3:.2f} | {listing.median * 1e3:.2f} |")
        if panes == 50:
            rows.append(Row("P4", "verified send, 50 panes", floor, send, 3.0, NOTES["P4"]))
            rows.append(Row("P6", "verified list, 50 launches", bare, listing, 2.0, NOTES["P6"]))
    _say("whole processes …")
    floor, command = p5_command.measure(made, max(5, runs // 2))
    rows.insert(1, Row("P5", "`tongs-agents send`", floor, command, 1.5, NOTES["P5"]))
    growth += ["", *_grown(sends, lists)]
    return rows, growth


def _grown(sends: list[Sample], lists: list[Sample]) -> list[str]:
    flat = sends[-1].median / sends[0].median
    more = lists[-1].median / lists[0].median
    panes = PANES[-1] / PANES[0]
    send_goal = "reached" if flat <= 1.3 else "**missed**"
    list_goal = "reached" if more <= panes else "**missed**"
    first = f"From {PANES[0]} to {PANES[-1]} panes a send takes {flat:.2f} × as long"
    second = f"a list {more:.1f} × for {panes:g} × the panes"
    return [f"{first} (goal 1.3: {send_goal}), {second} (goal linear: {list_goal})."]


def _say(text: str) -> None:
    sys.stderr.write(f"bench: {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
