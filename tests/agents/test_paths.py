"""Where every file is: interface.md's table of places, read row by row."""

from __future__ import annotations

from pathlib import Path

import pytest

from tongs_agents.outcomes import failure_of
from tongs_agents.paths import VARIABLES, Places, environment, resolve
from tongs_mux.errors import PlaceRefused

HOME = Path("/h/ada")
DEFAULT = Places(
    config=HOME / ".config/tongs-agents/config.toml",
    state_dir=HOME / ".local/state/tongs-agents",
    runtime_dir=HOME / ".local/state/tongs-agents/run",
)


def test_without_any_variable_everything_is_below_home() -> None:
    assert resolve({}, HOME) == DEFAULT


def test_the_xdg_directories_come_first() -> None:
    env = {"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/run/user/7"}
    assert resolve(env, HOME) == Places(
        config=Path("/c/tongs-agents/config.toml"),
        state_dir=Path("/s/tongs-agents"),
        runtime_dir=Path("/run/user/7/tongs-agents"),
    )


def test_our_own_variables_come_before_the_xdg_directories() -> None:
    env = {
        "XDG_CONFIG_HOME": "/c",
        "XDG_STATE_HOME": "/s",
        "XDG_RUNTIME_DIR": "/run/user/7",
        "TONGS_AGENTS_CONFIG": "/own/c.toml",
        "TONGS_AGENTS_STATE_DIR": "/own/state",
        "TONGS_AGENTS_RUNTIME_DIR": "/own/run",
    }
    assert resolve(env, HOME) == Places(
        config=Path("/own/c.toml"), state_dir=Path("/own/state"), runtime_dir=Path("/own/run")
    )


def test_without_a_runtime_directory_it_is_in_the_state_dir_wherever_that_is() -> None:
    places = resolve({"TONGS_AGENTS_STATE_DIR": "/own", "TMPDIR": "/tmp"}, HOME)
    assert places.runtime_dir == Path("/own/run")


@pytest.mark.parametrize("value", ["", "relative", "./here", "../up", "~/state", "~"])
@pytest.mark.parametrize("name", ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"])
def test_an_xdg_directory_that_is_empty_or_relative_is_ignored(name: str, value: str) -> None:
    assert resolve({name: value}, HOME) == DEFAULT


@pytest.mark.parametrize("name", VARIABLES[:3])
def test_our_own_variables_count_as_unset_when_empty_and_are_refused_when_relative(
    name: str,
) -> None:
    assert resolve({name: ""}, HOME) == DEFAULT
    for value in ("relative", "~/state", "."):
        with pytest.raises(PlaceRefused, match=name) as caught:
            resolve({name: value}, HOME)
        assert caught.value.hint
        assert failure_of(caught.value).reason == "unknown-place"


def test_every_member_is_where_the_interface_says() -> None:
    places = Places(config=Path("/c"), state_dir=Path("/s"), runtime_dir=Path("/r"))
    assert {
        "launches": places.launches,
        "sessions": places.sessions,
        "chat_dir": places.chat_dir,
        "chat": places.chat_db,
        "control audit": places.control_audit,
        "chat audit": places.chat_audit,
        "rate": places.mcp_rate,
    } == {
        "launches": Path("/s/launches"),
        "sessions": Path("/s/sessions"),
        "chat_dir": Path("/s/chat"),
        "chat": Path("/s/chat/chat.db"),
        "control audit": Path("/s/audit/control.jsonl"),
        "chat audit": Path("/s/audit/chat.jsonl"),
        "rate": Path("/r/mcp-rate"),
    }


def test_a_launch_gets_five_variables_by_which_its_children_find_the_same_places() -> None:
    env = environment(DEFAULT, "0123456789ab", 4711)
    assert env == {
        "TONGS_AGENTS_CONFIG": "/h/ada/.config/tongs-agents/config.toml",
        "TONGS_AGENTS_STATE_DIR": "/h/ada/.local/state/tongs-agents",
        "TONGS_AGENTS_RUNTIME_DIR": "/h/ada/.local/state/tongs-agents/run",
        "TONGS_AGENTS_LAUNCH_ID": "0123456789ab",
        "TONGS_AGENTS_LAUNCH_PID": "4711",
    }
    assert set(env) == set(VARIABLES)
    foreign = {"XDG_CONFIG_HOME": "/other", "XDG_STATE_HOME": "/other", "XDG_RUNTIME_DIR": "/other"}
    assert resolve({**foreign, **env}, Path("/elsewhere")) == DEFAULT
