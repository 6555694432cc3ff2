"""The composition root: nothing is made before it is needed, and what is made is private."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tongs_agents.errors import LaunchEnded, Refused, UsageError
from tongs_agents.services import Services, judge
from tongs_mux.audit import AuditEntry
from tongs_mux.errors import AuditFailed, PlaceRefused
from tongs_mux.model import LaunchRecord


@pytest.fixture
def services(world: Path) -> Services:
    return Services.of_process()


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_world_is_this_process(services: Services, world: Path):
    assert (services.home, services.uid, services.pid) == (world, os.getuid(), os.getpid())
    assert services.cwd == Path.cwd()
    assert services.places.state_dir == world / "state" / "tongs-agents"


def test_a_home_that_is_not_set_is_the_systems(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("HOME")
    assert Services.of_process().home.is_absolute()
    monkeypatch.setenv("HOME", "relative")
    assert Services.of_process().home.is_absolute()


def test_a_user_without_any_home_is_told_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", "")
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 5)
    with pytest.raises(UsageError, match="HOME is not set"):
        Services.of_process()


def test_looking_makes_nothing(services: Services, world: Path):
    before = sorted(world.rglob("*"))
    assert services.store.ids() == ()
    assert services.records() == ((), ())
    assert services.control.list(()) == ()
    assert services.agent_around() is None
    assert services.config.profiles == {}
    assert sorted(world.rglob("*")) == before


def test_each_service_is_made_once(services: Services):
    assert services.control is services.control
    assert services.acting() is services.control
    assert services.control.store is services.store


@pytest.mark.parametrize("umask", [0o000, 0o077], ids=["umask 000", "umask 077"])
def test_acting_makes_both_places_private(services: Services, umask: int):
    before = os.umask(umask)
    try:
        services.acting()
    finally:
        os.umask(before)
    places = services.places
    assert (_mode(places.state_dir), _mode(places.runtime_dir)) == (0o700, 0o700)


@pytest.mark.parametrize("place", ["state_dir", "launches", "runtime_dir"])
@pytest.mark.parametrize("fault", ["open", "link"])
def test_a_place_that_is_not_private_is_refused(services: Services, place: str, fault: str):
    path: Path = getattr(services.places, place)
    real = path.with_name("elsewhere")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    (path if fault == "open" else real).mkdir()
    if fault == "link":
        path.symlink_to(real)
    else:
        path.chmod(0o750)
    with pytest.raises(PlaceRefused):
        services.acting()


def test_a_state_dir_that_cannot_be_made_refuses_the_act(services: Services):
    services.places.state_dir.parent.write_text("a file in the way", encoding="utf-8")
    with pytest.raises(AuditFailed):
        services.acting()


def test_auditing_makes_the_state_dir_alone(services: Services):
    services.auditing().outcome(None, AuditEntry(actor="cli", action="send"))
    assert _mode(services.places.state_dir) == 0o700
    assert _mode(services.places.control_audit) == 0o600
    assert not services.places.runtime_dir.exists()


def test_records_come_oldest_first_and_unreadable_ones_are_named(services: Services):
    for launch_id, at in (("bbbbbbbb", 1.0), ("aaaaaaaa", 2.0)):
        services.store.create(LaunchRecord(launch_id, at, ("x",), "/"))
    for name, mode in (("cccccccc", 0o600), ("dddddddd", 0o644)):
        path = services.places.launches / f"{name}.json"
        path.write_text("[]", encoding="utf-8")
        path.chmod(mode)
    records, troubles = services.records()
    assert [record.launch_id for record in records] == ["bbbbbbbb", "aaaaaaaa"]
    assert [name in trouble for name, trouble in zip(("cccc", "dddd"), troubles, strict=True)] == [
        True,
        True,
    ]


def test_the_judge_is_the_one_table():
    assert judge(Refused("no", reason="dialog")) == ("refused", 5)
    assert judge(LaunchEnded("over", state=None, status=None)) == ("exited", 3)
    assert judge(KeyboardInterrupt()) == ("cancelled", 130)
    assert judge(ZeroDivisionError()) == ("error", 1)
