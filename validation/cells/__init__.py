"""The cells: one promise a module, each with a ``CELL``."""
