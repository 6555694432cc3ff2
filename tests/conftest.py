"""Every test runs in a world of its own: no pane, agent, home or server of whoever runs it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import hypothesis
import pytest

from tests.belongings import end_servers_in, remove, short_directory
from tongs_agents.scripted_agent.options import MCP_VARIABLE

pytest_plugins = ["tests.leaks"]

_FOREIGN = (
    "TMUX",
    "ZELLIJ",
    "TONGS_AGENTS_",
    "CLAUDE",
    "CODEX_",
    "PI_",
    "XDG_",
    "LC_",
    "PYTEST_ADDOPTS",
    "MAKE",
    "MFLAGS",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "BASH_ENV",
    "COLUMNS",
    "LINES",
)
"""Beginnings of names of variables that tell of the caller's terminal, agent or settings."""


def _foreign(environ: Mapping[str, str]) -> list[str]:
    return [name for name in environ if name.startswith(_FOREIGN)]


def pytest_configure() -> None:
    """Strip once for what runs before the first test; `world` does it again for each test."""
    for name in _foreign(os.environ):
        del os.environ[name]
    os.environ["LANG"] = "C.UTF-8"
    os.environ["SHELL"] = "/bin/sh"  # what tmux starts in a pane without a command
    # A test's time is the machine's, not the code's; a failing example is in the report.
    hypothesis.settings.register_profile("house", deadline=None, database=None)
    hypothesis.settings.load_profile("house")


@pytest.fixture
def short_dir() -> Iterator[Path]:
    """A private directory with a short path; servers with a socket below it end with the test."""
    directory = short_directory()
    yield directory
    end_servers_in(directory)
    remove(directory)


@pytest.fixture(autouse=True)
def world(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, short_dir: Path
) -> Path:
    """An empty home with its XDG places; tmux's own sockets go to `short_dir`. Returns the home."""
    for name in _foreign(os.environ):
        monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    runtime = home / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    monkeypatch.setenv("TMUX_TMPDIR", str(short_dir))
    monkeypatch.setenv("ZELLIJ_SOCKET_DIR", str(short_dir / "zellij"))
    monkeypatch.setenv(MCP_VARIABLE, "on-demand")
    return home


@pytest.fixture
def tmux_socket(short_dir: Path) -> str:
    """The path of a private tmux server's socket; the server ends with the test, hung or not."""
    return str(short_dir / "s")
