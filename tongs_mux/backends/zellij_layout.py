"""What a Zellij session that we start is told: its configuration and its first pane. Pure."""

from __future__ import annotations

_KDL = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}

CONFIG = """\
// of a session that tongs starts: no wizard, no tips, and nothing to bring back to life
show_startup_tips false
show_release_notes false
session_serialization false
on_force_close "detach"
// a pane is never folded away to a line because others came
auto_layout false
"""
"""The configuration of a session that we start."""


def layout(argv: tuple[str, ...], cwd: str, name: str) -> str:
    """A layout with Zellij's own bars and one pane, which runs ``argv`` and ends with it.

    Tabs that a person opens later have the bars and a shell, never ``argv`` again.
    """
    words = " ".join(map(kdl, argv[1:]))
    arguments = f"args {words};" if words else ""
    return (
        "layout {\n"
        "    default_tab_template {\n"
        '        pane size=1 borderless=true { plugin location="tab-bar"; }\n'
        "        children\n"
        '        pane size=1 borderless=true { plugin location="status-bar"; }\n'
        "    }\n"
        "    tab {\n"
        f"        pane command={kdl(argv[0])} cwd={kdl(cwd)} name={kdl(name)} "
        f"close_on_exit=true {{ {arguments} }}\n"
        "    }\n"
        "}\n"
    )


def kdl(text: str) -> str:
    """``text`` as a string of Zellij's layout language."""
    return '"' + "".join(map(_kdl_char, text)) + '"'


def _kdl_char(char: str) -> str:
    if char in _KDL:
        return _KDL[char]
    return char if char.isprintable() else f"\\u{{{ord(char):x}}}"


__all__ = ["CONFIG", "kdl", "layout"]
