"""How does a rebuild use two cores? A second process indexes the older half of the feed, this one the rest.

The second process writes segments into its own folder within the build, which no generation names yet. At its end it
reports the names of its segments. The process that holds the lock adopts them and commits all at once. If it ends in
any way, the pipe between them closes, and the second process ends too. If the second fails or dies, its folder is
deleted, the first does all the work, and the result says so.
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
from extension_points import areas_apart
from indexer.segments.segment import Segment
from indexer.writing.builder import SegmentBuilder

if TYPE_CHECKING:
    from collections.abc import Callable

SHARE = 1 / 3  # of the usual memory for each of the two: together they take no more than one
SECOND_FOLDER = "second"  # within the build
BATCH = 50  # rows read at a time


@dataclass(frozen=True, slots=True)
class RowCount:
    """Rows of the feed that were processed: pages added, and pages left out. `fallback`: why one process did it all."""

    put: int = 0
    removed: int = 0
    fallback: str = ""

    def __add__(self, other: RowCount) -> RowCount:
        return RowCount(self.put + other.put, self.removed + other.removed, self.fallback or other.fallback)


def put_in_parallel(
    data_dir: Path, feed: Feed, builder: SegmentBuilder, last: int, stopped: Callable[[], bool]
) -> RowCount | None:
    """Index the feed up to row `last` in two processes. None: the rebuild was stopped, so commit nothing.

    Pages that change in the meantime come again at the end of the feed.
    """
    middle = feed.middle()
    builder.share = SHARE
    second = SecondProcess(data_dir, builder.storage.folder / SECOND_FOLDER, middle)
    try:
        mine = put_rows(feed, builder, middle, last, stopped)
        if stopped():
            return None
        theirs = second.result()
        if theirs.fallback:
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
    """Index the feed after row `first` up to row `last`, and merge; end early if `stopped`."""
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
    """A second process that indexes the feed up to row `last` in `folder`."""

    def __init__(self, data_dir: Path, folder: Path, last: int) -> None:
        self.folder = folder
        self.segments: list[Segment] = []  # set by `result`
        arguments = [
            sys.executable,
            "-m",
            "indexer.rebuilding",
            str(data_dir.resolve()),
            str(folder.resolve()),
            str(last),
        ]
        self._process = subprocess.Popen(  # noqa: S603 - our own module, with arguments of our own
            arguments,
            cwd=Path(__file__).resolve().parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C goes to the first process, which ends this one
        )
        self.pid = self._process.pid

    def result(self) -> RowCount:
        """Wait for its segments, and return its rows: none, with the reason, if it failed or died."""
        content = self._process.stdout.read() if self._process.stdout else b""
        code = self._process.wait()
        if code:
            return RowCount(
                fallback=f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
            )
        report = json.loads(content)
        self.segments = [Segment(name, count, area=area) for name, count, area in report["segments"]]
        return RowCount(report["put"], report["removed"], report["failed"])

    def end(self) -> None:
        """End it, whatever it does; it may have ended already."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()


def _end_with_the_first_process() -> None:
    sys.stdin.buffer.read()
    os._exit(1)  # the first process has ended, or needs no result


def make_older_half(data_dir: Path, folder: Path, last: int) -> dict[str, Any]:
    """Do the work of the second process, and return its report for the first."""
    report: dict[str, Any] = {"segments": [], "put": 0, "removed": 0, "failed": ""}
    try:
        folder.mkdir()
        with CrawlDatabase(data_dir, readonly=True) as database:
            builder = SegmentBuilder(folder, share=SHARE)
            builder.apart = areas_apart(database)
            done = put_rows(Feed(database), builder, 0, last, lambda: False)
    except Exception as error:  # noqa: BLE001 - the first comes to the same rows, and fails in order where it must
        return report | {"failed": f"failed: {error}"}
    segments = [(one.name, one.count, one.area) for one in builder.segments]
    return report | {"segments": segments, "put": done.put, "removed": done.removed}


if __name__ == "__main__":
    threading.Thread(target=_end_with_the_first_process, daemon=True).start()
    print(json.dumps(make_older_half(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))), flush=True)
    os._exit(0)  # the thread above still reads
