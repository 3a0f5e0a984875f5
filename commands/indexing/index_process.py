"""The index writer that a crawl runs beside it: it follows the feed, and ends with the index complete."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

COMMANDS = Path(__file__).resolve().parents[1]


class IndexProcess:
    """`index --until-closed` as a child. It reads nothing: that its standard input closes tells it to finish.

    So it also finishes when the crawl is killed, and a Ctrl-C meant for the crawl does not reach it.
    """

    def __init__(self, data_dir: Path, *, rebuild: bool = False) -> None:
        words = ["index", "--until-closed", "-s", f"DATA_DIR={data_dir}", *["--rebuild"] * rebuild]
        self._process = subprocess.Popen(  # noqa: S603 - our own command with our own words
            [sys.executable, str(COMMANDS), *words],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    def finish(self, *, at_once: bool = False) -> bool:
        """Let the index writer catch up and end, or end it now; return whether the index is complete.

        Ctrl-C and SIGTERM end it now, too, and raise KeyboardInterrupt. What it had not committed waits in the feed.
        """
        _answer_signals(signal.default_int_handler)  # Scrapy's own handler stops a crawl, and that has ended
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            if at_once:
                self._process.terminate()
            return self._process.wait() == 0
        except KeyboardInterrupt:
            _answer_signals(signal.SIG_IGN)  # who presses Ctrl-C again has been heard
            self._process.terminate()
            self._process.wait()
            raise


def _answer_signals(handler: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)
