"""How does the index keep up? It follows the feed of changes, beside a crawl or after one.

The loop reads the change feed of the crawl database, and puts or removes each page, as it now stands. It commits early
once, so that a search works soon; then seldom, as a commit costs time. Its place in the feed is committed together with
the pages: whatever happens, the next follower goes on where this one was sure to be. What links say of all pages is
computed anew before a commit, where the graph of links has changed by enough (indexer/links.py).

A page that was stored a moment ago will soon change again: pages beside it are fetched next, and link to it with other
words. The feed has one row a page, under its newest number. So a change is left to grow old before it is read, and most
pages are written once.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from crawldb.database import CrawlDatabase, DatabaseError
from crawldb.pages.feed import LAST, Feed
from indexer import open_writer
from indexer.faults import IndexFault, IndexLocked, IndexRefuses, IndexUnreachable
from indexer.links import PageRankSchedule
from indexer.position import check_same_crawl, indexed_position, is_outdated, is_there
from indexer.rebuilding import RowCount, needs_second_process, put_in_parallel
from indexer.segments.generation import index_folder, read_generation
from indexer.writing.writer import IndexWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from extension_points import IndexWork
    from indexer.writing.writer import CommittingWriter

Answer = TypeVar("Answer")

FEED_BATCH = 50  # rows of the feed that are read at a time: the clock is looked at between two batches
FEED_POLL_SECONDS = 0.25  # how long a feed without news is left alone
# Of what one process lets wait, beside a crawl: both have 450 MB together, of which the crawl may take 300.
SHARE_BESIDE_A_CRAWL = 1 / 4
AWAY_SECONDS = 5.0  # how often an engine that is away is tried again beside a crawl
LOCKED_SECONDS = 0.5  # how often a folder that another process writes is tried again


@dataclass(frozen=True, slots=True)
class CommitPolicy:
    """When a commit is due: commits take a tenth of the time at most, and no more than `most` pages wait for one."""

    first: float = 2.0  # seconds from the first page of all to its commit
    gap: float = 15.0  # seconds between two commits, at least
    share: float = 10.0  # times the duration of the last commit between two commits, at least
    most: float = 2_000  # pages that wait
    age: float = 5.0  # seconds of a change before it is read, once there is something to search in
    idle: float = 60.0  # seconds without news after a commit: then what the end of a crawl does is done

    def is_due(self, waiting: int, since_first: float, since_commit: float | None, took: float) -> bool:
        """Say whether to commit: `waiting` pages, seconds since the first of them and since the last commit."""
        if not waiting:
            return False
        if waiting >= self.most:
            return True
        if since_commit is None:
            return since_first >= self.first
        return since_commit >= max(self.gap, self.share * took)


# A rebuild shows nothing until it is complete.
AT_THE_END = CommitPolicy(first=math.inf, gap=math.inf, most=math.inf, age=0.0)


@dataclass(slots=True)
class StopSignal:
    """Until when to follow. `closed`: no more will come, so end when all is committed. `stopped`: end now."""

    closed: threading.Event = field(default_factory=threading.Event)
    stopped: threading.Event = field(default_factory=threading.Event)

    def stop(self, *_: object) -> None:
        """End now, with what was put committed. Takes what a signal handler is given."""
        self.stopped.set()
        self.closed.set()  # which also wakes the one who waits for news


class PageWork(Protocol):
    """Work of an extension on the pages of an index (`extension_points.index_work`)."""

    done: int  # pages that it was done to

    def step(self) -> bool:
        """Do a little of it, some tenths of a second long; return whether more may be left to do.

        It is called again after each commit. A new page has to wait for a step, and so does whoever stops.
        """


class FeedFollower:
    """Follows a feed into an index. `clock` gives seconds; `work` is done while there is no news."""

    def __init__(
        self,
        feed: Feed,
        writer: CommittingWriter,
        cadence: CommitPolicy | None = None,
        clock: Callable[[], float] = time.monotonic,
        upkeep: PageRankSchedule | None = None,
        work: Sequence[PageWork] = (),
    ) -> None:
        self.put = self.removed = self.commits = 0
        self._upkeep = upkeep or PageRankSchedule()
        self.position = writer.position
        self._feed, self._writer, self._clock, self._work = feed, writer, clock, work
        self._cadence = cadence or CommitPolicy()
        self._waiting = 0  # changes that are not committed
        self._first = 0.0  # when the first of them was read
        self._committed: float | None = None
        self._took = 0.0
        self._is_untidy = False  # what was committed last may be merged at the end
        self._young: deque[tuple[float, int]] = deque()  # when the feed was seen to reach which number
        self._old = 0  # the last number that is old enough

    def go_on(self, position: int, put: int, removed: int) -> None:
        """Go on behind a row: what is up to it was put otherwise, and waits for a commit."""
        self.position, self.put, self.removed = position, put, removed
        self._waiting += put + removed

    def follow(self, until: StopSignal) -> None:
        """Put, remove and commit until the feed is closed and everything in it is committed, or until stopped."""
        while not until.stopped.is_set():
            ending = until.closed.is_set()  # asked before the feed is: what was stored before it closed will be seen
            rows = self._read(LAST if ending else self._old_enough())
            if self._is_due():
                self._commit()
            if not rows and ending:
                break
            if not rows and not self._worked() and not self._used_idle_time():
                until.closed.wait(FEED_POLL_SECONDS)
        ending = not until.stopped.is_set()
        if not ending and self._cadence is AT_THE_END:
            return  # of a rebuild nobody sees a part: searches go on with the index before it
        if self._waiting or not self.commits or self._ranks_are_due(ending=ending) or (ending and self._is_untidy):
            self._commit(ending=ending)  # without a change it costs nothing, and makes an empty index
        while not until.stopped.is_set() and self._worked():
            pass

    def _old_enough(self) -> int:
        """Return the number of the last change that is old enough to be read."""
        if self._committed is None or not self._cadence.age:
            return LAST
        now, last = self._clock(), self._feed.last()
        if not self._young or self._young[-1][1] < last:
            self._young.append((now, last))
        while self._young and now - self._young[0][0] >= self._cadence.age:
            _, self._old = self._young.popleft()
        return self._old

    def _read(self, until: int = LAST) -> int:
        rows = 0
        self._feed.check_place()
        for change in self._feed.after(self.position, FEED_BATCH, until):
            if change.page is None:
                self._writer.remove(change.url, change.seq)
                self.removed += 1
            else:
                self._writer.put(change.page, change.seq)
                self.put += 1
            if not self._waiting:
                self._first = self._clock()
            self._waiting += 1
            self.position = change.seq
            rows += 1
        return rows

    def _worked(self) -> bool:
        return any(each.step() for each in self._work)

    def _used_idle_time(self) -> bool:
        """Merge small segments and bring PageRank up to date where no news has come for a while; say whether."""
        used = self._is_untidy and not self._waiting and self._clock() - (self._committed or 0.0) >= self._cadence.idle
        if used:
            self._commit(ending=True)
        return used

    def _is_due(self) -> bool:
        now = self._clock()
        since_commit = None if self._committed is None else now - self._committed
        return self._cadence.is_due(self._waiting, now - self._first, since_commit, self._took)

    def _ranks_are_due(self, *, ending: bool) -> bool:
        return self._upkeep.is_due(self._writer.graph, self._feed.changes_of_links(), ending=ending)

    def _commit(self, *, ending: bool = False) -> None:
        self._feed.check_place()  # the index in its folder may be that of another crawl by now
        began = self._clock()
        if self._ranks_are_due(ending=ending):
            self._writer.put_ranks(self._upkeep.ranks(*self._feed.links()))
        self._writer.commit(self.position, ending=ending)
        self._committed = self._clock()
        self._took = self._committed - began
        self._waiting = 0
        self._is_untidy = not ending
        self.commits += 1


@dataclass(frozen=True, slots=True)
class IndexUpdate:
    """What was done to the index, and how many pages it now holds."""

    put: int = 0
    removed: int = 0
    commits: int = 0
    documents: int = 0
    complete: bool = True  # nothing in the feed is left to do
    alone: str = ""  # what happened to the second process, where this one did its part as well
    worked: Mapping[str, int] = field(default_factory=dict)  # to how many pages each extension did its work


def update(
    data_dir: Path,
    until: StopSignal,
    *,
    rebuild: bool = False,
    wait_for_lock: bool = False,
    upkeep: PageRankSchedule | None = None,
    work: Sequence[IndexWork] = (),
) -> IndexUpdate:
    """Open crawl database and index, and follow. Raises IndexLocked where another process writes the index.

    With `wait_for_lock`, wait for that process: it follows the same feed, or ends soon. A cluster that does not answer,
    or takes nothing, is waited for until the feed closes. An index that is ahead of the feed has seen a later state of
    the crawl, and is made anew, as is one of an earlier Breadcrumb. Raises OtherCrawl for the index of another crawl.
    `work` is that of extensions.
    """

    def attempt() -> IndexUpdate:
        with CrawlDatabase(data_dir, readonly=True) as database:
            feed = Feed(database)
            check_same_crawl(data_dir, database, rebuild=rebuild)
            anew = rebuild or is_outdated(data_dir)
            writer = _open(data_dir, feed, until, rebuild=anew, wait_for_lock=wait_for_lock)
            if writer is None:
                return IndexUpdate()
            try:
                if writer.position > feed.last():
                    writer.close()
                    writer, anew = open_writer(data_dir, rebuild=True), True
                writer.crawl = database.identity
                begun = {each.name: each.begin(data_dir) for each in work}
                last, steps = feed.last(), tuple(begun.values())
                follower = FeedFollower(feed, writer, AT_THE_END if anew else None, upkeep=upkeep, work=steps)
                whole = anew or (until.closed.is_set() and not writer.position and not writer.documents)
                builder = (
                    writer.builder if whole and isinstance(writer, IndexWriter) and needs_second_process(feed) else None
                )
                shared = put_in_parallel(data_dir, feed, builder, last, until.stopped.is_set) if builder else RowCount()
                if shared is None:
                    return IndexUpdate(documents=_documents(data_dir), complete=False)
                if not until.closed.is_set() and isinstance(writer, IndexWriter):
                    writer.builder.share = SHARE_BESIDE_A_CRAWL
                if builder:
                    follower.go_on(last, shared.put, shared.removed)
                follower.follow(until)
                complete = follower.position >= feed.last()
                if anew and not follower.commits:
                    return IndexUpdate(documents=_documents(data_dir), complete=False)
                done = (follower.put, follower.removed, follower.commits, writer.documents)
                return IndexUpdate(*done, complete, shared.alone, {name: each.done for name, each in begun.items()})
            finally:
                writer.close()

    return retry_until_closed(attempt, until.closed)


def retry_until_closed(attempt: Callable[[], Answer], closed: threading.Event, seconds: float = AWAY_SECONDS) -> Answer:
    """Try again while a cluster is away or full, until a crawl has closed its feed; each fault is told once.

    It is tried once more after that: it may have come back since the last attempt began.
    """
    told = ""
    while True:
        is_last = closed.is_set()
        try:
            return attempt()
        except (IndexUnreachable, IndexRefuses) as fault:
            if is_last:
                raise
            if str(fault) != told:
                told = str(fault)
                logging.getLogger(__name__).warning("index: %s", told)
        closed.wait(seconds)


def _documents(data_dir: Path) -> int:
    try:
        return read_generation(index_folder(data_dir)).documents
    except IndexFault:
        return 0


def catch_up(data_dir: Path, *, rebuild: bool = False) -> IndexUpdate:
    """Bring the index up to date, and end. One page more or less is no reason to compute PageRank anew."""
    until = StopSignal()
    until.closed.set()
    return update(data_dir, until, rebuild=rebuild, upkeep=PageRankSchedule(follows=False))


def _open(
    data_dir: Path, feed: Feed, until: StopSignal, *, rebuild: bool, wait_for_lock: bool
) -> CommittingWriter | None:
    """Open the writer; None where another process has done everything that was to be done."""
    while True:
        feed.check_place()
        try:
            return open_writer(data_dir, rebuild=rebuild)
        except IndexLocked:
            if not wait_for_lock:
                raise
            if until.closed.is_set() and indexed_position(data_dir) >= feed.last():
                return None
            time.sleep(LOCKED_SECONDS)


def bring_index_up_to_date(databases: Iterable[CrawlDatabase]) -> str:
    """Let the index beside each follow what was taken out; return what was done, each sentence once."""
    return " ".join(dict.fromkeys(_bring(database.path.parent) for database in databases))


def _bring(data_dir: Path) -> str:
    if not is_there(data_dir):
        return "There is no index yet."
    try:
        catch_up(data_dir)
    except IndexLocked as busy:
        by = f"process {busy.pid}" if busy.pid else "the process that writes it"
        return f"Searches hide it from now on; {by} takes it out of the index."
    except (IndexFault, DatabaseError, OSError) as fault:
        return f"Searches hide it from now on; the index could not follow: {fault}"
    return "The index is up to date: searches no longer find it."
