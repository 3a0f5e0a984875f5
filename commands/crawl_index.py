"""How does the index keep up with a crawl? Its writer runs beside it and follows the feed; it ends complete.

What it needed of memory is noted beside the run. An index that is of another state than the crawl database is made
anew.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from commands.command import command_line
from crawldb.database import CrawlDatabase, DatabaseError
from crawldb.tables.runs import Usage, note_usage, peak_of_children
from indexer.following import is_ahead

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import FrameType

    from frontier.session import Session
    from spiders.conduct import Conduct


class IndexProcess:
    """`index --until-closed` as a child. It reads nothing: that its standard input closes tells it to finish.

    So it also finishes when the crawl is killed, and a Ctrl-C meant for the crawl does not reach it.
    """

    def __init__(self, data_dir: Path, *, rebuild: bool = False) -> None:
        words = ["index", "--until-closed", *["--rebuild"] * rebuild]
        command = command_line(words, [f"DATA_DIR={data_dir}"])
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)

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


def has_another_index(conduct: Conduct, session: Session) -> bool:
    """Return whether the index is not of this crawl database, and say so: it has to be made anew."""
    other = is_ahead(conduct.data_dir, session.database)
    if other:
        print("crawl: the index is of a later state than the crawl database: it is made anew", file=sys.stderr)
    return other


def note_index_memory(conduct: Conduct, run: int) -> None:
    """Put the index writer's peak beside the run; where nothing can be written, the summary says so anyway."""
    with contextlib.suppress(DatabaseError), CrawlDatabase(conduct.data_dir) as database:
        note_usage(database, run, Usage(index_memory=peak_of_children()))
