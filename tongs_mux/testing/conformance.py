"""The conformance kit: what every backend must do, as named checks over a rig.

A check raises AssertionError where the backend is wrong, and NotApplicable
where it has no such thing. Needs no test framework::

    for name, check in CHECKS.items():
        with my_rig() as rig:
            check(rig)
"""

from __future__ import annotations

from collections.abc import Callable

from tongs_mux.testing import checks_guards, checks_panes, checks_reading, checks_typing
from tongs_mux.testing.rig import Rig

Check = Callable[[Rig], None]
"""One check, on a rig of its own."""

_ALL: tuple[Check, ...] = (
    checks_reading.listing_names_every_pane,
    checks_reading.pane_refs_are_whole,
    checks_reading.look_and_listing_agree,
    checks_reading.look_reads_the_screen,
    checks_reading.look_at_no_pane_finds_none,
    checks_reading.history_is_the_end_of_it,
    checks_reading.history_of_no_pane_is_an_error,
    checks_reading.sessions_are_exact,
    checks_reading.titles_and_names_are_only_text,
    checks_reading.focused_counts_attached_terminals,
    checks_reading.control_clients_show_nothing,
    checks_typing.paste_arrives_exact_and_bracketed,
    checks_typing.paste_of_32_kib_arrives_whole,
    checks_typing.enter_is_one_return,
    checks_typing.others_receive_nothing,
    checks_typing.nothing_stays_behind,
    checks_typing.a_moved_pane_is_still_reached,
    checks_guards.another_server_holds,
    checks_guards.another_process_holds,
    checks_guards.another_pane_holds,
    checks_guards.targets_that_are_no_ids_reach_no_pane,
    checks_guards.a_respawned_pane_holds,
    checks_guards.a_restarted_servers_pane_holds,
    checks_guards.a_dead_pane_holds_and_the_server_lives,
    checks_guards.a_mode_holds,
    checks_guards.synchronized_panes_hold,
    checks_guards.a_pattern_on_the_screen_holds,
    checks_guards.a_pattern_not_on_the_screen_holds,
    checks_guards.a_cursor_elsewhere_holds,
    checks_guards.patterns_that_hold_let_through,
    checks_panes.open_passes_argv_exactly,
    checks_panes.open_passes_the_directory,
    checks_panes.open_starts_a_server_with_that_environment,
    checks_panes.open_says_what_it_opened,
    checks_panes.open_needs_its_session,
    checks_panes.open_beside_a_longer_name,
    checks_panes.open_steals_no_focus,
    checks_panes.close_ends_only_the_meant_pane,
    checks_panes.close_ends_a_dead_pane,
    checks_panes.focus_shows_the_pane,
    checks_panes.focus_without_a_terminal_names_none,
    checks_panes.no_server_is_none,
    checks_panes.a_silent_server_is_a_timeout,
)

CHECKS: dict[str, Check] = {check.__name__: check for check in _ALL}
"""Every check by its name."""

__all__ = ["CHECKS", "Check"]
