"""A pytest plugin: a run leaves no process and no socket directory behind, or it fails.

Every process that a test starts inherits ``TONGS_TEST_RUN``, the id of the run.
When the session ends, however it ends, the controller ends whatever still
carries that id, removes what is left of the run's directories, and reports each
as an error. An id inside another run's begins with that run's id, so that a run
started by a test is also a part of the run around it.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

import pytest

from tests.belongings import VARIABLE, new_run_id, sweep


def _interrupt(signum: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt(signal.Signals(signum).name)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """A second Ctrl-C must not cut the clean-up short."""
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, signal.SIG_IGN) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


_RUN = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """How long an ending process may take once the session is over."""
    parser.addini("leak_grace_s", "seconds for what is ending by itself", default="3")


def _sweep(config: pytest.Config) -> list[str]:
    run_id = config.stash.get(_RUN, None)
    if run_id is None:
        return []
    with _undisturbed():
        return sweep(run_id, grace_s=float(config.getini("leak_grace_s")))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Give the run its id, before anything is started."""
    # Without these pytest dies of them on the spot, and nothing is cleaned up.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    if not _is_worker(config):
        os.environ[VARIABLE] = new_run_id(os.environ)
        config.stash[_RUN] = os.environ[VARIABLE]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """After xdist has ended its workers: sweep, and fail the run if there was anything."""
    lines = _sweep(session.config)
    if not lines:
        return
    if session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    _report(session.config, "the tests left this behind (it is gone now):\n" + "\n".join(lines))


def _report(config: pytest.Config, text: str) -> None:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None:
        return
    report = pytest.TestReport(
        nodeid="leaks",
        location=(__name__, 0, "leaks"),
        keywords={},
        outcome="failed",
        longrepr=text,
        when="teardown",
    )
    terminal.stats.setdefault("error", []).append(report)


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """The net under `pytest_sessionfinish`, for a session that broke before it."""
    for line in _sweep(config):
        print(f"left behind by the tests, gone now: {line}")
    outer, _, _ = config.stash.get(_RUN, "").rpartition(".")
    if outer:
        os.environ[VARIABLE] = outer
