"""The hook: the shell front and the lean Python behind it."""

HOOKS_LABEL = "hooks"
"""Label of a launch record: ``attached`` or ``installed`` where its program has our hooks."""

__all__ = ["HOOKS_LABEL"]
