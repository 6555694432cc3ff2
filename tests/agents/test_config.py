"""The config file: what is taken, what is refused and where, and that nothing else happens."""

from __future__ import annotations

import json
import os
import re
import tomllib
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tongs_agents.config import (
    MAX_BYTES,
    Chat,
    Config,
    Control,
    Profile,
    Sidebar,
    Workspace,
    as_dict,
    load,
    parse,
)
from tongs_agents.config_example import render_example
from tongs_agents.config_lines import key_lines
from tongs_agents.config_schema import PROFILE, SECTIONS
from tongs_agents.errors import ConfigError
from tongs_agents.outcomes import failure_of
from tongs_mux.errors import PlaceRefused

HOME = Path("/h/ada")
PATH = Path("/c/config.toml")

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")

FULL = """\
[workspace]
multiplexer = "zellij"
session = "team"
socket = "/run/user/7/tmux.sock"

[control]
mcp_enabled = true
mcp_any_target = true
mcp_nested_spawn = true
mcp_rate_per_minute = 60
mcp_max_live = 3
mcp_max_spawns = 9

[chat]
peer_messages = "refuse"
retry_wakes = false

[profiles.lead]
command = ["claude", "--model", "x"]
cwd = "~/src/app"
env = { NAME = "value", TMUX_TMPDIR = "/t" }
harness = "claude"
wrapper = true
attach = "never"
mcp_control = true

[profiles.42-]
command = ["/opt/My Tools/agent"]
cwd = "/srv"
harness = "other"
multiline = true

[sidebar]
notify = false
"""


def read(text: str) -> Config:
    return parse(text.encode(), path=PATH, home=HOME)


def faults(text: str) -> list[tuple[str, int | None]]:
    with pytest.raises(ConfigError) as caught:
        read(text)
    return [(fault.key, fault.line) for fault in caught.value.faults]


# -- what is taken


def test_an_empty_file_is_every_default_and_no_profile() -> None:
    assert read("") == Config(
        path=PATH,
        workspace=Workspace(multiplexer=None, session="agents", socket="tongs-agents"),
        control=Control(
            mcp_enabled=False,
            mcp_any_target=False,
            mcp_nested_spawn=False,
            mcp_rate_per_minute=6,
            mcp_max_live=8,
            mcp_max_spawns=50,
        ),
        chat=Chat(peer_messages="accept", retry_wakes=True),
        sidebar=Sidebar(notify=True),
        profiles={},
    )


def test_every_key_is_read() -> None:
    assert read(FULL) == Config(
        path=PATH,
        workspace=Workspace("zellij", "team", "/run/user/7/tmux.sock"),
        control=Control(
            mcp_enabled=True,
            mcp_any_target=True,
            mcp_nested_spawn=True,
            mcp_rate_per_minute=60,
            mcp_max_live=3,
            mcp_max_spawns=9,
        ),
        chat=Chat("refuse", retry_wakes=False),
        sidebar=Sidebar(notify=False),
        profiles={
            "lead": Profile(
                name="lead",
                command=("claude", "--model", "x"),
                cwd=HOME / "src/app",
                env={"NAME": "value", "TMUX_TMPDIR": "/t"},
                harness="claude",
                wrapper=True,
                attach="never",
                mcp_control=True,
            ),
            "42-": Profile(
                name="42-",
                command=("/opt/My Tools/agent",),
                cwd=Path("/srv"),
                harness="other",
                multiline=True,
            ),
        },
    )


def test_the_tables_and_the_settings_have_the_same_keys() -> None:
    classes = {"workspace": Workspace, "control": Control, "chat": Chat, "sidebar": Sidebar}
    assert {name: [key.name for key in fields(kind)] for name, kind in classes.items()} == {
        name: list(kinds) for name, kinds in SECTIONS.items()
    }
    assert [key.name for key in fields(Profile)] == ["name", *PROFILE]


@pytest.mark.parametrize(
    ("command", "harness"),
    [
        ('["claude"]', "claude"),
        ('["/opt/bin/codex", "exec"]', "codex"),
        ('["pi"]', "pi"),
        ('["tongs-agents-scripted"]', "scripted"),
        ('["env", "claude"]', "other"),
        ('["claude-code"]', "other"),
        ('["bash"]', "other"),
    ],
)
def test_the_harness_is_told_by_the_commands_basename(command: str, harness: str) -> None:
    assert read(f"[profiles.a]\ncommand = {command}").profiles["a"].harness == harness


@pytest.mark.parametrize(
    ("cwd", "path"), [("~", HOME), ("~/", HOME), ("~/a b", HOME / "a b"), ("/~/x", Path("/~/x"))]
)
def test_a_tilde_is_the_given_home(cwd: str, path: Path) -> None:
    assert read(f'[profiles.a]\ncommand = ["x"]\ncwd = "{cwd}"').profiles["a"].cwd == path


def test_a_byte_order_mark_and_windows_line_ends_are_taken() -> None:
    data = b"\xef\xbb\xbf" + b'[workspace]\r\nsession = "x"\r\n'
    assert parse(data, path=PATH, home=HOME).workspace.session == "x"


# -- what is refused, and where

WRONG: list[tuple[str, str, int]] = [
    ("colour = 1", "colour", 1),
    ("[control]\n\nmcp_enable = true", "control.mcp_enable", 3),
    ("control = 3", "control", 1),
    ("[[control]]\nmcp_enabled = true", "control", 1),
    ("profiles = 1", "profiles", 1),
    ("profiles.lead = 1", "profiles.lead", 1),
    ('[workspace]\nmultiplexer = "screen"', "workspace.multiplexer", 2),
    ("[workspace]\nmultiplexer = true", "workspace.multiplexer", 2),
    ('[workspace]\nsession = ""', "workspace.session", 2),
    ('[workspace]\nsession = "a:b"', "workspace.session", 2),
    ('[workspace]\nsession = "a.b"', "workspace.session", 2),
    ('[workspace]\nsession = "-t"', "workspace.session", 2),
    ('[workspace]\nsession = "a\\n"', "workspace.session", 2),
    (f'[workspace]\nsession = "{"a" * 65}"', "workspace.session", 2),
    ('[workspace]\nsocket = "dir/name"', "workspace.socket", 2),
    ('[workspace]\nsocket = "~/s"', "workspace.socket", 2),
    ('[workspace]\nsocket = ".."', "workspace.socket", 2),
    ('[workspace]\nsocket = "/a\\u0000b"', "workspace.socket", 2),
    (f'[workspace]\nsocket = "/{"a" * 100}"', "workspace.socket", 2),
    ("[control]\nmcp_enabled = 1", "control.mcp_enabled", 2),
    ('[control]\nmcp_enabled = "true"', "control.mcp_enabled", 2),
    ("[control]\nmcp_rate_per_minute = 0", "control.mcp_rate_per_minute", 2),
    ("[control]\nmcp_rate_per_minute = 61", "control.mcp_rate_per_minute", 2),
    ("[control]\nmcp_rate_per_minute = true", "control.mcp_rate_per_minute", 2),
    ("[control]\nmcp_rate_per_minute = 6.0", "control.mcp_rate_per_minute", 2),
    ("[control]\nmcp_max_live = 0", "control.mcp_max_live", 2),
    ("[control]\nmcp_max_spawns = -1", "control.mcp_max_spawns", 2),
    ('[chat]\npeer_messages = "maybe"', "chat.peer_messages", 2),
    ("[chat]\nretry_wakes = 2026-12-01", "chat.retry_wakes", 2),
    ("[sidebar]\nnotify = []", "sidebar.notify", 2),
    ("[profiles.lead]\nwrapper = false", "profiles.lead", 1),
    ('[profiles.maintainer]\ncommand = ["x"]', "profiles.maintainer", 1),
    ('[profiles.Lead]\ncommand = ["x"]', "profiles.Lead", 1),
    ('[profiles.""]\ncommand = ["x"]', 'profiles.""', 1),
    ('[profiles."a b"]\ncommand = ["x"]', 'profiles."a b"', 1),
    (f'[profiles.{"a" * 29}]\ncommand = ["x"]', f"profiles.{'a' * 29}", 1),
    ('[profiles.a]\ncommand = "claude --model x"', "profiles.a.command", 2),
    ("[profiles.a]\ncommand = []", "profiles.a.command", 2),
    ('[profiles.a]\ncommand = [""]', "profiles.a.command", 2),
    ('[profiles.a]\ncommand = ["x", 1]', "profiles.a.command", 2),
    ('[profiles.a]\ncommand = ["x\\u0000"]', "profiles.a.command", 2),
    ('[profiles.a]\ncommand = ["x"]\ncwd = "src"', "profiles.a.cwd", 3),
    ('[profiles.a]\ncommand = ["x"]\ncwd = ""', "profiles.a.cwd", 3),
    ('[profiles.a]\ncommand = ["x"]\ncwd = "~eve/src"', "profiles.a.cwd", 3),
    ('[profiles.a]\ncommand = ["x"]\nenv = ["A=b"]', "profiles.a.env", 3),
    ('[profiles.a]\ncommand = ["x"]\nenv = { A = 1 }', "profiles.a.env.A", 3),
    ('[profiles.a]\ncommand = ["x"]\n[profiles.a.env]\n\n"A=B" = "x"', 'profiles.a.env."A=B"', 5),
    ('[profiles.a]\ncommand = ["x"]\nenv.TMUX_PANE = "%0"', "profiles.a.env.TMUX_PANE", 3),
    ('[profiles.a]\ncommand = ["x"]\nenv.ZELLIJ = "0"', "profiles.a.env.ZELLIJ", 3),
    (
        '[profiles.a]\ncommand = ["x"]\nenv.TONGS_AGENTS_CONFIG = "/x"',
        "profiles.a.env.TONGS_AGENTS_CONFIG",
        3,
    ),
    ('[profiles.a]\ncommand = ["x"]\nharness = "gemini"', "profiles.a.harness", 3),
    ('[profiles.a]\ncommand = ["x"]\nattach = true', "profiles.a.attach", 3),
    ('[profiles.a]\ncommand = ["claude"]\nmultiline = true', "profiles.a.multiline", 3),
    ('[profiles.a]\ncommand = ["x"]\nmcp_contro = true', "profiles.a.mcp_contro", 3),
]


@pytest.mark.parametrize(("text", "key", "line"), WRONG)
def test_a_wrong_key_is_named_with_its_line_and_what_is_allowed(
    text: str, key: str, line: int
) -> None:
    with pytest.raises(ConfigError) as caught:
        read(text)
    error = caught.value
    assert (error.key, error.line, len(error.faults)) == (key, line, 1)
    assert error.allowed
    assert error.message.startswith(f"{PATH}:{line}: {key} ")
    assert error.message.endswith(f"; allowed: {error.allowed}")
    assert "\n" not in error.message
    assert failure_of(error).exit_code == 1
    assert failure_of(error).reason == "usage"


def test_every_fault_is_found_and_told_in_the_files_order() -> None:
    text = """\
[profiles.b]
command = 3
[control]
mcp_rate_per_minute = 99
typo = 1
[profiles.a]
cwd = 1
"""
    assert faults(text) == [
        ("profiles.b.command", 2),
        ("control.mcp_rate_per_minute", 4),
        ("control.typo", 5),
        ("profiles.a.cwd", 7),
        ("profiles.a", 6),  # a key that is missing: after what may be a typo of it
    ]
    with pytest.raises(ConfigError, match=r"\(and 4 more\)") as caught:
        read(text)
    told = failure_of(caught.value).to_json()["faults"]
    assert [fault["line"] for fault in told] == [2, 4, 5, 7, 6]
    assert told[0]["text"] == (
        f"{PATH}:2: profiles.b.command is a number; "
        'allowed: an array of strings: program and arguments, as ["claude"]'
    )


def test_what_may_be_secret_is_never_shown() -> None:
    text = '[profiles.a]\ncommand = ["x", 1, "hunter2"]\nenv = { A = 1234567, TMUX = "hunter2" }'
    with pytest.raises(ConfigError) as caught:
        read(text)
    told = json.dumps(failure_of(caught.value).to_json())
    assert "hunter2" not in told
    assert "1234567" not in told
    assert len(caught.value.faults) == 3


@pytest.mark.parametrize(
    "text",
    [
        '[profiles.a]\ncommand = "curl -H hunter2"',
        "[profiles.a]\ncommand = 1234567",
        '[profiles.a]\ncommand = ["x"]\nenv = "hunter2"',
        '[profiles.a]\ncommand = ["x"]\nenv = 1234567',
        '[profiles.a]\ncommand = ["x"]\nenv = ["hunter2"]',
        '[profiles]\na = "curl -H hunter2"',
        'profiles = "hunter2"',
        '[profiles.a]\ncommand = ["x"]\nENV = "hunter2"',
    ],
)
def test_a_command_or_env_of_another_type_is_not_shown_either(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(text)
    told = json.dumps(failure_of(caught.value).to_json())
    assert "hunter2" not in told
    assert "1234567" not in told


def test_windows_line_ends_move_no_line() -> None:
    text = '# one\r\n[profiles.a]\r\ncommand = [\r\n"x",\r\n]\r\nwrapper = 1\r\n'
    assert faults(text) == [("profiles.a.wrapper", 6)]


HUGE = ["0x" + "f" * 6000, "0b" + "1" * 20_000, "-" + "1" * 4000, "[0x" + "f" * 6000 + "]"]


@pytest.mark.parametrize("value", HUGE, ids=["hex", "binary", "negative", "in an array"])
@pytest.mark.parametrize(
    "key", ["control.mcp_max_live", "chat.peer_messages", "profiles.a", "profiles.a.env.B", "x"]
)
def test_a_number_of_many_digits_is_a_fault_like_any_other(key: str, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(f"{key} = {value}")
    assert caught.value.line == 1
    assert len(caught.value.message) < 400


@pytest.mark.parametrize("deep", [".".join("a" * 5000), "profiles.a.env." + ".".join("a" * 5000)])
@pytest.mark.parametrize("form", ["{} = 1", "[{}]\nb = 1", "[[{}]]\nb = 1", "x = {{ {} = 1 }}"])
def test_keys_of_any_depth_are_faults_like_any_other(deep: str, form: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(form.format(deep))
    assert caught.value.line == 1


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"[control\n", 1),
        (b"a = 1\nb = \n", 2),
        (b"[chat]\n[chat]\n", 2),
        (b"a = 1\na = 2\n", 2),
        (b'a = 1\nb = """\nnever closed\n', 4),
        (b"# fine\n# caf\xe9\n", 2),
        (b"a = 1\n\xff\xfe", 2),
        (b"a = 1\nb = \x00\n", 2),
    ],
)
def test_what_is_no_toml_or_no_utf8_is_named_with_its_line(data: bytes, line: int) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(data, path=PATH, home=HOME)
    assert (caught.value.key, caught.value.line) == ("", line)
    assert str(PATH) in caught.value.message


@pytest.mark.parametrize("data", [b"a = " + b"[" * 5000, b"a = " + b"9" * 5000, b"a = 2026-13-45"])
def test_what_the_parser_itself_chokes_on_is_a_fault_too(data: bytes) -> None:
    with pytest.raises(ConfigError, match="is not TOML"):
        parse(data, path=PATH, home=HOME)


def test_lines_are_found_behind_values_of_many_lines_that_look_like_keys() -> None:
    text = '''\
[profiles.a]
command = [
  "x",  # mcp_control = 1
  """
  [profiles.b]
  wrapper = 3
  """,
]
env.A = "1"
# wrapper = 4
"wrapper" = 5
'''
    assert faults(text) == [("profiles.a.wrapper", 11)]
    assert key_lines(text)["profiles", "a", "env", "A"] == 9


def test_a_value_too_long_to_follow_costs_the_line_and_not_the_fault() -> None:
    text = "[profiles.a]\ncommand = [\n" + '"x",\n' * 2000 + "]\nwrapper = 1\n"
    assert faults(text) == [("profiles.a.wrapper", 1)]


# -- the file


def test_a_missing_file_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "none" / "config.toml"
    assert load(path, home=HOME) == Config(path=path)


def test_a_file_is_read_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").write_text(FULL, encoding="utf-8")
    (tmp_path / "config.toml").symlink_to("dotfiles")
    config = load(tmp_path / "config.toml", home=HOME)
    assert config.path == tmp_path / "config.toml"
    assert config.workspace.session == "team"


def test_a_dangling_link_is_a_fault_and_not_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "config.toml").symlink_to("nowhere")
    with pytest.raises(ConfigError, match="missing"):
        load(tmp_path / "config.toml", home=HOME)


@pytest.mark.parametrize("bits", [0o620, 0o602, 0o666, 0o777])
def test_a_file_that_others_may_write_is_refused(tmp_path: Path, bits: int) -> None:
    path = tmp_path / "config.toml"
    path.write_text("", encoding="utf-8")
    path.chmod(bits)
    with pytest.raises(PlaceRefused):
        load(path, home=HOME)


@needs_root
def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("", encoding="utf-8")
    os.chown(path, 54321, -1)
    with pytest.raises(PlaceRefused):
        load(path, home=HOME)


def test_a_directory_a_pipe_or_a_huge_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "huge").write_bytes(b"#" * (MAX_BYTES + 1))
    for name in ("directory", "pipe", "huge"):
        with pytest.raises(PlaceRefused):
            load(tmp_path / name, home=HOME)


def test_a_file_below_a_file_is_a_fault_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match="can't be read"):
        load(tmp_path / "file" / "config.toml", home=HOME)


# -- showing it


def test_a_config_is_shown_as_json_with_the_values_of_env_masked() -> None:
    shown = as_dict(read(FULL))
    assert json.loads(json.dumps(shown)) == shown
    assert shown["profiles"]["lead"] == {
        "name": "lead",
        "command": ["claude", "--model", "x"],
        "cwd": "/h/ada/src/app",
        "env": {"NAME": "***", "TMUX_TMPDIR": "***"},
        "harness": "claude",
        "wrapper": True,
        "attach": "never",
        "multiline": False,
        "mcp_control": True,
    }
    assert shown["path"] == str(PATH)
    assert shown["workspace"]["multiplexer"] == "zellij"


# -- the example


@pytest.mark.parametrize("found", [[], ["claude"], ["codex", "pi"], ["pi", "pi"], ["scripted"]])
def test_the_example_has_a_profile_for_each_harness_found_and_only_defaults(
    found: list[str],
) -> None:
    config = read(render_example(found))
    real = [name for name in dict.fromkeys(found) if name != "scripted"]
    assert list(config.profiles) == (real or ["worker"])
    harnesses = [profile.harness for profile in config.profiles.values()]
    assert harnesses == (real or ["scripted"])
    assert config == Config(path=PATH, profiles=config.profiles)


def test_the_examples_comments_show_every_key_with_its_default() -> None:
    text = re.sub(r"(?m)^#(?! )", "", render_example([]))
    config = read(text)
    default = Profile(name="claude", command=("claude",), cwd=HOME, harness="claude")
    worker = Profile(name="worker", command=("tongs-agents-scripted",), harness="scripted")
    assert config.profiles == {"worker": worker, "claude": default}
    assert config == Config(
        path=PATH, workspace=Workspace(multiplexer="tmux"), profiles=config.profiles
    )
    keys = tomllib.loads(text)
    assert {name: list(keys[name]) for name in SECTIONS} == {
        name: list(kinds) for name, kinds in SECTIONS.items()
    }
    # `multiline` would be refused for a profile of a known harness.
    assert set(keys["profiles"]["claude"]) == set(PROFILE) - {"multiline"}


def test_a_harness_without_a_command_of_its_own_gets_no_example() -> None:
    with pytest.raises(ValueError, match="other"):
        render_example(["other"])


# -- properties

WORDS = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=12)
PROFILES = st.fixed_dictionaries(
    {"command": st.builds(lambda first, rest: [first, *rest], WORDS.filter(bool), st.lists(WORDS))},
    optional={
        "cwd": st.sampled_from(["~", "~/src", "/srv/a b"]),
        "env": st.dictionaries(st.from_regex(r"[A-Z]{3}_[A-Z0-9]{1,5}", fullmatch=True), WORDS),
        "harness": st.sampled_from(["claude", "codex", "pi", "other", "scripted"]),
        "wrapper": st.booleans(),
        "attach": st.sampled_from(["auto", "always", "never"]),
        "mcp_control": st.booleans(),
    },
)
CONFIGS = st.fixed_dictionaries(
    {},
    optional={
        "control": st.fixed_dictionaries(
            {},
            optional={
                "mcp_enabled": st.booleans(),
                "mcp_rate_per_minute": st.integers(1, 60),
                "mcp_max_live": st.integers(1, 1000),
            },
        ),
        "chat": st.fixed_dictionaries({"peer_messages": st.sampled_from(["accept", "refuse"])}),
        "profiles": st.dictionaries(
            st.from_regex(r"[a-z0-9-]{1,28}", fullmatch=True).filter(lambda n: n != "maintainer"),
            PROFILES,
            max_size=3,
        ),
    },
)


def as_toml(value: object) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(key)} = {as_toml(value[key])}" for key in value)
        return "{ " + inner + " }"
    if isinstance(value, list):
        return "[" + ", ".join(as_toml(item) for item in value) + "]"
    # TOML's strings know no pair of surrogates, so nothing is escaped that need not be.
    return json.dumps(value, ensure_ascii=False)


@given(CONFIGS)
def test_every_valid_config_is_read_as_it_was_written(values: dict[str, Any]) -> None:
    config = read("".join(f"{name} = {as_toml(values[name])}\n" for name in values))
    for key, value in values.get("control", {}).items():
        assert getattr(config.control, key) == value
    written = values.get("profiles", {})
    assert list(config.profiles) == list(written)
    for name, profile in config.profiles.items():
        assert list(profile.command) == written[name]["command"]
        assert profile.env == written[name].get("env", {})
        assert profile.wrapper == written[name].get("wrapper", False)
    assert json.dumps(as_dict(config))


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_a_config_error(data: bytes) -> None:
    with suppress(ConfigError):
        parse(data, path=PATH, home=HOME)


KEYS = st.sampled_from(
    [*SECTIONS, "profiles", *(key for kinds in SECTIONS.values() for key in kinds), *PROFILE, "x y"]
)
SCALARS = st.one_of(
    st.booleans(), st.integers(), WORDS, st.floats(allow_nan=False, allow_infinity=False)
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=200)
@given(st.dictionaries(KEYS, JUNK, max_size=4))
def test_no_toml_raises_anything_but_a_config_error_and_each_fault_has_a_line(
    values: dict[str, Any],
) -> None:
    text = "\n".join(f"{json.dumps(name)} = {as_toml(values[name])}" for name in values)
    try:
        read(text)
    except ConfigError as error:
        tomllib.loads(text)
        for fault in error.faults:
            assert fault.line is not None
            name = text.split("\n")[fault.line - 1].split(" = ")[0]
            assert fault.key.startswith((name.strip('"'), name))
