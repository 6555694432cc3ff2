"""Which multiplexer is meant, where the config leaves it open, and the backend for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tongs_agents.errors import Unsupported
from tongs_agents.launcher import own_claim, own_pane
from tongs_agents.multiplexers import BackendFactory, around, workspace_pane, zellij_is_usable
from tongs_mux.model import PaneRef, ProcessIdentity
from tongs_mux.testing import FakeProcesses

TMUX = {"TMUX": "/tmp/tmux-0/default,100,0", "TMUX_PANE": "%3"}
ZELLIJ = {"ZELLIJ": "0", "ZELLIJ_SESSION_NAME": "mine", "ZELLIJ_PANE_ID": "7"}


def program(directory: Path, says: str) -> dict[str, str]:
    """An environment in which ``zellij`` says this."""
    directory.mkdir(exist_ok=True)
    path = directory / "zellij"
    path.write_text(f"#!/bin/sh\necho {says}\n", encoding="utf-8")
    path.chmod(0o755)
    return {"PATH": f"{directory}:/usr/bin:/bin"}


def where(multiplexer: str | None, environ: dict[str, str]) -> PaneRef:
    return workspace_pane(multiplexer, "agents", "/a/socket", environ, 7)


TMUX_PLACE = PaneRef("tmux", "agents", "", "/a/socket")
ZELLIJ_PLACE = PaneRef("zellij", "agents", "", None)


def test_what_the_config_says_counts_wherever_we_are(tmp_path: Path):
    installed = program(tmp_path, "zellij 0.45.1")
    assert where("tmux", {**installed, **ZELLIJ}) == TMUX_PLACE
    assert where("zellij", {"PATH": "/nothing", **TMUX}) == ZELLIJ_PLACE


def test_unset_it_is_the_one_that_we_are_inside(tmp_path: Path):
    installed = program(tmp_path, "zellij 0.45.1")
    assert where(None, {**installed, **TMUX}) == TMUX_PLACE
    assert where(None, {"PATH": "/nothing", **ZELLIJ}) == ZELLIJ_PLACE


def test_outside_of_any_it_is_an_installed_zellij_that_is_new_enough(tmp_path: Path):
    assert where(None, program(tmp_path / "new", "zellij 0.45.1")) == ZELLIJ_PLACE
    assert where(None, program(tmp_path / "old", "zellij 0.44.1")) == TMUX_PLACE
    assert where(None, program(tmp_path / "odd", "nothing")) == TMUX_PLACE
    assert where(None, {"PATH": str(tmp_path / "none")}) == TMUX_PLACE


def test_another_one_is_unsupported():
    with pytest.raises(Unsupported):
        where("screen", {})


def test_a_zellij_that_can_not_be_run_is_not_usable(tmp_path: Path):
    environ = program(tmp_path, "zellij 0.45.1")
    assert zellij_is_usable(environ)
    (tmp_path / "zellij").write_text("#!/nothing/here\n", encoding="utf-8")
    assert not zellij_is_usable(environ)


@pytest.mark.requirement("A84")
@pytest.mark.parametrize(
    ("environ", "parents", "expected"),
    [
        ({}, (), None),
        (TMUX, (), "tmux"),
        (ZELLIJ, (), "zellij"),
        (TMUX | ZELLIJ, (50, 100, 1), "tmux"),
        (TMUX | ZELLIJ, (50, 60, 1), "zellij"),
        ({**ZELLIJ, "TMUX": "garbage"}, (50, 1), "zellij"),
    ],
)
def test_of_two_the_inner_one_is_told_by_ancestry(
    environ: dict[str, str], parents: tuple[int, ...], expected: str | None
):
    assert around(environ, lambda: parents) == expected


@pytest.mark.requirement("A84", "A88")
@pytest.mark.parametrize(
    ("environ", "parent", "expected"),
    [
        ({}, 1, ("", None, 0)),
        (TMUX, 100, ("%3", "/tmp/tmux-0/default", 100)),
        (ZELLIJ, 60, ("terminal_7", None, 60)),
        (TMUX | ZELLIJ, 60, ("terminal_7", None, 60)),
        (TMUX | ZELLIJ, 100, ("%3", "/tmp/tmux-0/default", 100)),
        (TMUX | {"ZELLIJ_PANE_ID": "x"}, 60, ("%3", "/tmp/tmux-0/default", 100)),
    ],
)
def test_a_launchers_own_pane(
    environ: dict[str, str], parent: int, expected: tuple[str, str | None, int]
):
    assert own_pane(environ, parent) == expected


@pytest.mark.requirement("A88")
def test_on_zellij_the_claim_names_the_claimants_parent_as_the_server():
    """So a claim by anything but the server's own child differs from the record."""
    processes = FakeProcesses()
    server = processes.start("zellij", "--server", "/s")
    launcher = processes.start("python", ppid=server)
    claim = own_claim(ZELLIJ, processes, launcher, 5.0)
    assert (claim.pane_id, claim.socket) == ("terminal_7", None)
    assert (claim.process, claim.server) == (
        processes.identity(launcher),
        processes.identity(server),
    )
    grandchild = processes.start("python", ppid=launcher)
    assert own_claim(ZELLIJ, processes, grandchild, 5.0).server == processes.identity(launcher)
    assert own_claim(ZELLIJ, processes, 9999, 5.0).server == ProcessIdentity(0, None)


def test_each_zellij_session_has_a_backend_of_its_own():
    backends = BackendFactory(FakeProcesses(), {"ZELLIJ_SOCKET_DIR": "/nothing/here"})
    one = backends(PaneRef("zellij", "one", "terminal_1", None))
    assert backends(PaneRef("zellij", "one", "terminal_2", None)) is one
    assert backends(PaneRef("zellij", "two", "terminal_1", None)) is not one
    assert (one.multiplexer, one.address(), one.atomic) == ("zellij", "/nothing/here", False)
    elsewhere = backends(PaneRef("zellij", "one", "terminal_1", "/recorded"))
    assert (elsewhere is one, elsewhere.address()) == (False, "/recorded")
    with pytest.raises(Unsupported):
        backends(PaneRef("tmux", "one", "%1", None))
