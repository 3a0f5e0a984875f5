"""Are small segments merged where nothing more comes: at the end of a crawl, and while a follower has no news?"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from crawldb.database import CrawlDatabase
from crawldb.pages.feed import Feed
from indexer import open_index, open_writer
from indexer.following import CommitPolicy, FeedFollower, StopSignal
from tests.commands.conftest import fill

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

IDLE = 60.0


@contextmanager
def followed(folder: Path, clock: list[float]) -> Iterator[FeedFollower]:
    """A follower that has committed each change by itself."""
    fill(folder)
    with CrawlDatabase(folder, readonly=True) as database, open_writer(folder) as writer:
        feed = Feed(database)
        follower = FeedFollower(feed, writer, CommitPolicy(idle=IDLE), lambda: clock[0])
        for number in range(1, feed.last() + 1):
            if follower._read(number):
                follower._commit()
        yield follower


def segments(folder: Path) -> int:
    return len(open_index(folder).snapshot.views)


def test_a_follower_without_news_merges_small_segments_once(tmp_path: Path) -> None:
    clock = [0.0]
    with followed(tmp_path, clock) as follower:
        before = segments(tmp_path)
        clock[0] = IDLE - 1
        assert not follower._used_idle_time()
        assert segments(tmp_path) == before > 1
        clock[0] = IDLE
        assert follower._used_idle_time()
        assert segments(tmp_path) == 1
        clock[0] = 9 * IDLE
        assert not follower._used_idle_time(), "nothing has come since"


def test_the_end_merges_small_segments_though_nothing_waits_for_a_commit(tmp_path: Path) -> None:
    with followed(tmp_path, [0.0]) as follower:
        assert segments(tmp_path) > 1
        until = StopSignal()
        until.closed.set()
        follower.follow(until)
        assert segments(tmp_path) == 1
        assert open_index(tmp_path).documents == 6
