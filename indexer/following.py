"""How does the index stay up to date? It follows the change feed of the crawl database, during a crawl or after it.

The loop reads the feed, and adds or removes each page in its present state. The first commit comes early, so a search
works soon; later ones are rare, since a commit costs time. The position in the feed is committed together with the
pages: after a crash, the next run continues from there. Before a commit, link scores are computed again if the link
graph has changed enough (indexer/links.py).

A page that was just stored will soon change again: its neighbours are fetched next, and link to it with other words.
The feed has one row a page, under its newest number. So a change waits some seconds before it is read, and the writer
indexes most pages once.
"""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from crawldb.database import CrawlDatabase, DatabaseError
from crawldb.pages.feed import LAST, Feed
from extension_points import areas_apart
from indexer import open_writer
from indexer.faults import IndexFault, IndexLocked, IndexRefuses, IndexUnreachable
from indexer.links import PageRankSchedule, with_link_texts
from indexer.rebuilding import put_in_parallel
from indexer.segments.generation import (
    check_same_crawl,
    index_exists,
    index_folder,
    indexed_position,
    is_outdated,
    read_generation,
)
from indexer.writing.writer import IndexWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from extension_points import IndexWork
    from indexer.writing.writer import CommittingWriter

Result = TypeVar("Result")

FEED_BATCH = 50  # rows of the feed read at a time; the clock is checked between two batches
FEED_POLL_SECONDS = 0.25  # between two checks of a feed without changes
# Of the usual memory, during a crawl: both have 450 MB together, of which the crawl may take 300.
SHARE_DURING_CRAWL = 1 / 4
AWAY_SECONDS = 5.0  # between two attempts to reach an unavailable engine during a crawl
MIN_ROWS = 2_000  # of the feed; with fewer, starting a second process takes longer than it saves
LOCKED_SECONDS = 0.5  # between two attempts to lock an index that another process writes


@dataclass(frozen=True, slots=True)
class CommitPolicy:
    """When a commit is due: commits take at most a tenth of the time, and at most `most` pages wait for one."""

    first: float = 2.0  # seconds from the very first page to its commit
    gap: float = 15.0  # at least so many seconds between two commits
    share: float = 10.0  # at least so many times the duration of the last commit between two commits
    most: float = 2_000  # pages that wait
    age: float = 5.0  # seconds before a change is read, after the first commit
    idle: float = 60.0  # seconds without changes after a commit, before the work of a crawl's end is done

    def is_due(self, waiting: int, since_first: float, since_commit: float | None, took: float) -> bool:
        """Return whether to commit; the seconds are since the first waiting page, and since the last commit."""
        if not waiting:
            return False
        if waiting >= self.most:
            return True
        if since_commit is None:
            return since_first >= self.first
        return since_commit >= max(self.gap, self.share * took)


# A rebuild commits nothing until it is complete.
AT_THE_END = CommitPolicy(first=math.inf, gap=math.inf, most=math.inf, age=0.0)


@dataclass(slots=True)
class StopSignal:
    """When to stop following. `closed`: the feed is complete, so stop when all is committed. `stopped`: stop now."""

    closed: threading.Event = field(default_factory=threading.Event)
    stopped: threading.Event = field(default_factory=threading.Event)

    def stop(self, *_: object) -> None:
        """Stop now, and commit what was added. Accepts the arguments of a signal handler."""
        self.stopped.set()
        self.closed.set()  # this also ends the wait for changes


class PageWork(Protocol):
    """Work of an extension on the pages of an index (`extension_points.index_work`)."""

    done: int  # pages

    def step(self) -> bool:
        """Work for some tenths of a second; return whether more work may be left.

        It is called again after each commit. A new page, or a request to stop, waits for a step to end.
        """


class FeedFollower:
    """Follows a feed into an index. `clock` returns seconds; `work` is done while there are no changes."""

    def __init__(
        self,
        feed: Feed,
        writer: CommittingWriter,
        policy: CommitPolicy | None = None,
        clock: Callable[[], float] = time.monotonic,
        upkeep: PageRankSchedule | None = None,
        work: Sequence[PageWork] = (),
    ) -> None:
        self.put = self.removed = self.commits = 0
        self._upkeep = upkeep or PageRankSchedule()
        self.position = writer.position
        self._feed, self._writer, self._clock, self._work = feed, writer, clock, work
        self._policy = policy or CommitPolicy()
        self._waiting = 0  # changes that wait for a commit
        self._first = 0.0  # when the first of them was read
        self._committed: float | None = None
        self._took = 0.0
        self._is_untidy = False  # segments may be merged at the end
        self._young: deque[tuple[float, int]] = deque()  # times, each with the last number of the feed then
        self._old = 0  # the last number that is old enough

    def resume(self, position: int, put: int, removed: int) -> None:
        """Continue after a row: the rows up to it were added otherwise, and wait for a commit."""
        self.position, self.put, self.removed = position, put, removed
        self._waiting += put + removed

    def follow(self, until: StopSignal) -> None:
        """Add, remove and commit until the feed is closed and the last change committed, or until stopped."""
        while not until.stopped.is_set():
            ending = until.closed.is_set()  # read before the feed: a row stored before the end must not be missed
            rows = self._read(LAST if ending else self._old_enough())
            if self._is_due():
                self._commit()
            if not rows and ending:
                break
            if not rows and not self._worked() and not self._used_idle_time():
                until.closed.wait(FEED_POLL_SECONDS)
        ending = not until.stopped.is_set()
        if not ending and self._policy is AT_THE_END:
            return  # searches use the old index: no part of a rebuild is shown
        if self._waiting or not self.commits or self._ranks_are_due(ending=ending) or (ending and self._is_untidy):
            self._commit(ending=ending)  # without changes it costs nothing, and makes an empty index
        while not until.stopped.is_set() and self._worked():
            pass

    def _old_enough(self) -> int:
        """Return the number of the last change that is old enough to be read."""
        if self._committed is None or not self._policy.age:
            return LAST
        now, last = self._clock(), self._feed.last()
        if not self._young or self._young[-1][1] < last:
            self._young.append((now, last))
        while self._young and now - self._young[0][0] >= self._policy.age:
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
        """Merge small segments and update PageRank if no change has come for a while; return whether it did."""
        used = self._is_untidy and not self._waiting and self._clock() - (self._committed or 0.0) >= self._policy.idle
        if used:
            self._commit(ending=True)
        return used

    def _is_due(self) -> bool:
        now = self._clock()
        since_commit = None if self._committed is None else now - self._committed
        return self._policy.is_due(self._waiting, now - self._first, since_commit, self._took)

    def _ranks_are_due(self, *, ending: bool) -> bool:
        return self._upkeep.is_due(self._writer.graph, self._feed.changes_of_links(), ending=ending)

    def _commit(self, *, ending: bool = False) -> None:
        self._feed.check_place()  # the folder may have the index of another crawl by now
        began = self._clock()
        if self._ranks_are_due(ending=ending):
            ranks = self._upkeep.ranks(*self._feed.links())
            self._writer.put_ranks(with_link_texts(ranks, self._feed.link_texts()))
        self._writer.commit(self.position, ending=ending)
        self._committed = self._clock()
        self._took = self._committed - began
        self._waiting = 0
        self._is_untidy = not ending
        self.commits += 1


@dataclass(frozen=True, slots=True)
class IndexUpdate:
    """The changes of a run to the index, and the number of pages that it has now."""

    put: int = 0
    removed: int = 0
    commits: int = 0
    documents: int = 0
    complete: bool = True  # the whole feed is indexed
    fallback: str = ""  # the fault of the second process, if this one did its part too
    worked: Mapping[str, int] = field(default_factory=dict)  # pages of the work of each extension


def update(
    data_dir: Path,
    until: StopSignal,
    *,
    rebuild: bool = False,
    wait_for_lock: bool = False,
    upkeep: PageRankSchedule | None = None,
    work: Sequence[IndexWork] = (),
) -> IndexUpdate:
    """Open the crawl database and the index, and follow the feed. `work` is that of extensions.

    With `wait_for_lock`, wait for another process that writes the index: it follows the same feed, or ends soon. Wait
    for a cluster that is unavailable or full until the feed closes. An index that is ahead of the feed has seen a later
    state of the crawl. It is rebuilt, like one of an earlier version. Raises IndexLocked, and OtherCrawl for the index
    of another crawl.
    """

    def attempt() -> IndexUpdate:
        with CrawlDatabase(data_dir, readonly=True) as database:
            feed = Feed(database)
            check_same_crawl(data_dir, feed, rebuild=rebuild)
            from_scratch = rebuild or is_outdated(data_dir)
            writer = _open(data_dir, feed, until, rebuild=from_scratch, wait_for_lock=wait_for_lock)
            if writer is None:
                return IndexUpdate()
            try:
                apart = areas_apart(database)
                if writer.position > feed.last() or _mixes(writer, apart):
                    writer.close()
                    writer, from_scratch = open_writer(data_dir, rebuild=True), True
                    _mixes(writer, apart)
                writer.crawl = feed.crawl
                begun = {each.name: each.begin(data_dir) for each in work}
                policy, steps = AT_THE_END if from_scratch else None, tuple(begun.values())
                follower = FeedFollower(feed, writer, policy, upkeep=upkeep, work=steps)
                fallback = _index_all(data_dir, feed, writer, follower, until, from_scratch=from_scratch)
                if fallback is None:
                    return IndexUpdate(documents=_documents(data_dir), complete=False)
                done = (follower.put, follower.removed, follower.commits, writer.documents)
                worked = {name: each.done for name, each in begun.items()}
                return IndexUpdate(*done, follower.position >= feed.last(), fallback, worked)
            finally:
                writer.close()

    return retry_until_closed(attempt, until.closed)


def _index_all(
    data_dir: Path,
    feed: Feed,
    writer: CommittingWriter,
    follower: FeedFollower,
    until: StopSignal,
    *,
    from_scratch: bool,
) -> str | None:
    """Follow the feed. A second process may add the first pages of an index: return its fault, if any.

    Return None if a rebuild was stopped: searches use the old index.
    """
    fallback = ""
    if isinstance(writer, IndexWriter):
        is_whole = from_scratch or (until.closed.is_set() and not writer.position and not writer.documents)
        if is_whole and _needs_second_process(feed):
            last = feed.last()
            shared = put_in_parallel(data_dir, feed, writer.builder, last, until.stopped.is_set)
            if shared is None:
                return None
            follower.resume(last, shared.put, shared.removed)
            fallback = shared.fallback
        if not until.closed.is_set():
            writer.builder.share = SHARE_DURING_CRAWL
    follower.follow(until)
    return None if from_scratch and not follower.commits else fallback


def processors() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _needs_second_process(feed: Feed) -> bool:
    """Return whether a second process helps: it has enough to do, and a core."""
    return feed.rows() >= MIN_ROWS and processors() > 1


def _mixes(writer: CommittingWriter, apart: frozenset[str]) -> bool:
    """Let an index keep some areas apart; return whether it mixes them so far. No engine elsewhere can."""
    if not (apart and isinstance(writer, IndexWriter)):
        return False
    writer.builder.apart = apart
    return writer.builder.mixes


def retry_until_closed(attempt: Callable[[], Result], closed: threading.Event) -> Result:
    """Retry while a cluster is unavailable or full, until the feed is closed; log each fault once.

    The last attempt starts after that: the cluster may have come back since the one before.
    """
    logged = ""
    while True:
        is_last = closed.is_set()
        try:
            return attempt()
        except (IndexUnreachable, IndexRefuses) as fault:
            if is_last:
                raise
            if str(fault) != logged:
                logged = str(fault)
                logging.getLogger(__name__).warning("index: %s", logged)
        closed.wait(AWAY_SECONDS)


def _documents(data_dir: Path) -> int:
    try:
        return read_generation(index_folder(data_dir)).documents
    except IndexFault:
        return 0


def catch_up(data_dir: Path, *, rebuild: bool = False) -> IndexUpdate:
    """Bring the index up to date, and return. A few pages are no reason to compute PageRank again."""
    until = StopSignal()
    until.closed.set()
    return update(data_dir, until, rebuild=rebuild, upkeep=PageRankSchedule(follows=False))


def _open(
    data_dir: Path, feed: Feed, until: StopSignal, *, rebuild: bool, wait_for_lock: bool
) -> CommittingWriter | None:
    """Open the writer; None if another process has done all the work."""
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


def update_indexes(folders: Iterable[Path], *, begin: bool = False) -> tuple[str, bool]:
    """Bring the index of each folder up to date; return distinct sentences, and whether each has all changes or will.

    Searches leave out removed pages at once, as they check the crawl database. This removes their words from the disk,
    too. A missing index is only created with `begin`.
    """
    done = [_updated(folder, begin=begin) for folder in folders]
    return " ".join(dict.fromkeys(sentence for sentence, _ in done)), all(is_updated for _, is_updated in done)


def _updated(data_dir: Path, *, begin: bool) -> tuple[str, bool]:
    if not (begin or index_exists(data_dir)):
        return "There is no index yet.", True
    try:
        catch_up(data_dir)
    except IndexLocked as busy:
        by = f"Process {busy.pid}" if busy.pid else "Another process"
        return f"{by} is writing the index and includes the changes. Searches already hide removed pages.", True
    except (IndexFault, DatabaseError, OSError) as fault:
        return f"Searches already hide removed pages, but the index could not be updated: {fault}", False
    return "The index is up to date.", True
