"""``python -m tongs_agents.mcp_server``."""

from __future__ import annotations

import os
import sys

from tongs_agents.mcp_server.main import main

__all__: list[str] = []

if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stderr.flush()
    # work that was left behind must not hold up the end, and nothing else is left to do
    os._exit(code)
