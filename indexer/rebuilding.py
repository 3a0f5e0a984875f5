"""How does a rebuild use both cores? A second process makes segments of the older half of the feed, this one the rest.

The second writes into a folder of its own within the build, which no generation names yet. At its end it tells the
names of its segments, and the one that holds the lock takes them over and commits all at once. When that one ends in
any way, the pipe between them closes, and the second ends, too. When the second one fails or dies, its folder goes, the
first does all of the work, and it is told.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawldb.database import CrawlDatabase
from crawldb.pages.feed import Feed
from indexer.segments.segment import Segment
from indexer.writing.builder import SegmentBuilder

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_ROWS = 2_000  # of the feed; with fewer, a second process takes longer to start than it saves
SHARE = 1 / 3  # of what one process lets wait, for each of the two: so both together take no more memory than one
SECONDS_FOLDER = "second"  # within the build
BATCH = 50  # rows that are read at a time


@dataclass(frozen=True, slots=True)
class RowCount:
    """Rows of the feed that were worked on: pages put, and pages left out. `alone`: why one process did all of it."""

    put: int = 0
    removed: int = 0
    alone: str = ""

    def __add__(self, other: RowCount) -> RowCount:
        return RowCount(self.put + other.put, self.removed + other.removed, self.alone or other.alone)


def processors() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def needs_second_process(feed: Feed) -> bool:
    """Return whether a second process helps: there is a core for it, and enough to do."""
    return feed.rows() >= LEAST_ROWS and processors() > 1


def put_in_parallel(
    data_dir: Path, feed: Feed, builder: SegmentBuilder, last: int, stopped: Callable[[], bool]
) -> RowCount | None:
    """Put what the feed has up to row `last`, in two processes. None: it was stopped, and nothing must be committed.

    What changes meanwhile comes again at the end of the feed, behind the rows that are put here.
    """
    middle = feed.middle()
    builder.share = SHARE
    second = SecondProcess(data_dir, builder.storage.folder / SECONDS_FOLDER, middle)
    try:
        mine = put_rows(feed, builder, middle, last, stopped)
        if stopped():
            return None
        theirs = second.result()
        if theirs.alone:
            shutil.rmtree(second.folder, ignore_errors=True)  # the disk may be full
            theirs += put_rows(feed, builder, 0, middle, stopped)
        else:
            builder.adopt_from(second.folder, second.segments)
            builder.merge()
    finally:
        second.end()
        builder.share = 1
    return None if stopped() else mine + theirs


def put_rows(feed: Feed, builder: SegmentBuilder, first: int, last: int, stopped: Callable[[], bool]) -> RowCount:
    """Put what the feed has after row `first` up to row `last`, and merge; or end early where that is asked for."""
    put = removed = 0
    place = first
    while place < last and not stopped():
        feed.check_place()
        rows = list(feed.after(place, BATCH, last))
        for change in rows:
            if change.page is not None:
                builder.put(change.page)
                put += 1
            else:
                removed += 1
        place = rows[-1].seq if rows else last
    builder.flush()
    builder.merge()
    return RowCount(put, removed)


class SecondProcess:
    """Makes segments of the feed's rows up to `last` in `folder`, beside the process that asks for it."""

    def __init__(self, data_dir: Path, folder: Path, last: int) -> None:
        self.folder = folder
        self.segments: list[Segment] = []  # which `result` has brought
        words = [sys.executable, "-m", "indexer.rebuilding", str(data_dir.resolve()), str(folder.resolve()), str(last)]
        self._process = subprocess.Popen(  # noqa: S603 - our own module, with words of our own
            words,
            cwd=Path(__file__).resolve().parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the first, which ends it
        )
        self.pid = self._process.pid

    def result(self) -> RowCount:
        """Wait for its segments, and return what it did: nothing, with the reason, where it failed or died."""
        content = self._process.stdout.read() if self._process.stdout else b""
        code = self._process.wait()
        if code:
            return RowCount(alone=f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}")
        told = json.loads(content)
        self.segments = [Segment(name, count) for name, count in told["segments"]]
        return RowCount(told["put"], told["removed"], told["failed"])

    def end(self) -> None:
        """End it, whatever it does; it is no error if it has ended."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()


def _end_with_the_first_process() -> None:
    sys.stdin.buffer.read()
    os._exit(1)  # it is gone, or wants no more of this


def make_older_half(data_dir: Path, folder: Path, last: int) -> dict[str, Any]:
    """Do the second process's part, and return what it tells the first."""
    told: dict[str, Any] = {"segments": [], "put": 0, "removed": 0, "failed": ""}
    try:
        folder.mkdir()
        with CrawlDatabase(data_dir, readonly=True) as database:
            builder = SegmentBuilder(folder, share=SHARE)
            done = put_rows(Feed(database), builder, 0, last, lambda: False)
    except Exception as error:  # noqa: BLE001 - the first comes to the same rows, and fails in order where it must
        return told | {"failed": f"failed: {error}"}
    segments = [(one.name, one.count) for one in builder.segments]
    return told | {"segments": segments, "put": done.put, "removed": done.removed}


if __name__ == "__main__":
    threading.Thread(target=_end_with_the_first_process, daemon=True).start()
    print(json.dumps(make_older_half(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))), flush=True)
    os._exit(0)  # the thread above still reads
