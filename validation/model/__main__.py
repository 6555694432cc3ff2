"""``python -m validation.model PORT DIRECTORY``: the model server by hand."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from validation.model.server import serving


def main() -> None:
    """Serve until interrupted."""
    port, directory = int(sys.argv[1]), Path(sys.argv[2])
    with serving(directory, port) as at:
        print(f"a scripted model on http://127.0.0.1:{at}, requests in {directory}", flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main()
