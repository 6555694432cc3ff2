"""Grants: handles, levels, what they are worth, and that each is written down."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chat.rig import ME, NOW, OTHER, agent, grant, maintainer, raw
from tongs_chat import administration, grants, validity
from tongs_chat.audit import ChatEvent
from tongs_chat.database import Database
from tongs_chat.errors import ChatError, GrantError, InvalidName, NotFound, StoreBusy
from tongs_chat.model import Grant


class Lines:
    """An audit in memory: what was written, in order; it can refuse to write."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, str | None, str, str]] = []
        self.broken = False

    def begin(self, event: ChatEvent) -> str:
        if self.broken:
            raise OSError("no room")
        self.lines.append(("begin", event.action, event.target, "", ""))
        return f"act{len(self.lines)}"

    def outcome(self, act: str | None, event: ChatEvent) -> None:
        assert act is not None
        self.lines.append(("outcome", event.action, event.target, event.outcome, event.reason))


@pytest.fixture
def person(store: Path) -> Iterator[Database]:
    with maintainer(store) as database:
        yield database


def _give(database: Database, launch: str, **more) -> Grant:
    values = {"profile": "lead", "level": "chat", "pid": 7, "start_token": "b:7", "now": NOW}
    return grants.give(database, launch_id=launch, **{**values, **more})


@pytest.mark.requirement("2.6")
def test_the_handle_is_the_profiles_name_or_that_with_a_number(person: Database) -> None:
    given = [_give(person, f"launch-{n:04}").handle for n in range(3)]
    assert given == ["lead", "lead-2", "lead-3"]
    assert _give(person, "launch-9999", profile="maintainer").handle == "maintainer-2"


@pytest.mark.requirement("1.13", "2.6", "2.16")
def test_another_handle_may_be_chosen_where_it_is_one_and_free(person: Database) -> None:
    assert _give(person, ME, handle="boss").handle == "boss"
    with pytest.raises(GrantError) as taken:
        _give(person, OTHER, handle="boss")
    assert taken.value.reason == "handle-taken"
    for handle in ("", "Boss", "a b", "a" * 33, "ü", "maintainer", "a\n"):
        with pytest.raises(InvalidName):
            _give(person, OTHER, handle=handle)
    assert _give(person, OTHER, handle="a" * 32).handle == "a" * 32


@pytest.mark.requirement("A36", "2.2")
def test_granting_again_replaces_the_level_and_keeps_the_rest(person: Database) -> None:
    first = _give(person, ME, handle="boss")
    again = _give(person, ME, level="chat+wake", now=NOW + 9)
    assert (again.level, again.handle, again.granted_at) == ("chat+wake", "boss", NOW)
    assert again.participant_id == first.participant_id
    assert _give(person, ME, handle="chief").handle == "chief"
    assert len(grants.every(person)) == 1


@pytest.mark.requirement("2.13", "5.3")
def test_a_grant_is_of_one_process_and_of_no_other_in_its_place(person: Database) -> None:
    given = _give(person, ME)
    assert validity.require(given, ME, 7, "b:7") == given
    for pid, token in ((8, "b:7"), (7, "b:8"), (7, None)):
        with pytest.raises(GrantError, match="has ended"):
            validity.require(given, ME, pid, token)
    with pytest.raises(GrantError, match="no chat grant"):
        validity.require(None, ME, 7, "b:7")


@pytest.mark.requirement("2.12", "2.14", "A39")
def test_a_grant_is_pending_until_the_client_was_shown_the_tools_after_it(
    store: Path, person: Database
) -> None:
    given = _give(person, ME)
    assert validity.state_of(given, current=True) == "tools-pending"
    assert validity.state_of(given, current=False) == "stale"
    connection = raw(store)
    for listed, state in ((NOW - 1, "tools-pending"), (NOW, "active")):
        connection.execute("UPDATE delivery SET listed_at = ?", (listed,))
        found = grants.of_launch(person, ME)
        assert found is not None
        assert validity.state_of(found, current=True) == state
    connection.close()


@pytest.mark.requirement("2.15", "1.24", "A97")
def test_grants_and_revokes_are_written_down_before_and_after(person: Database) -> None:
    lines = Lines()
    values = {"profile": "lead", "pid": 7, "start_token": "b:7", "now": NOW}
    administration.grant(person, lines, actor="cli", launch_id=ME, level="chat", **values)  # type: ignore[arg-type]  # as typed above
    with pytest.raises(GrantError):
        administration.grant(
            person,
            lines,
            actor="cli",
            launch_id=OTHER,
            level="chat",
            handle="lead",
            **values,  # type: ignore[arg-type]  # as typed above
        )
    administration.revoke(person, lines, actor="cli", launch_id=ME, now=NOW)
    assert lines.lines == [
        ("begin", "grant", ME, "", ""),
        ("outcome", "grant", ME, "ok", ""),
        ("begin", "grant", OTHER, "", ""),
        ("outcome", "grant", OTHER, "refused", "handle-taken"),
        ("begin", "revoke", ME, "", ""),
        ("outcome", "revoke", ME, "ok", ""),
    ]
    lines.broken = True
    with pytest.raises(OSError, match="no room"):
        administration.grant(person, lines, actor="cli", launch_id=ME, level="chat", **values)  # type: ignore[arg-type]  # as typed above
    assert grants.every(person) == ()


@pytest.mark.requirement("2.12", "1.24")
def test_only_what_is_surely_stale_is_removed_and_each_is_written_down(person: Database) -> None:
    _give(person, ME)
    _give(person, OTHER)
    lines = Lines()
    removed = administration.remove_stale(
        person, lines, actor="sidebar", is_stale=lambda it: it.launch_id == ME, now=NOW
    )
    assert [it.launch_id for it in removed] == [ME]
    assert [it.launch_id for it in grants.every(person)] == [OTHER]
    assert lines.lines == [
        ("begin", "remove-stale", ME, "", ""),
        ("outcome", "remove-stale", ME, "ok", ""),
    ]


def test_revoking_what_was_not_granted_says_so(person: Database) -> None:
    with pytest.raises(NotFound) as caught:
        grants.take_back(person, ME, now=NOW)
    assert caught.value.reason == "not-granted"


@pytest.mark.requirement("A78", "A80")
def test_a_purge_ends_every_grant_each_written_down(store: Path, person: Database) -> None:
    grant(store, ME, "me")
    grant(store, OTHER, "other")
    lines = Lines()
    assert administration.purge(store, lines, actor="cli")
    assert not store.exists()
    assert sorted(lines.lines[-2:]) == [
        ("outcome", "revoke", ME, "ok", ""),
        ("outcome", "revoke", OTHER, "ok", ""),
    ]
    assert not administration.purge(store, lines, actor="cli")


@pytest.mark.requirement("A78")
def test_a_purge_that_fails_leaves_everything_and_says_so(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grant(store, ME, "me")
    monkeypatch.setattr("tongs_chat.limits.BUSY_SECONDS", 0.05)
    holder = raw(store)
    holder.execute("BEGIN IMMEDIATE")
    lines = Lines()
    with pytest.raises(StoreBusy):
        administration.purge(store, lines, actor="cli")
    holder.execute("ROLLBACK")
    lines.broken = True
    with pytest.raises(OSError, match="no room"):
        administration.purge(store, lines, actor="cli")
    holder.close()
    agent(store, ME).close()
    assert lines.lines == [
        ("begin", "purge", None, "", ""),
        ("outcome", "purge", None, "error", "busy"),
    ]


def test_a_revoked_launch_that_is_granted_again_is_the_same_participant(
    store: Path, person: Database
) -> None:
    first = _give(person, ME)
    grants.take_back(person, ME, now=NOW)
    again = _give(person, ME, now=NOW + 5)
    assert (again.participant_id, again.granted_at) == (first.participant_id, NOW + 5)


def test_errors_of_a_port_that_fails_are_not_taken_for_refusals(person: Database) -> None:
    lines = Lines()

    def gone() -> None:
        raise ZeroDivisionError

    from tongs_chat.audit import audited

    with pytest.raises(ZeroDivisionError):
        audited(lines, ChatEvent("cli", "grant"), gone)
    assert lines.lines[-1] == ("outcome", "grant", None, "error", "failed")
    assert not issubclass(ZeroDivisionError, ChatError)
