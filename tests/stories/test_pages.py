"""What the pages tell a newcomer to type works as it stands, and answers as they say."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pexpect
import pytest

from tests.agents.cli_rig import BIN, Cli
from tests.pages import alike, blocks, page
from tests.waiting import wait_for
from tongs_agents.config import parse
from tongs_agents.reasons import REASONS

PREFIX = "3f9a"
"""What stands on the pages for the beginning of an id."""

SLEEP = f"{shutil.which('sleep')} 100"


@pytest.fixture
def newcomer(world: Path, tmux_socket: str, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A home without config, and on PATH our programs and tmux: no agent, no Zellij."""
    programs = world / "bin"
    programs.mkdir()
    for name in ("tongs-agents", "tongs-agents-scripted"):
        (programs / name).symlink_to(BIN / name)
    (programs / "tmux").symlink_to(shutil.which("tmux") or "")
    monkeypatch.setenv("PATH", str(programs))
    return Cli(world, str(Path(tmux_socket).parent / f"tmux-{os.getuid()}" / "tongs-agents"))


def typed(cli: Cli, line: str) -> subprocess.CompletedProcess[str]:
    """A line of a page, in a shell, in the home directory."""
    return subprocess.run(
        ["/bin/sh", "-c", line],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=cli.home,
        timeout=60,
    )


def commands(cli: Cli, lines: list[str]) -> list[list[str]]:
    """Type each line in turn, the id's beginning put in; what each said. All must end well."""
    said, launch = [], PREFIX
    for line in lines:
        if line.split()[1] == "send":  # as a person would, once the agent is there
            cli.wait_ready(launch)
        done = typed(cli, line.replace(PREFIX, launch[:4]))
        assert done.returncode == 0, (line, done.stdout)
        if line.split()[1] == "spawn":
            launch = cli.ok("list")["launches"][-1]["launch_id"]
        said.append(alike(done.stdout.replace(launch[:4], PREFIX)))
    return said


def test_the_commands_of_the_readme_work_as_they_stand(newcomer: Cli):
    block = next(text for text in blocks("README.md", "sh") if "tongs-agents init" in text)
    lines = block.splitlines()
    assert all(line.startswith("tongs-agents ") for line in lines)
    assert len(commands(newcomer, lines)) == len(lines) > 5
    assert newcomer.ok("list")["launches"][0]["state"] == "exited"


def test_what_the_readme_shows_is_what_is_said(newcomer: Cli):
    block = next(text for text in blocks("README.md", "console") if "spawn worker" in text)
    newcomer.ok("init")
    shown: dict[str, list[str]] = {}
    for line in block.splitlines():
        if line.startswith("$ "):
            shown[line.removeprefix("$ ")] = []
        else:
            shown[list(shown)[-1]] += alike(line)
    for (line, expected), said in zip(shown.items(), commands(newcomer, list(shown)), strict=True):
        assert said == expected, line


def test_the_refusal_at_the_top_of_the_readme_is_a_real_one(newcomer: Cli):
    command, *expected = blocks("README.md", "console")[0].splitlines()
    newcomer.ok("init")
    launch = newcomer.spawn("worker")
    newcomer.wait_ready(launch)
    newcomer.ok("send", launch, "[[tool:Bash {}]]")
    wait_for(lambda: "Do you want to proceed?" in newcomer.screen(launch), what="the dialog")
    done = typed(newcomer, command.removeprefix("$ ").replace(PREFIX, launch))
    assert (done.returncode, done.stdout.splitlines()) == (5, expected)


def test_the_config_of_the_readme_is_what_a_hint_says_to_paste(newcomer: Cli):
    block, *_ = blocks("README.md", "toml")
    path = newcomer.config
    assert list(parse(block.encode(), path=path, home=path.parent).profiles) == ["worker"]
    answer = newcomer.text("spawn", "worker")
    assert answer.code == 5
    where, *lines = answer.err.partition("  hint: ")[2].splitlines()
    assert str(path) in where
    assert tomllib.loads("\n".join(lines)) == tomllib.loads(block)
    newcomer.ok("init")
    path.write_text(path.read_text("utf-8").replace("[profiles.worker]", "[profiles.other]"))
    assert newcomer.text("spawn", "worker").err == answer.err.replace("none", "other")
    with path.open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    newcomer.spawn("worker")


def test_the_program_of_the_library_page_runs_as_it_stands(
    newcomer: Cli, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("XDG_STATE_HOME")
    (program,) = blocks("docs/how-to/library.md", "python")
    run = [sys.executable, "-c", program]
    empty = subprocess.run(run, capture_output=True, text=True, timeout=60, cwd=newcomer.home)
    assert (empty.returncode, empty.stdout, empty.stderr) == (0, "", "")
    newcomer.ok("init")
    ended, alive = newcomer.spawn("worker"), newcomer.spawn("worker")
    newcomer.ok("close", ended)
    done = subprocess.run(run, capture_output=True, text=True, timeout=60, cwd=newcomer.home)
    assert (done.stdout, done.stderr) == (f"{ended} exited\n{alive} running\n", "")


def _said(cli: Cli, launch: str) -> str:
    """The command that ``focus`` names where no client is attached."""
    note = cli.text("focus", launch).err
    assert note.startswith("no client is attached: ")
    return note.partition("`")[2].partition("`")[0]


def test_what_spawn_and_focus_say_shows_the_pane(newcomer: Cli):
    newcomer.ok("init")
    spawned = newcomer.ok("spawn", "worker")
    launch, (notice,) = spawned["launch_id"], spawned["notices"]
    command = _said(newcomer, launch)
    assert command in notice
    newcomer.tmux("new-session", "-d", "-s", "by hand", SLEEP)
    newcomer.tmux("move-pane", "-s", spawned["pane"]["pane_id"], "-t", "by hand:")
    moved = _said(newcomer, launch)
    assert "'by hand'" in moved
    program, *words = shlex.split(moved)
    person = pexpect.spawn(program, words, env={**os.environ, "TERM": "xterm"}, timeout=20)
    wait_for(lambda: newcomer.tmux("list-clients"), what="an attached client")
    answer = newcomer.text("focus", launch)
    assert (answer.err, " on " in answer.out) == ("", True)
    shown = newcomer.tmux("list-clients", "-F", "#{pane_id}").strip()
    assert shown == spawned["pane"]["pane_id"]
    person.close(force=True)


def test_the_hint_for_synchronized_panes_works_as_it_stands(newcomer: Cli):
    newcomer.ok("init")
    spawned = newcomer.ok("spawn", "worker")
    launch, pane = spawned["launch_id"], spawned["pane"]["pane_id"]
    newcomer.wait_ready(launch)
    newcomer.tmux("set-option", "-w", "-t", pane, "synchronize-panes", "on")
    newcomer.tmux("new-window", "-t", "agents:", SLEEP)  # not the window in front
    answer = newcomer.run("send", launch, "x")
    assert answer.json["reason"] == "synchronized"
    command = answer.json["hint"].partition("`")[2].partition("`")[0]
    assert typed(newcomer, command).returncode == 0
    assert newcomer.ok("send", launch, "x")["bytes"] == 1


def test_the_hint_for_a_draft_works_as_it_stands(newcomer: Cli):
    newcomer.ok("init")
    launch = newcomer.spawn("worker")
    newcomer.wait_ready(launch)
    newcomer.tmux("send-keys", "-t", "%0", "-l", "half a thought")
    wait_for(lambda: "half a thought" in newcomer.screen(launch), what="the draft")
    answer = newcomer.run("send", launch, "x")
    assert (answer.json["reason"], "Ctrl-U" in answer.json["hint"]) == ("draft", True)
    newcomer.tmux("send-keys", "-t", "%0", "C-u")
    newcomer.wait_ready(launch)
    sent = newcomer.ok("send", launch, "[[text:one thought]]")
    assert json.dumps(sent["evidence"]).count("let go of the text") == 1


def test_the_config_of_the_lead_and_its_workers_does_what_the_page_says(newcomer: Cli):
    page_of = "docs/how-to/lead-and-workers.md"
    (block,) = blocks(page_of, "toml")
    (typed_line,) = blocks(page_of, "sh")
    for command in ('["claude", "--permission-mode", "acceptEdits"]', '["claude"]'):
        assert block.count(command) == 1
        block = block.replace(command, '["tongs-agents-scripted"]')
    (newcomer.home / "src" / "app").mkdir(parents=True)
    newcomer.config.parent.mkdir(parents=True)
    newcomer.config.write_text(f'[workspace]\nmultiplexer = "tmux"\n\n{block}', "utf-8")
    assert typed(newcomer, typed_line).returncode == 0
    (lead,) = newcomer.ok("list")["launches"]
    newcomer.wait_ready(lead["launch_id"])
    spawn = '[[tool:mcp__tongs-agents__agents_spawn {"profile": "worker"}]]'
    newcomer.ok("send", lead["launch_id"], spawn)
    wait_for(lambda: "Do you want" in newcomer.screen(lead["launch_id"]), what="its question")
    newcomer.tmux("send-keys", "-t", lead["pane"]["pane_id"], "Enter")
    found = wait_for(lambda: newcomer.ok("list")["launches"][1:], deadline=20, what="a worker")
    assert (found[0]["profile"], found[0]["spawned_by"]) == ("worker", lead["launch_id"])
    actors = {json.loads(line)["actor"] for line in newcomer.text("audit").out.splitlines()}
    assert actors == {"cli", f"mcp:{lead['launch_id']}"}


def test_the_reasons_that_the_page_on_leads_explains_are_in_the_table():
    rows = page("docs/how-to/lead-and-workers.md").partition("| reason | because |")[2]
    named = {it for row in rows.splitlines() for it in row.split("|")[1:2]}
    words = {word.strip("` ") for cell in named for word in cell.split(",")}
    words -= {"", "---"}
    assert words <= set(REASONS)
    assert {REASONS[word].exit_code for word in words} == {5}
