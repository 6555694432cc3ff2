"""The chat file on a real file system: made private, kept whole, refused where it is not ours."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chat.rig import ME, NOW, give_grants, maintainer, raw
from tests.house.tree import ROOT
from tongs_chat import roles
from tongs_chat.creation import open_maintainer, purge
from tongs_chat.database import Database
from tongs_chat.errors import (
    ChatError,
    GrantError,
    NoStore,
    SchemaTooNew,
    SchemaTooOld,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreRefused,
)
from tongs_chat.schema import VERSION
from tongs_chat.schema.migrations import MIGRATIONS, migrate

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")


def _open(path: Path, kind: str = "ext4", *, create: bool = False) -> Database:
    return open_maintainer(path, clock=lambda: NOW, create=create, kind_of=lambda _: kind)


def _modes(path: Path) -> dict[str, int]:
    return {it.name: stat.S_IMODE(it.lstat().st_mode) for it in path.parent.iterdir()}


def _content(path: Path) -> dict[str, bytes]:
    return {it.name: it.read_bytes() for it in path.parent.iterdir() if it.suffix != ".lock"}


@pytest.mark.requirement("1.3")
@pytest.mark.case("G8")
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o777])
def test_whatever_the_umask_all_of_it_is_private_while_it_is_in_use(path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        path.parent.mkdir(mode=0o700)
        path.parent.chmod(0o700)
        with _open(path, create=True) as database, database.write() as connection:
            connection.execute("INSERT INTO channels (name, created_at) VALUES ('more', 1)")
            modes = _modes(path)
    finally:
        os.umask(before)
    assert {"chat.db", "chat.db-wal", "chat.db-shm"} < set(modes)
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.requirement("1.4", "A26", "A27")
def test_only_a_grant_makes_the_file_and_the_first_channel_with_it(path: Path) -> None:
    with pytest.raises(NoStore, match="no launch was ever granted"):
        _open(path)
    for role in roles.ROLES:
        with pytest.raises(NoStore):
            Database(str(path), role, ME)
    assert not path.parent.exists()
    with _open(path, create=True) as database, database.read() as connection:
        assert connection.execute("SELECT name FROM channels").fetchall() == [("general",)]


@pytest.mark.requirement("1.2", "A79")
def test_it_is_in_wal_mode_and_can_give_pages_back(store: Path) -> None:
    connection = raw(store)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA auto_vacuum").fetchone() == (2,)
    connection.close()


def test_each_migration_is_there_with_its_row_and_runs_once(store: Path) -> None:
    connection = raw(store)
    migrate(connection, NOW + 1)
    rows = connection.execute("SELECT number, name, applied_at FROM migrations").fetchall()
    connection.close()
    assert rows == [(n + 1, it.NAME, NOW) for n, it in enumerate(MIGRATIONS)]
    assert len(MIGRATIONS) == VERSION


def test_a_migration_that_fails_leaves_the_file_as_it_was_before_it(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = raw(store)
    before = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()

    class Broken:
        NAME = "broken"
        STATEMENTS = ("CREATE TABLE half (a)", "CREATE TABLE half (a)")

    monkeypatch.setattr("tongs_chat.schema.migrations.MIGRATIONS", (*MIGRATIONS, Broken))
    monkeypatch.setattr("tongs_chat.schema.migrations.VERSION", VERSION + 1)
    with pytest.raises(Exception, match="already exists"):
        migrate(connection, NOW)
    assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == before
    assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    connection.close()


def test_an_older_file_is_brought_up_to_date_by_the_maintainer_alone(store: Path) -> None:
    give_grants(store, ME)
    connection = raw(store)
    connection.execute("DROP TABLE idle_watches")
    connection.execute("DROP TABLE peer_messages")
    connection.execute("ALTER TABLE delivery DROP COLUMN turn_taken")
    connection.execute("DELETE FROM migrations WHERE number = 2")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    with pytest.raises(SchemaTooOld, match="schema 1"):
        Database(str(store), roles.AGENT, ME)
    _open(store).close()
    Database(str(store), roles.AGENT, ME).close()


@pytest.mark.case("G3")
@pytest.mark.parametrize(
    ("spoil", "error", "says"),
    [
        (lambda path: path.write_bytes(b"garbage of 16 by"), StoreDamaged, "not a database"),
        (lambda path: path.write_bytes(b""), StoreDamaged, "something else"),
        (lambda path: path.chmod(0o644), StoreRefused, "open to others"),
        (lambda path: path.chmod(0o400), StoreRefused, "can't be written"),
        (lambda path: path.parent.chmod(0o755), StoreRefused, "open to others"),
        (lambda path: (path.rename(path.with_name("x")), path.symlink_to("x")), StoreRefused, "no"),
        (lambda path: (path.unlink(), path.mkdir()), StoreRefused, "no regular file"),
        (
            lambda path: path.with_name("chat.db-wal").symlink_to("chat.db"),
            StoreRefused,
            "no regular",
        ),
        (lambda path: path.with_name("chat.db-journal").write_bytes(b""), StoreRefused, "others"),
        (lambda path: _sql(path, "PRAGMA user_version = 99"), SchemaTooNew, "schema 99"),
        (lambda path: _sql(path, "PRAGMA application_id = 7"), StoreDamaged, "something else"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_is_not_as_ours_is_refused_and_left_as_it_was(
    store: Path, spoil, error: type[ChatError], says: str
) -> None:
    give_grants(store, ME)
    before = os.umask(0o022)
    spoil(store)
    os.umask(before)
    there = _content(store) if store.is_file() else {}
    for role in roles.ROLES:
        with pytest.raises(error, match=says):
            Database(str(store), role, ME).close()
    with pytest.raises(error, match=says):
        _open(store, create=True)
    assert (_content(store) if store.is_file() else {}) == there


def _sql(path: Path, statement: str) -> None:
    connection = raw(path)
    connection.execute(statement)
    connection.close()


@needs_root
@pytest.mark.parametrize("name", ["chat.db", "."])
def test_a_strangers_file_or_directory_is_refused(store: Path, name: str) -> None:
    os.chown(store.parent / name, 54321, -1)
    with pytest.raises(StoreRefused, match="another user"):
        _open(store, create=True)


@pytest.mark.case("G3")
def test_damage_within_the_file_is_an_error_that_says_so_and_loses_no_more(store: Path) -> None:
    give_grants(store, ME)
    with Database(str(store), roles.MAINTAINER) as database:
        for _ in range(40):
            with database.write() as connection:
                connection.execute(
                    "INSERT INTO messages (channel_id, seq, author_id, handle, ts, body) SELECT 1,"
                    " coalesce(max(seq), 0) + 1, 1, 'maintainer', 1, 'b' FROM messages"
                )
    data = bytearray(store.read_bytes())
    data[4096 * 3 :] = b"\xa5" * (len(data) - 4096 * 3)
    store.write_bytes(data)
    spoilt = store.read_bytes()
    with (
        pytest.raises(StoreError),
        Database(str(store), roles.READER) as database,
        database.read() as connection,
    ):
        connection.execute("SELECT body FROM messages").fetchall()
    assert store.read_bytes() == spoilt


@pytest.mark.case("G3")
@pytest.mark.parametrize(("kind", "mode"), [("nfs4", "delete"), ("", "delete"), ("btrfs", "wal")])
def test_the_journal_is_what_the_file_system_can_bear(path: Path, kind: str, mode: str) -> None:
    _open(path, kind, create=True).close()
    connection = raw(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == (mode,)
    connection.close()


@pytest.mark.case("G3")
@pytest.mark.parametrize("kind", ["9p", "virtiofs", "fuse.sshfs"])
def test_a_file_system_without_certain_locks_is_refused_by_its_name(path: Path, kind: str) -> None:
    with pytest.raises(StoreRefused, match=f"lies on {kind}"):
        _open(path, kind, create=True)
    assert not path.exists()


@pytest.mark.case("G3")
def test_a_file_that_moved_to_a_network_changes_its_journal_or_is_refused(store: Path) -> None:
    give_grants(store, ME)
    with Database(str(store), roles.AGENT, ME) as agent:
        with agent.read() as connection:
            connection.execute("SELECT id FROM messages").fetchall()
        with pytest.raises((StoreRefused, StoreBusy)):
            _open(store, "nfs")
    _open(store, "nfs").close()
    connection = raw(store)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    connection.close()


@pytest.mark.requirement("A78")
def test_after_a_purge_nobody_writes_into_the_file_that_is_gone(store: Path) -> None:
    give_grants(store, ME)
    with Database(str(store), roles.AGENT, ME) as agent, Database(str(store), roles.HOOK, ME) as h:
        assert purge(store, before_commit=lambda _: None)
        assert _content(store) == {}
        for database in (agent, h):
            for block in (database.read, database.write):
                with pytest.raises(GrantError, match="purged"), block():
                    pytest.fail("a purged file was entered")


@pytest.mark.requirement("A78")
def test_who_has_the_purged_file_open_finds_the_new_one_once_it_is_granted(store: Path) -> None:
    give_grants(store, "launch-before", ME)
    agent = Database(str(store), roles.AGENT, ME)
    assert agent.me == 3
    purge(store, before_commit=lambda _: None)
    maintainer(store).close()
    with pytest.raises(GrantError, match="no chat grant"), agent.read():
        pytest.fail("it has no grant there")
    give_grants(store, ME)
    with agent.read() as connection:
        assert connection.execute("SELECT count(*) FROM grants").fetchone() == (1,)
    assert agent.me == 2
    agent.close()


@pytest.mark.requirement("A78")
def test_a_purge_that_was_cut_short_is_finished_by_the_next_command(store: Path) -> None:
    give_grants(store, ME)
    agent = Database(str(store), roles.AGENT, ME)
    _sql(store, "UPDATE meta SET purged = 1")
    with pytest.raises(GrantError, match="purged"), agent.write():
        pytest.fail("it is marked")
    agent.close()
    with pytest.raises(NoStore):
        _open(store)
    assert not store.exists()


def test_journals_of_a_file_that_is_no_more_are_not_played_into_a_new_one(store: Path) -> None:
    connection = raw(store)
    connection.execute("INSERT INTO channels (name, created_at) VALUES ('old', 1)")
    shutil.copy(store.with_name("chat.db-wal"), store.with_name("kept"))
    connection.close()
    store.unlink()
    store.with_name("kept").rename(store.with_name("chat.db-wal"))
    store.with_name("chat.db-wal").chmod(0o600)
    with _open(store, create=True) as database, database.read() as connection:
        assert connection.execute("SELECT name FROM channels").fetchall() == [("general",)]


def test_two_that_create_at_once_make_one_file(path: Path) -> None:
    code = (
        "import sys, pathlib; from tongs_chat.creation import open_maintainer\n"
        "db = open_maintainer(pathlib.Path(sys.argv[1]), clock=lambda: 1.0, create=True)\n"
        'with db.write() as c: c.execute("INSERT INTO channels (name, created_at) VALUES (?, 1)",'
        " (sys.argv[2],))\n"
    )
    path.parent.mkdir(mode=0o700)
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(path), f"c{n}"], cwd=ROOT)
        for n in range(4)
    ]
    assert [it.wait(30) for it in started] == [0, 0, 0, 0]
    connection = raw(path)
    assert connection.execute("SELECT count(*) FROM channels").fetchone() == (5,)
    connection.close()
    assert sorted(it.name for it in path.parent.iterdir()) == ["chat.db", "chat.db.lock"]


def test_a_path_with_signs_of_a_uri_is_a_path(tmp_path: Path) -> None:
    odd = tmp_path / "50% of #1?mode=memory" / "chat.db"
    _open(odd, create=True).close()
    give_grants(odd, ME)
    Database(str(odd), roles.AGENT, ME).close()
    assert odd.is_file()


@pytest.mark.requirement("A34")
def test_who_finds_the_file_locked_is_told_that_nothing_was_written(store: Path) -> None:
    give_grants(store, ME)
    holder = raw(store)
    holder.execute("BEGIN IMMEDIATE")
    with Database(str(store), roles.AGENT, ME, busy=0.05) as agent:
        with pytest.raises(StoreBusy, match="nothing was written"), agent.write():
            pytest.fail("it is locked")
        with agent.read() as connection:  # WAL: who reads is not kept out
            connection.execute("SELECT id FROM messages").fetchall()
        holder.execute("ROLLBACK")
        with agent.write():
            pass
    holder.close()
