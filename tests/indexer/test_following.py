"""The loop that follows the feed: when it commits, what a commit says, and when it ends."""

from __future__ import annotations

import os
import shutil
import threading
from typing import TYPE_CHECKING

import pytest
import zstandard

from crawldb.database import CrawlDatabase, DatabaseError, StorageError
from crawldb.pages.feed import Feed
from frontier.takedown import forget
from indexer import IndexLocked, open_index, open_writer
from indexer.following import (
    AT_THE_END,
    FEED_BATCH,
    CommitPolicy,
    FeedFollower,
    StopSignal,
    _open,
    catch_up,
    update,
    update_indexes,
)
from tests.child import wait_until
from tests.commands.conftest import HOST, fill

if TYPE_CHECKING:
    from pathlib import Path

TICK = 0.25  # seconds that the clock of a test moves each time it is looked at


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    """The folder of a crawl of which nothing is indexed: five pages, and one that is known from links alone."""
    fill(tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def indexed(crawled: Path) -> Path:
    """The folder of a crawl that is indexed."""
    catch_up(crawled)
    return crawled


class Clock:
    """A clock that moves when it is looked at."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += TICK
        return self.now


@pytest.mark.parametrize(
    ("waiting", "since_first", "since_commit", "took", "due"),
    [
        pytest.param(0, 99.0, None, 0.0, False, id="nothing waits"),
        pytest.param(1, 1.9, None, 0.0, False, id="the first commit waits for company"),
        pytest.param(1, 2.0, None, 0.0, True, id="… for two seconds"),
        pytest.param(1999, 14.9, 14.9, 0.1, False, id="later ones are fifteen seconds apart"),
        pytest.param(1, 15.0, 15.0, 0.1, True, id="… and no more"),
        pytest.param(1, 19.0, 19.0, 2.0, False, id="a slow commit makes them rarer"),
        pytest.param(1, 20.0, 20.0, 2.0, True, id="… ten times its duration"),
        pytest.param(2000, 0.1, 0.1, 9.0, True, id="two thousand pages never wait"),
    ],
)
def test_a_commit_is_due(
    *, waiting: int, since_first: float, since_commit: float | None, took: float, due: bool
) -> None:
    assert CommitPolicy().is_due(waiting, since_first, since_commit, took) is due


def test_a_rebuild_commits_only_at_its_end() -> None:
    assert not AT_THE_END.is_due(10**9, 1e9, None, 0.0)


def test_the_whole_feed_is_in_the_index_at_the_end(crawled: Path) -> None:
    done = catch_up(crawled)
    assert (done.put, done.documents, done.complete) == (6, 6, True)
    with CrawlDatabase(crawled, readonly=True) as database:
        assert open_index(crawled).position == Feed(database).last()


def test_a_second_run_has_nothing_to_do(indexed: Path) -> None:
    generation = open_index(indexed).generation
    done = catch_up(indexed)
    assert (done.put, done.removed, done.documents) == (0, 0, 6)
    assert open_index(indexed).generation == generation


def test_what_left_the_store_leaves_the_index(indexed: Path) -> None:
    with CrawlDatabase(indexed) as database:
        forget(database, f"{HOST}/rye.html")
    done = catch_up(indexed)
    assert (done.removed, done.documents) == (1, 5)


def test_a_rebuild_reads_the_feed_from_its_beginning(indexed: Path) -> None:
    assert catch_up(indexed, rebuild=True).put == 6
    assert open_index(indexed).documents == 6


def test_a_rebuild_that_is_stopped_leaves_the_index_as_it_was(indexed: Path) -> None:
    until = StopSignal()
    until.stop()
    done = update(indexed, until, rebuild=True)
    assert (done.complete, done.commits, done.documents) == (False, 0, 6)
    assert open_index(indexed).documents == 6


def test_an_index_of_another_crawl_is_made_anew(indexed: Path) -> None:
    with open_writer(indexed) as writer:
        writer.commit(10**6)
    done = catch_up(indexed)
    assert (done.put, done.documents) == (6, 6)


def test_pages_are_found_before_the_crawl_ends(crawled: Path) -> None:
    until = StopSignal()
    thread = threading.Thread(target=update, args=(crawled, until))
    thread.start()
    try:
        while not (crawled / "index" / "current.json").exists():
            thread.join(0.05)
            assert thread.is_alive()
        assert open_index(crawled).search("rye").total == 1
    finally:
        until.closed.set()
        thread.join()


def test_stopping_commits_what_was_put(crawled: Path) -> None:
    with CrawlDatabase(crawled, readonly=True) as database, open_writer(crawled) as writer:
        until = StopSignal()
        follower = FeedFollower(Feed(database), writer, CommitPolicy(first=0.0), Clock())

        def stop_when_all_is_put() -> None:
            wait_until(lambda: follower.put == 6)
            until.stop()

        thread = threading.Thread(target=stop_when_all_is_put)
        thread.start()
        follower.follow(until)
        thread.join()
        assert follower.position == Feed(database).last()
    assert open_index(crawled).documents == 6


def test_a_change_grows_old_before_it_is_read_so_that_a_page_that_changes_again_is_written_once(crawled: Path) -> None:
    clock = Clock()
    with CrawlDatabase(crawled) as database, open_writer(crawled) as writer:
        feed = Feed(database)
        follower = FeedFollower(feed, writer, CommitPolicy(age=8 * TICK), clock)
        assert follower._read(follower._old_enough()) == feed.last(), "before the first commit nothing is old"
        follower._commit()
        put, page = follower.put, database.count("SELECT url FROM page")
        for _ in range(7):
            feed.announce([page])
            assert follower._read(follower._old_enough()) == 0
        while not follower._read(follower._old_enough()):
            assert clock.now < 1000 * TICK
        assert (follower.put, follower.position) == (put + 1, feed.last())


def test_a_feed_longer_than_a_batch_is_read_to_its_end(crawled: Path) -> None:
    with CrawlDatabase(crawled) as database:
        rows = [(f"{HOST}/{number}", number) for number in range(FEED_BATCH * 3)]
        database.connection.executemany(
            "INSERT INTO url (url, site, state, depth, found_by, found_at) VALUES (?, 1, 2, 1, 'link', ?)", rows
        )
        Feed(database).announce(number for (number,) in database.connection.execute("SELECT id FROM url"))
    done = catch_up(crawled)
    assert (done.put, done.removed) == (6, FEED_BATCH * 3 + 5)


def test_one_writer_at_a_time(indexed: Path) -> None:
    writer = open_writer(indexed)
    try:
        with pytest.raises(IndexLocked):
            catch_up(indexed)
    finally:
        writer.close()


def test_the_outcome_of_each_folder_is_told_once(indexed: Path, tmp_path: Path) -> None:
    assert update_indexes([]) == ("", True)
    assert update_indexes([tmp_path, tmp_path, indexed]) == ("There is no index yet. The index is up to date.", True)
    with open_writer(indexed):
        told, is_updated = update_indexes([indexed])
    assert (told, is_updated) == (
        f"Process {os.getpid()} is writing the index and includes the changes. Searches already hide removed pages.",
        True,
    )
    (indexed / "crawl.sqlite3").write_bytes(b"damaged" * 1000)
    told, is_updated = update_indexes([tmp_path, indexed])
    assert "but the index could not be updated: " in told
    assert not is_updated


def test_a_patient_one_lets_the_other_writer_finish(crawled: Path) -> None:
    writer = open_writer(crawled)
    threading.Timer(0.2, writer.close).start()
    until = StopSignal()
    until.closed.set()
    assert update(crawled, until, wait_for_lock=True).documents == 6


def test_a_patient_one_ends_where_the_other_writer_has_done_it_all(indexed: Path) -> None:
    writer = open_writer(indexed)
    try:
        until = StopSignal()
        until.closed.set()
        assert update(indexed, until, wait_for_lock=True).complete
    finally:
        writer.close()


@pytest.mark.parametrize("how", ["turned", "cut"])
def test_a_damaged_record_is_told_by_its_url_and_the_index_is_complete_once_it_is_forgotten(
    crawled: Path, how: str
) -> None:
    url = f"{HOST}/rye.html"
    with CrawlDatabase(crawled) as database:
        of_the_page = "FROM page WHERE url = (SELECT id FROM url WHERE url = ?)"
        content = database.value(f"SELECT content {of_the_page}", url)
        assert isinstance(content, bytes)
        assert zstandard.get_frame_parameters(content).has_checksum, "else some bits could be turned unnoticed"
        middle = len(content) // 2
        damaged = content[:middle]
        if how == "turned":
            damaged += bytes([content[middle] ^ 0x04]) + content[middle + 1 :]
        database.connection.execute(
            "UPDATE page SET content = ? WHERE url = (SELECT id FROM url WHERE url = ?)", (damaged, url)
        )
        with pytest.raises(DatabaseError, match=f"{url} is damaged .* ./breadcrumb forget {url} takes it out"):
            catch_up(crawled)
        forget(database, url)
    assert catch_up(crawled, rebuild=True).complete
    assert open_index(crawled).documents == 5


def test_nothing_of_a_database_that_was_taken_away_comes_into_the_index_of_the_next(crawled: Path) -> None:
    with CrawlDatabase(crawled, readonly=True) as database, open_writer(crawled) as writer:
        follower = FeedFollower(Feed(database), writer)
        assert follower._read() == FEED_BATCH or follower.position == Feed(database).last()
        shutil.move(crawled / "crawl.sqlite3", crawled / "before.sqlite3")
        (crawled / "crawl.sqlite3.seal").unlink()
        CrawlDatabase(crawled).close()
        for step in (follower._read, follower._commit):
            with pytest.raises(StorageError, match="was deleted, moved or replaced"):
                step()
        until = StopSignal()
        until.closed.set()
        with pytest.raises(StorageError, match="was deleted, moved or replaced"):
            _open(crawled, Feed(database), until, rebuild=False, wait_for_lock=True)
