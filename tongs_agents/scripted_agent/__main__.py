"""``python -m tongs_agents.scripted_agent``."""

from __future__ import annotations

import sys

from tongs_agents.scripted_agent.main import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
