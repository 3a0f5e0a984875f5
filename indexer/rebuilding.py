"""How does a rebuild use both cores? A second process makes segments of the older half of the feed, this one the rest.

Both write into the folder of the new build, which no generation names yet. At its end the second process tells the
names of its segments, and the one that holds the lock commits all at once. When that one ends in any way, the pipe
between them closes, and the second ends, too; when the second one dies, the first does all of the work.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crawldb.database import CrawlDatabase
from crawldb.tables.feed import Feed
from indexer.segments.segment import Segment
from indexer.writing.builder import SegmentBuilder

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST_ROWS = 2_000  # of the feed; with fewer, a second process takes longer to start than it saves
BATCH = 50  # rows that are read at a time


@dataclass(frozen=True, slots=True)
class RowCount:
    """Rows of the feed that were worked on: pages put, and pages left out."""

    put: int = 0
    removed: int = 0

    def __add__(self, other: RowCount) -> RowCount:
        return RowCount(self.put + other.put, self.removed + other.removed)


def is_shared(feed: Feed) -> bool:
    """Return whether a second process helps: there is a core for it, and enough to do."""
    return feed.rows() >= LEAST_ROWS and (os.cpu_count() or 1) > 1


def put_shared(
    data_dir: Path, feed: Feed, builder: SegmentBuilder, last: int, stopped: Callable[[], bool]
) -> RowCount | None:
    """Put what the feed has up to row `last`, in two processes. None: it was stopped, and nothing must be committed.

    What changes meanwhile comes again at the end of the feed, behind the rows that are put here.
    """
    middle = feed.middle()
    second = SecondProcess(data_dir, builder.storage.folder, middle)
    try:
        mine = put_rows(feed, builder, middle, last, stopped)
        if stopped():
            return None
        found = second.result()
    finally:
        second.end()
    if found is None:
        theirs = put_rows(feed, builder, 0, middle, stopped)
    else:
        segments, theirs = found
        builder.adopt(segments)
        builder.merge()
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
    """Makes segments of the feed's rows up to `last` in the folder `build`, beside the process that asks for it."""

    def __init__(self, data_dir: Path, build: Path, last: int) -> None:
        words = [sys.executable, "-m", "indexer.rebuilding", str(data_dir.resolve()), str(build.resolve()), str(last)]
        self._process = subprocess.Popen(  # noqa: S603 - our own module, with words of our own
            words,
            cwd=Path(__file__).resolve().parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self.pid = self._process.pid

    def result(self) -> tuple[list[Segment], RowCount] | None:
        """Wait for its segments; None where it died."""
        content = self._process.stdout.read() if self._process.stdout else b""
        if self._process.wait() != 0:
            return None
        told = json.loads(content)
        return [Segment(name, count) for name, count in told["segments"]], RowCount(told["put"], told["removed"])

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


def make_older_half() -> None:
    """Do the second process's part."""
    threading.Thread(target=_end_with_the_first_process, daemon=True).start()
    data_dir, build, last = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    with CrawlDatabase(data_dir, readonly=True) as database:
        builder = SegmentBuilder(build)
        done = put_rows(Feed(database), builder, 0, last, lambda: False)
    segments = [(one.name, one.count) for one in builder.segments]
    print(json.dumps({"segments": segments, "put": done.put, "removed": done.removed}), flush=True)
    os._exit(0)  # the thread above still reads


if __name__ == "__main__":
    make_older_half()
