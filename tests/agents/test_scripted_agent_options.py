"""The command line."""

from __future__ import annotations

import pytest

from tongs_agents.scripted_agent.journal import JOURNAL_VARIABLE
from tongs_agents.scripted_agent.options import Options, parse


def test_without_options_everything_is_well_behaved():
    assert parse([], {}) == Options()


@pytest.mark.parametrize("prompt", ["hello", "-x", "--late", "--", "", "a\nb", "--help"])
def test_what_follows_the_dashes_is_the_prompt(prompt: str):
    assert parse(["--name", "n", "--", prompt], {}) == Options(name="n", prompt=prompt)


def test_a_prompt_may_stand_alone():
    assert parse(["do it"], {}).prompt == "do it"


@pytest.mark.parametrize(
    "argv",
    [
        ["--", "a", "b"],
        ["--"],
        ["a", "--", "b"],
        ["--late", "-1"],
        ["--chunk", "0"],
        ["--lat", "1"],
    ],
)
def test_wrong_usage_is_refused(argv: list[str]):
    with pytest.raises(SystemExit):
        parse(argv, {})


def test_the_journal_may_be_named_by_the_environment():
    environ = {JOURNAL_VARIABLE: "/e"}
    assert parse([], environ).log == "/e"
    assert parse(["--log", "/o"], environ).log == "/o"


def test_every_fault_has_its_option():
    argv = "--late 1 --slow-echo 2 --paste-window 120 --chunk 256 --hidden-composer"
    flags = "--drop-first-enter --dialog-on-paste --vim-normal --suggest Try --session-id s"
    assert parse([*argv.split(), *flags.split()], {}) == Options(
        late=1.0,
        slow_echo=2.0,
        paste_window=0.12,
        chunk=256,
        hidden_composer=True,
        drop_first_enter=True,
        dialog_on_paste=True,
        vim_normal=True,
        hint="Try",
        session_id="s",
    )
