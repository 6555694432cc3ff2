"""The hook: the shell front and the lean Python behind it."""
