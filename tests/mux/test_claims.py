"""The claim store: made once, by the pane that was opened, and the same after a crash."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import IO, NamedTuple

import pytest
from hypothesis import assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
)

from tongs_mux.claims import MAX_RECORD, LaunchStore, claim_conflict
from tongs_mux.errors import (
    ClaimConflict,
    ClaimError,
    LaunchAmbiguous,
    LaunchNotFound,
    MuxError,
    PlaceRefused,
)
from tongs_mux.ids import is_launch_id, new_launch_id
from tongs_mux.model import Claim, LaunchRecord, PaneRef, ProcessIdentity

SERVER = ProcessIdentity(100, "boot:1")
PANE = PaneRef("tmux", "one", "%3", "/socket")
CLAIM = Claim(ProcessIdentity(200, "boot:2"), "%3", "/socket", SERVER, at=5.0)
ID = "0123456789ab"


def record(launch_id: str = ID, *, at: float = 1.0) -> LaunchRecord:
    return LaunchRecord(launch_id, at, ("program", "-x"), "/work place", {"profile": "p"})


def opened(launch: LaunchRecord) -> LaunchRecord:
    return replace(launch, pane=PANE, opened_pid=200, server=SERVER)


@pytest.fixture
def store(tmp_path: Path) -> LaunchStore:
    return LaunchStore(tmp_path / "launches")


class Wrong(NamedTuple):
    what: str
    claim: Claim


WRONG = [
    Wrong("another pane", replace(CLAIM, pane_id="%4")),
    Wrong("no pane", replace(CLAIM, pane_id="")),
    Wrong("another server's socket", replace(CLAIM, socket="/other")),
    Wrong("no socket", replace(CLAIM, socket=None)),
    Wrong("another process", replace(CLAIM, process=ProcessIdentity(201, "boot:2"))),
    Wrong("another server", replace(CLAIM, server=ProcessIdentity(101, "boot:1"))),
    Wrong("a server started later", replace(CLAIM, server=ProcessIdentity(100, "boot:9"))),
]


@pytest.mark.requirement("A88")
@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.what)
def test_a_claim_that_differs_from_what_was_opened_is_a_conflict(store: LaunchStore, wrong: Wrong):
    store.create(opened(record()))
    with pytest.raises(ClaimConflict):
        store.claim(ID, wrong.claim)
    assert store.read(ID).claim is None


@pytest.mark.requirement("A88")
def test_nothing_is_claimed_before_the_opener_wrote_what_it_opened(store: LaunchStore):
    store.create(record())
    with pytest.raises(ClaimConflict, match="nobody recorded"):
        store.claim(ID, CLAIM)


@pytest.mark.requirement("A88")
def test_a_launch_is_claimed_once_even_by_the_same_claim(store: LaunchStore):
    store.create(opened(record()))
    assert store.claim(ID, CLAIM).claim == CLAIM
    with pytest.raises(ClaimConflict, match="already"):
        store.claim(ID, replace(CLAIM, at=6.0))
    assert store.read(ID).claim == CLAIM


def test_where_the_multiplexer_told_no_pid_the_server_and_the_pane_still_decide():
    launch = replace(opened(record()), opened_pid=None)
    assert claim_conflict(launch, CLAIM) == ""
    assert claim_conflict(launch, replace(CLAIM, pane_id="%4"))
    assert claim_conflict(launch, replace(CLAIM, server=ProcessIdentity(1, "x")))


def test_what_does_not_exist_is_not_found_and_leaves_nothing(store: LaunchStore, tmp_path: Path):
    for act in (
        lambda: store.read(ID),
        lambda: store.claim(ID, CLAIM),
        lambda: store.fail(ID, "no"),
        lambda: store.resolve("0"),
    ):
        with pytest.raises(LaunchNotFound):
            act()
    store.create(record("another-one"))
    with pytest.raises(LaunchNotFound):
        store.claim(ID, CLAIM)
    assert [path.name for path in (tmp_path / "launches").iterdir()] == ["another-one.json"]


@pytest.mark.requirement("A70")
@pytest.mark.parametrize(
    "name", ["", "../../etc/passwd", "short", "UPPERCASE", "a" * 65, "with space", "0123456789ab\n"]
)
def test_what_is_no_launch_id_never_becomes_a_path(store: LaunchStore, name: str):
    assert not is_launch_id(name)
    with pytest.raises(LaunchNotFound):
        store.read(name)
    with pytest.raises(LaunchNotFound), store.holding(name):
        pass
    with pytest.raises(LaunchNotFound):
        store.create(record(name))


def test_a_new_id_is_one():
    assert is_launch_id(new_launch_id(lambda count: os.urandom(count).hex()))


class Prefix(NamedTuple):
    text: str
    found: str | type[MuxError]


@pytest.mark.parametrize(
    "case",
    [
        Prefix("aaaa1111", "aaaa1111"),  # whole, though it begins another
        Prefix("aaaa11112", "aaaa11112222"),
        Prefix("b", "bbbb1111"),
        Prefix("aaaa", LaunchAmbiguous),
        Prefix("", LaunchNotFound),
        Prefix("c", LaunchNotFound),
        Prefix("aaaa111122223", LaunchNotFound),
        Prefix("../launches/aaaa1111", LaunchNotFound),
        Prefix("bbbb1111.json", LaunchNotFound),
    ],
    ids=lambda case: case.text,
)
def test_a_prefix_resolves_to_exactly_one_launch(store: LaunchStore, case: Prefix):
    for name in ("aaaa1111", "aaaa11112222", "bbbb1111"):
        store.create(record(name))
    if isinstance(case.found, str):
        assert store.resolve(case.text).launch_id == case.found
    else:
        with pytest.raises(case.found):
            store.resolve(case.text)


def test_an_ambiguous_prefix_lists_its_launches(store: LaunchStore):
    for name in ("aaaa1111", "aaaa2222", "bbbb1111"):
        store.create(record(name))
    with pytest.raises(LaunchAmbiguous) as caught:
        store.resolve("aaaa")
    assert caught.value.matches == ("aaaa1111", "aaaa2222")


# -- records that can't be read

GARBAGE = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b"[" * 200_000,
    b'{"schema": 2}',
    b'{"schema": 1}',
]


@pytest.mark.parametrize("data", GARBAGE, ids=lambda data: repr(data[:20]))
def test_a_broken_record_is_an_error_of_its_own_launch(
    store: LaunchStore, tmp_path: Path, data: bytes
):
    store.create(opened(record("good-one")))
    broken = tmp_path / "launches" / f"{ID}.json"
    broken.write_bytes(data)
    broken.chmod(0o600)
    for act in (
        lambda: store.read(ID),
        lambda: store.claim(ID, CLAIM),
        lambda: store.resolve("01"),
    ):
        with pytest.raises(ClaimError):
            act()
    good, [trouble] = store.scan()  # it is named, and stops nothing that is about the others
    assert [each.launch_id for each in good] == ["good-one"]
    assert ID in trouble.message
    assert store.all() == good
    assert broken.read_bytes() == data
    assert store.claim("good-one", CLAIM).claim == CLAIM


def test_a_record_that_others_could_have_written_is_not_read(store: LaunchStore, tmp_path: Path):
    store.create(record())
    path = tmp_path / "launches" / f"{ID}.json"
    path.chmod(0o644)
    with pytest.raises(PlaceRefused):
        store.read(ID)
    path.chmod(0o600)
    path.write_bytes(b" " * (MAX_RECORD + 1))
    with pytest.raises(PlaceRefused):
        store.read(ID)
    assert isinstance(store.scan()[1][0], PlaceRefused)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_what_may_not_be_read_is_an_error_of_ours(store: LaunchStore, tmp_path: Path):
    store.create(record())
    (tmp_path / "launches" / f"{ID}.json").chmod(0o000)
    with pytest.raises(ClaimError, match="Permission denied"):
        store.read(ID)
    assert store.all() == ()
    (tmp_path / "launches").chmod(0o000)
    try:
        with pytest.raises(PlaceRefused):
            store.all()
    finally:
        (tmp_path / "launches").chmod(0o700)


def test_a_copy_under_another_name_is_no_second_launch(store: LaunchStore, tmp_path: Path):
    store.create(record())
    shutil.copy2(tmp_path / "launches" / f"{ID}.json", tmp_path / "launches" / "the-copy.json")
    assert [each.launch_id for each in store.all()] == [ID]
    with pytest.raises(ClaimError, match=ID):
        store.read("the-copy")


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_records_are_private_under_any_umask(tmp_path: Path, umask: int):
    store = LaunchStore(tmp_path / "launches")
    before = os.umask(umask)
    try:
        store.create(opened(record()))
        store.claim(ID, CLAIM)
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes == {"launches": 0o700, f"{ID}.json": 0o600, f"{ID}.lock": 0o600}


# -- two processes

RACER = """
import sys
from pathlib import Path
from tests.mux.test_claims import CLAIM
from tongs_mux.claims import LaunchStore
from tongs_mux.errors import ClaimConflict

store = LaunchStore(Path(sys.argv[1]))
for line in sys.stdin:
    try:
        store.claim(line.strip(), CLAIM)
        print("won", flush=True)
    except ClaimConflict:
        print("lost", flush=True)
"""


@pytest.mark.requirement("A88")
def test_of_two_processes_that_claim_at_once_exactly_one_wins(store: LaunchStore, tmp_path: Path):
    argv = [sys.executable, "-c", RACER, str(tmp_path / "launches")]
    racers = [
        subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        for _ in range(2)
    ]
    with racers[0], racers[1]:
        results = [_race(store, racers, f"race-{number:04}") for number in range(40)]
        for racer in racers:
            _pipe(racer.stdin).close()
    assert {tuple(sorted(result)) for result in results} == {("lost", "won")}


def _race(store: LaunchStore, racers: list[subprocess.Popen[str]], launch_id: str) -> list[str]:
    store.create(opened(record(launch_id)))
    for racer in racers:
        _pipe(racer.stdin).write(f"{launch_id}\n")
        _pipe(racer.stdin).flush()
    return [_pipe(racer.stdout).readline().strip() for racer in racers]


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


# -- any order of everything, against a dict


class StoreMachine(RuleBasedStateMachine):
    """The store does what a dict of records would, whatever a crash left beside it."""

    launches: Bundle[str] = Bundle("launches")

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp()) / "launches"
        self.store = LaunchStore(self.directory)
        self.model: dict[str, LaunchRecord] = {}

    def teardown(self) -> None:
        shutil.rmtree(self.directory.parent)

    @rule(
        target=launches,
        launch_id=st.from_regex(r"[ab]{8,9}", fullmatch=True),
        at=st.integers(0, 3),
    )
    def create(self, launch_id: str, at: int):
        new = record(launch_id, at=float(at))
        if launch_id in self.model:
            with pytest.raises(ClaimConflict):
                self.store.create(new)
            return multiple()
        self.store.create(new)
        self.model[launch_id] = new
        return launch_id

    @rule(launch_id=launches)
    def open(self, launch_id: str):
        assume(self.model[launch_id].claim is None)
        with self.store.holding(launch_id):
            self.store.opened(launch_id, PANE, 200, SERVER)
        self.model[launch_id] = opened(self.model[launch_id])

    @rule(launch_id=launches)
    def claim(self, launch_id: str):
        known = self.model[launch_id]
        if known.pane is None or known.claim is not None:
            with pytest.raises(ClaimConflict):
                self.store.claim(launch_id, CLAIM)
        else:
            self.model[launch_id] = replace(known, claim=CLAIM)
            assert self.store.claim(launch_id, CLAIM) == self.model[launch_id]

    @rule(launch_id=launches, wrong=st.sampled_from(WRONG))
    def claim_wrongly(self, launch_id: str, wrong: Wrong):
        with pytest.raises(ClaimConflict):
            self.store.claim(launch_id, wrong.claim)

    @rule(launch_id=launches, error=st.text(max_size=20))
    def fail(self, launch_id: str, error: str):
        self.store.fail(launch_id, error)
        self.model[launch_id] = replace(self.model[launch_id], start_error=error)

    @rule(launch_id=consumes(launches))
    def remove(self, launch_id: str):
        self.store.remove(launch_id)
        self.store.remove(launch_id)
        del self.model[launch_id]

    @rule(prefix=st.from_regex(r"[ab]{0,9}", fullmatch=True))
    def resolve(self, prefix: str):
        matches = [name for name in self.model if prefix and name.startswith(prefix)]
        if prefix in self.model or len(matches) == 1:
            wanted = prefix if prefix in self.model else matches[0]
            assert self.store.resolve(prefix) == self.model[wanted]
        else:
            with pytest.raises(LaunchAmbiguous if matches else LaunchNotFound):
                self.store.resolve(prefix)

    @rule(half=st.binary(max_size=30), number=st.integers(0, 3))
    def crash_in_a_write(self, half: bytes, number: int):
        """A kill between the temporary file and its rename."""
        self.directory.mkdir(mode=0o700, exist_ok=True)
        self.directory.joinpath(f".tmp-{number:016x}").write_bytes(half)

    @rule(launch_id=launches)
    def crash_under_a_lock(self, launch_id: str):
        """A kill leaves the lock's file; the lock itself ends with its process."""
        path = self.directory / f"{launch_id}.lock"
        path.touch(mode=0o600)

    @rule()
    def come_back(self):
        self.store = LaunchStore(self.directory)

    @invariant()
    def it_holds_what_the_dict_holds(self):
        assert self.store.ids() == tuple(sorted(self.model))
        in_order = sorted(self.model.values(), key=lambda it: (it.created_at, it.launch_id))
        assert self.store.all() == tuple(in_order)


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(max_examples=25, stateful_step_count=25)
