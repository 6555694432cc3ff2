"""Every harness that the rig plays, by name."""

from __future__ import annotations

from validation import claude, codex, pi
from validation.kind import Kind

KINDS: dict[str, Kind] = {kind.name: kind for kind in (claude.KIND, codex.KIND, pi.KIND)}

__all__ = ["KINDS"]
