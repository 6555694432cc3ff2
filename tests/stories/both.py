"""Which stories run on tmux and on Zellij alike: one test, another rig."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

ON_BOTH = pytest.mark.parametrize("rig", ["tmux", "zellij"], indirect=True)


def on_both(
    name: str, values: Mapping[str, object], *, zellij: Collection[str]
) -> pytest.MarkDecorator:
    """Each value as the argument ``name`` on tmux; those named in ``zellij`` there as well."""
    assert set(zellij) <= set(values)
    found = [pytest.param("tmux", value, id=key) for key, value in values.items()]
    found += [pytest.param("zellij", values[key], id=f"{key} on zellij") for key in zellij]
    return pytest.mark.parametrize(("rig", name), found, indirect=["rig"])


__all__ = ["ON_BOTH", "on_both"]
