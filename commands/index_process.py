"""The index writer that a crawl runs beside it: it follows the feed, and ends with the index complete."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

COMMANDS = Path(__file__).resolve().parent


class IndexProcess:
    """`index --until-closed` as a child. It reads nothing: that its standard input closes tells it to finish.

    So it also finishes when the crawl is killed, and a Ctrl-C meant for the crawl does not reach it.
    """

    def __init__(self, data_dir: Path) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own command with our own words
            [sys.executable, str(COMMANDS), "index", "--until-closed", "-s", f"DATA_DIR={data_dir}"],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    def finish(self) -> bool:
        """Let the index writer catch up and end; return whether the index is complete."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            return self._process.wait() == 0
        except KeyboardInterrupt:
            self._process.terminate()
            self._process.wait()
            return False
