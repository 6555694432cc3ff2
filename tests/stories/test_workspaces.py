"""Two workspaces at once, one on tmux and one on Zellij, with the same names in both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.stories.rig import PERSON, Agent, Rig, pasted
from tests.stories.zellij_rig import ZellijRig
from tests.waiting import wait_for
from tests.zellij import private_zellij
from tongs_agents.launches import may_forget


@pytest.fixture
def rigs(
    tmp_path: Path, tmux_socket: str, short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Rig, Rig]]:
    """One person's two configs: the same session name, the same profiles, the same records."""
    with private_zellij(short_dir, monkeypatch) as zellij:
        one, two = Rig(tmp_path / "one", tmux_socket), ZellijRig(tmp_path / "two", zellij)
        one.environ = two.environ
        two.places = replace(one.places, config=two.places.config)
        for rig in (one, two):
            rig.control = rig.controller()
        yield one, two


def test_two_workspaces_one_on_each_are_not_confused(rigs: tuple[Rig, Rig]):
    agents = [(rig.start(), rig.start()) for rig in rigs]
    everyone = [agent for pair in agents for agent in pair]
    assert [it.record.labels["profile"] for it in everyone] == ["p0", "p1"] * 2
    for rig in rigs:  # from either workspace every launch is found where it is
        seen = {it.record.launch_id: it for it in rig.control.list(rig.control.store.all())}
        assert [seen[it.id].verdict.state for it in everyone] == ["running"] * 4
        found = [pane.multiplexer for it in everyone if (pane := it.record.pane)]
        assert found == ["tmux"] * 2 + ["zellij"] * 2
        for agent in everyone:
            text = f"for {agent.id} from {rig.where.multiplexer}"
            agent.wait_composer("empty")
            agent.send(text, rig.control)
            wait_for(lambda: agent.journal.typed().endswith(pasted(text)), what="it")  # noqa: B023
    assert [len(it.journal.submitted()) for it in everyone] == [2] * 4
    _ends_alone(rigs[0], agents[1][0], [agents[0][0], agents[0][1], agents[1][1]])
    _ends_alone(rigs[1], agents[0][0], [agents[0][1], agents[1][1]])


def _ends_alone(rig: Rig, doomed: Agent, others: list[Agent]) -> None:
    """Closed from the other workspace, it is gone, and nothing else is."""
    rig.control.close(doomed.record, PERSON)
    assert doomed.gone()
    assert doomed.state() == "exited"
    assert [it.state() for it in others] == ["running"] * len(others)
    assert not any(may_forget(rig.control.verify(it.record), rig.control) for it in others)
