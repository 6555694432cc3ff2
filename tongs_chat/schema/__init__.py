"""The chat file's schema: what marks the file as ours, and its version. Imports nothing."""

APPLICATION_ID = 0x746F6E67
"""In the header of every chat file."""

VERSION = 2
"""The newest migration that this version of the product knows."""

MAINTAINER_ID = 1
"""The person's participant, there from the file's creation."""


__all__ = ["APPLICATION_ID", "MAINTAINER_ID", "VERSION"]
