"""How does a part crawl within an epoch? In a process of its own, which sends no request after the epoch.

It is the same `crawl site -a part=1/64` that a person can start. Its standard input brings each new deadline of the
epoch. It exits hard at the last deadline, or when this process is gone. A killed process is replaced, in the same
folder, and nothing is lost. It gets the user's arguments, and the limits of the stage.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from crawldb.clock import boot_clock
from spiders.downloader.epoch import EPOCH_OVER
from spiders.own_folders import ROOMS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

PARENT_WATCH = ROOMS / "commands" / "frame" / "parent_watch.py"
DONE, NOTHING_FETCHED, MISTAKEN, HINDERED, INTERRUPTED = 0, 1, 2, 74, 130  # of `crawl` (commands/frame/exits.py)
LOOK_SECONDS = 0.25  # between two looks at the process
STOP_SECONDS = 2.0  # between two checks whether the stage should end
MAX_KILLS = 5  # in one epoch: after so many, it would be killed again
LOG_LINES = 3


class CrawlFailed(Exception):
    """The crawl of a part could not continue; the message has the end of its log."""


class CrawlRefused(CrawlFailed):
    """The crawl rejected its arguments or settings, and would reject them again."""


class PartCrawl:
    """The process that crawls a part; `words` are the arguments of `crawl site`."""

    def __init__(self, words: Sequence[str], log: Path, *, after_abandoned: bool) -> None:
        self._words = tuple(words)
        self._log = log
        self._told = ["--after-abandoned"] * after_abandoned
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, deadline: float, seconds: float, should_end: Callable[[], bool]) -> None:
        """Crawl to the end of the stage: after so many seconds (0: no limit), or when `should_end` says so.

        Raises `CrawlFailed`, and `CrawlRefused` if another try can't help.
        """
        self._deadline = deadline
        until = boot_clock() + seconds
        for _ in range(MAX_KILLS):
            left = max(1.0, until - boot_clock()) if seconds else 0.0
            code = self._run_once(left, should_end)
            if code in {DONE, NOTHING_FETCHED, INTERRUPTED}:
                return
            if code == EPOCH_OVER:
                raise CrawlFailed("its term was over before the stage was")
            if code == MISTAKEN:
                raise CrawlRefused(last_words(self._log))
            if code == HINDERED:
                raise CrawlFailed(last_words(self._log))
        raise CrawlFailed(f"its process was killed {MAX_KILLS} times: {last_words(self._log)}")

    def _run_once(self, seconds: float, should_end: Callable[[], bool]) -> int:
        bound = ["-s", f"CLOSESPIDER_TIMEOUT={seconds:.1f}"] if seconds else []
        with self._log.open("ab") as log:
            line = [sys.executable, "-P", str(PARENT_WATCH), f"--until={self._deadline}", *self._told, "crawl", "site"]
            process = subprocess.Popen(
                [*line, *self._words, *bound],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,  # Ctrl-C reaches only the driver, which passes it on
            )
        self._process = process
        asked_to_end, looked = False, boot_clock()
        try:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(LOOK_SECONDS)
                if not asked_to_end and boot_clock() - looked > STOP_SECONDS:
                    looked = boot_clock()
                    if asked_to_end := should_end():
                        process.send_signal(signal.SIGINT)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            if process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()

    def prolong(self, deadline: float) -> None:
        """Send the process a later deadline."""
        self._deadline = deadline
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError, ValueError):  # it has just ended
                self._process.stdin.write(f"{deadline}\n".encode())
                self._process.stdin.flush()


def last_words(log: Path) -> str:
    """Return the last lines of a crawl's log."""
    try:
        return "\n".join(log.read_text("utf-8", "replace").splitlines()[-LOG_LINES:])
    except OSError as error:
        return f"its log can't be read ({error.strerror})"
