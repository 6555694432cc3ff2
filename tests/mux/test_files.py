"""Private files on a real file system, under any umask, with real processes."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.house.tree import ROOT
from tests.tools import need_strace
from tests.waiting import wait_for
from tongs_mux.errors import LockTimeout, PlaceRefused
from tongs_mux.files import (
    check_user_file,
    locked,
    open_private,
    private_dir,
    read_private,
    read_user_file,
    write_atomic,
)

UMASKS = [0o000, 0o022, 0o077, 0o177, 0o777]
STRANGER = 54321

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")


@contextmanager
def umask(value: int) -> Iterator[None]:
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


def start(code: str, *arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    """A process of its own that runs ``code``; forking a threaded test run is asking for it."""
    prelude = "import os, resource, signal, sys, time; from pathlib import Path\n"
    prelude += "from tongs_mux.errors import PlaceRefused; from tongs_mux.files import *\n"
    words = [sys.executable, "-c", prelude + textwrap.dedent(code), *map(str, arguments)]
    return subprocess.Popen(words, env={**os.environ, "PYTHONPATH": str(ROOT)}, **options)


def mode(path: Path) -> int:
    return stat.S_IMODE(os.lstat(path).st_mode)


def make_link(path: Path) -> None:
    target = path.with_name("target")
    target.write_bytes(b"theirs")
    target.chmod(0o600)
    path.symlink_to(target)


def make_dangling_link(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def make_fifo(path: Path) -> None:
    os.mkfifo(path, 0o600)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
    path.chmod(0o600)


def make_directory(path: Path) -> None:
    path.mkdir(mode=0o700)


def make_open_file(path: Path) -> None:
    path.write_bytes(b"open")
    path.chmod(0o640)


UNFIT = [make_link, make_dangling_link, make_fifo, make_socket, make_directory, make_open_file]


# -- directories


@pytest.mark.parametrize("mask", UMASKS)
def test_a_new_directory_and_its_parents_are_0700_under_any_umask(
    tmp_path: Path, mask: int
) -> None:
    path = tmp_path / "a" / "b" / "c"
    with umask(mask):
        assert private_dir(path) == path
    assert [mode(each) for each in (path, path.parent, path.parent.parent)] == [0o700] * 3


def test_a_directory_is_never_more_open_than_0700_while_it_is_made(tmp_path: Path) -> None:
    code = "import os,sys;os.umask(0);from tongs_mux.files import private_dir as p;from pathlib "
    code += "import Path;p(Path(sys.argv[1]))"
    trace = tmp_path / "trace"
    need_strace("to see the mode that mkdir was given")
    made = str(tmp_path / "new")
    subprocess.run(["strace", "-f", "-o", trace, sys.executable, "-c", code, made], check=True)
    calls = [line for line in trace.read_text().splitlines() if "mkdir" in line and made in line]
    assert calls
    assert all("0700" in line for line in calls)


def test_an_existing_private_directory_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "own"
    path.mkdir(mode=0o700)
    (path / "file").write_text("kept")
    assert private_dir(path) == path
    assert (path / "file").read_text() == "kept"


def test_a_missing_directory_is_not_made_unless_asked(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        private_dir(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("bits", [0o701, 0o710, 0o704, 0o740, 0o755, 0o777])
def test_a_directory_that_is_open_to_others_is_refused_and_left_alone(
    tmp_path: Path, bits: int
) -> None:
    path = tmp_path / "open"
    path.mkdir()
    path.chmod(bits)
    with pytest.raises(PlaceRefused) as caught:
        private_dir(path)
    assert caught.value.path == str(path)
    assert f"{bits:04o}" in caught.value.message
    assert caught.value.hint == f"chmod go-rwx {path}"
    assert mode(path) == bits


@pytest.mark.parametrize("make", [*UNFIT[:4], make_open_file])
def test_what_is_no_directory_is_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "place"
    make(path)
    with pytest.raises(PlaceRefused):
        private_dir(path)


def test_a_link_to_a_private_directory_is_refused_but_one_above_it_is_followed(
    tmp_path: Path,
) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(PlaceRefused, match="symbolic link"):
        private_dir(tmp_path / "link")
    assert private_dir(tmp_path / "link" / "below").is_dir()
    assert mode(tmp_path / "real" / "below") == 0o700


def test_a_directory_below_a_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(NotADirectoryError):
        private_dir(tmp_path / "file" / "below")


def test_a_directory_below_a_dangling_link_ends_in_an_error(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(FileNotFoundError):
        private_dir(tmp_path / "link" / "below")


@needs_root
def test_a_foreign_directory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    path.mkdir(mode=0o700)
    os.chown(path, STRANGER, -1)
    with pytest.raises(PlaceRefused, match=f"uid {STRANGER}"):
        private_dir(path)


def test_twenty_processes_make_the_same_directory_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b"
    code = "os.umask(0); private_dir(Path(sys.argv[1]))"
    children = [start(code, path) for _ in range(20)]
    assert [child.wait() for child in children] == [0] * 20
    assert mode(path) == 0o700


# -- files


@pytest.mark.parametrize("mask", UMASKS)
def test_a_new_file_is_0600_under_any_umask(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "file"
    with umask(mask):
        fd = open_private(path, os.O_WRONLY | os.O_CREAT)
    assert mode(path) == 0o600
    assert os.write(fd, b"x") == 1
    os.close(fd)


def test_a_descriptor_is_closed_on_exec_and_blocking(tmp_path: Path) -> None:
    fd = open_private(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    assert not os.get_inheritable(fd)
    assert os.get_blocking(fd)
    os.close(fd)


@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_CREAT])
@pytest.mark.parametrize("make", UNFIT)
def test_an_unfit_file_is_refused_at_once_and_no_descriptor_stays_open(
    tmp_path: Path, make: Callable[[Path], None], flags: int
) -> None:
    path = tmp_path / "file"
    make(path)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(PlaceRefused) as caught:
        open_private(path, flags)
    assert caught.value.path == str(path)
    assert caught.value.hint
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("device", ["/dev/null", "/dev/full"])
def test_a_device_is_refused(device: str) -> None:
    with pytest.raises(PlaceRefused, match="regular file"):
        open_private(Path(device), os.O_WRONLY | os.O_CREAT)


@needs_root
def test_a_foreign_file_is_refused_before_it_could_be_emptied(tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    path.write_bytes(b"precious")
    path.chmod(0o600)
    os.chown(path, STRANGER, -1)
    with pytest.raises(PlaceRefused, match=f"uid {STRANGER}"):
        open_private(path, os.O_WRONLY | os.O_TRUNC)
    assert path.read_bytes() == b"precious"


def test_an_open_file_is_refused_before_it_could_be_emptied(tmp_path: Path) -> None:
    path = tmp_path / "open"
    make_open_file(path)
    with pytest.raises(PlaceRefused):
        open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    assert path.read_bytes() == b"open"


def test_truncating_empties_an_own_file(tmp_path: Path) -> None:
    path = tmp_path / "own"
    write_atomic(path, b"old")
    os.close(open_private(path, os.O_WRONLY | os.O_TRUNC))
    assert path.read_bytes() == b""


def test_reading_gives_the_whole_file_and_refuses_a_longer_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"x" * 100)
    assert read_private(path, 100) == b"x" * 100
    with pytest.raises(PlaceRefused, match="longer than 99"):
        read_private(path, 99)
    with pytest.raises(FileNotFoundError):
        read_private(tmp_path / "none", 99)


# -- files of the user


@pytest.mark.parametrize("bits", [0o400, 0o600, 0o640, 0o644, 0o755])
def test_a_users_file_may_be_read_by_others(tmp_path: Path, bits: int) -> None:
    path = tmp_path / "config"
    path.write_bytes(b"x")
    path.chmod(bits)
    check_user_file(path)
    assert read_user_file(path, 10) == b"x"


@pytest.mark.parametrize("bits", [0o620, 0o602, 0o666])
def test_a_users_file_that_others_may_write_is_refused(tmp_path: Path, bits: int) -> None:
    path = tmp_path / "config"
    path.write_bytes(b"x")
    path.chmod(bits)
    for act in (check_user_file, lambda path: read_user_file(path, 10)):
        with pytest.raises(PlaceRefused, match="writable to others") as caught:
            act(path)
        assert caught.value.hint == f"chmod go-w {path}"


def test_a_link_to_a_users_file_is_followed_and_its_target_is_what_counts(tmp_path: Path) -> None:
    make_link(tmp_path / "config")
    assert read_user_file(tmp_path / "config", 10) == b"theirs"
    (tmp_path / "target").chmod(0o666)
    with pytest.raises(PlaceRefused):
        check_user_file(tmp_path / "config")


@pytest.mark.parametrize("make", [make_fifo, make_socket, make_directory])
def test_what_is_no_file_is_refused_as_a_users_file(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "config")
    with pytest.raises(PlaceRefused, match="regular file"):
        check_user_file(tmp_path / "config")


@needs_root
def test_a_users_file_may_be_his_own_or_roots_and_nobody_elses(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_bytes(b"x")
    os.chown(path, STRANGER, -1)
    with pytest.raises(PlaceRefused, match=f"uid {STRANGER}"):
        check_user_file(path)


@needs_root
def test_a_file_of_root_is_taken_by_another_user_as_a_users_file_only() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config"
        path.write_bytes(b"x")
        path.chmod(0o644)
        Path(folder).chmod(0o755)
        code = """
            os.setuid(int(sys.argv[2]))
            path = Path(sys.argv[1])
            check_user_file(path)
            try:
                open_private(path, os.O_RDONLY)
            except PlaceRefused:
                print("refused")
        """
        child = start(code, path, STRANGER, stdout=subprocess.PIPE)
        assert child.communicate()[0] == b"refused\n"


# -- atomic writes


@pytest.mark.parametrize("mask", UMASKS)
def test_an_atomic_write_leaves_one_file_of_0600(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "record"
    with umask(mask):
        write_atomic(path, b"one")
        write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert mode(path) == 0o600
    assert os.listdir(tmp_path) == ["record"]


def test_an_atomic_write_replaces_a_link_and_not_its_target(tmp_path: Path) -> None:
    make_link(tmp_path / "record")
    write_atomic(tmp_path / "record", b"ours")
    assert not (tmp_path / "record").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"theirs"


def test_a_name_as_long_as_can_be_is_written(tmp_path: Path) -> None:
    write_atomic(tmp_path / ("n" * 255), b"x")
    assert os.listdir(tmp_path) == ["n" * 255]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "record"
    write_atomic(path, b"old")
    code = """
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
        try:
            write_atomic(Path(sys.argv[1]), b"x" * 100)
        except OSError as error:
            print(error.strerror)
    """
    child = start(code, path, stdout=subprocess.PIPE)
    assert child.communicate()[0] == b"File too large\n"
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["record"]


def test_a_write_onto_a_directory_fails_and_leaves_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "record").mkdir()
    with pytest.raises(OSError):
        write_atomic(tmp_path / "record", b"x")
    assert os.listdir(tmp_path) == ["record"]


def test_two_writes_that_draw_the_same_name_do_not_mix(tmp_path: Path) -> None:
    (tmp_path / f".tmp-{b'same-one'.hex()}").write_bytes(b"of another process")
    with pytest.raises(FileExistsError):
        write_atomic(tmp_path / "record", b"x", random=lambda _: b"same-one")
    assert (tmp_path / f".tmp-{b'same-one'.hex()}").read_bytes() == b"of another process"


def test_a_reader_sees_whole_records_only_while_they_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "record"
    write_atomic(path, b"0" * 50_000)
    code = """
        for number in range(60):
            write_atomic(Path(sys.argv[1]), str(number % 10).encode() * 50_000)
    """
    child = start(code, path)
    seen = set()
    while child.poll() is None:
        data = read_private(path, 60_000)
        seen.add((len(data), len(set(data))))
    assert child.returncode == 0
    assert seen == {(50_000, 1)}


# -- locks


def test_a_lock_is_private_and_can_be_taken_again_after_its_block(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with umask(0):
        for _ in range(2):
            with locked(path, deadline=0):
                assert mode(path) == 0o600


def test_a_lock_that_is_held_ends_in_a_timeout_at_the_deadline(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    now = [100.0]
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        now[0] += seconds

    with locked(path, deadline=1):
        with (
            pytest.raises(LockTimeout) as caught,
            locked(path, deadline=2.0, clock=lambda: now[0], pause=pause),
        ):
            pytest.fail("two held the lock")
        assert now[0] == pytest.approx(102.0)
        assert max(pauses) <= 0.02
        assert str(path) in caught.value.message


def test_a_lock_is_released_when_its_block_raises(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with pytest.raises(RuntimeError), locked(path, deadline=1):
        raise RuntimeError
    with locked(path, deadline=0):
        pass


def test_a_lock_ends_with_its_process_even_when_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    code = """
        with locked(Path(sys.argv[1]), deadline=1):
            Path(sys.argv[1]).with_name("held").touch()
            signal.pause()
    """
    child = start(code, path)
    wait_for((tmp_path / "held").exists)
    with pytest.raises(LockTimeout), locked(path, deadline=0.05):
        pass
    child.kill()
    child.wait()
    with locked(path, deadline=0):
        pass


def test_a_forked_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    code = """
        path = Path(sys.argv[1])
        with locked(path, deadline=1):
            pid = os.fork()
            if pid == 0:
                signal.pause()
        try:
            with locked(path, deadline=0):
                print("free")
        finally:
            os.kill(pid, signal.SIGKILL)
    """
    child = start(code, tmp_path / "lock", stdout=subprocess.PIPE)
    assert child.communicate()[0] == b"free\n"


def test_a_lock_on_a_file_that_was_removed_excludes_the_next_holder_all_the_same(
    tmp_path: Path,
) -> None:
    path = tmp_path / "lock"
    order = []
    first_in = threading.Event()

    def second() -> None:
        first_in.wait(5)
        with locked(path, deadline=5):
            order.append("second")
            with pytest.raises(LockTimeout), locked(path, deadline=0):
                pass

    thread = threading.Thread(target=second)
    thread.start()
    with locked(path, deadline=1):
        first_in.set()
        order.append("first")
        time.sleep(0.05)
        path.unlink()
    thread.join(5)
    assert order == ["first", "second"]


def test_twenty_processes_never_hold_a_lock_together(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    code = """
        counter = Path(sys.argv[1])
        for _ in range(10):
            with locked(counter.with_name("lock"), deadline=20):
                counter.write_text(str(int(counter.read_text()) + 1))
    """
    children = [start(code, counter) for _ in range(20)]
    assert [child.wait() for child in children] == [0] * 20
    assert counter.read_text() == "200"


def test_processes_that_remove_the_lock_file_never_hold_it_together(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    code = """
        counter = Path(sys.argv[1])
        lock = counter.with_name("lock")
        for _ in range(120):
            with locked(lock, deadline=20, pause=lambda _: None):
                counter.write_text(str(int(counter.read_text()) + 1))
                lock.unlink()
    """
    children = [start(code, counter) for _ in range(4)]
    assert [child.wait() for child in children] == [0] * 4
    assert counter.read_text() == "480"


@pytest.mark.parametrize("make", [make_link, make_fifo, make_directory, make_open_file])
def test_an_unfit_lock_file_is_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "lock")
    with pytest.raises(PlaceRefused), locked(tmp_path / "lock", deadline=0):
        pass
