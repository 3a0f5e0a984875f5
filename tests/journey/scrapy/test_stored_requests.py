"""Which requests are queued, leased and done, whatever happens to the process?"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from breadcrumb.scrapy.stored_requests import FILE, Leased, StoredRequests, UnusableFolder

if TYPE_CHECKING:
    from pathlib import Path


def kill(requests: StoredRequests) -> None:
    """End as a killed process: what is not committed is gone."""
    requests.close()


def test_what_was_leased_when_a_process_was_killed_is_queued_again(tmp_path: Path) -> None:
    first = StoredRequests(tmp_path)
    assert not first.is_continued
    for name in (b"a", b"b", b"c"):
        first.add(name, "host", 0, name)
    assert first.lease("host") == Leased(1, b"a")
    first.end([1])
    assert first.lease("host") == Leased(2, b"b")
    first.commit()
    kill(first)
    second = StoredRequests(tmp_path)
    assert (second.is_continued, second.sites(), second.last_earlier) == (True, {"host": 2}, 3)
    assert [second.row_of(name) for name in (b"a", b"b", b"c", b"d")] == [1, 2, 3, None], "none is new again"
    assert second.lease("host") == Leased(2, b"b")
    second.close()


def test_the_end_of_a_request_and_those_it_led_to_are_kept_together_or_not_at_all(tmp_path: Path) -> None:
    first = StoredRequests(tmp_path)
    first.add(b"a", "host", 0, b"a")
    first.lease("host")
    first.commit()
    first.add(b"b", "host", 0, b"b")
    first.end([1])
    kill(first)
    second = StoredRequests(tmp_path)
    assert (second.sites(), second.row_of(b"b")) == ({"host": 1}, None)
    second.close()


def test_after_a_crawl_that_has_ended_nothing_is_known(tmp_path: Path) -> None:
    with closing(StoredRequests(tmp_path)) as first:
        first.add(b"a", "host", 0, b"a")
        first.lease("host")
        first.end([1])
        first.commit()
    with closing(StoredRequests(tmp_path)) as second:
        assert (second.is_continued, second.row_of(b"a")) == (False, None)


def test_the_highest_priority_of_a_site_is_next_then_the_earliest(tmp_path: Path) -> None:
    with closing(StoredRequests(tmp_path)) as requests:
        for site, priority, name in (("a", 0, b"1"), ("b", 9, b"2"), ("a", 5, b"3"), ("a", 5, b"4"), ("a", -1, b"5")):
            requests.add(name, site, priority, name)
        order = [requests.lease("a") for _ in range(5)]
    assert [leased and leased.content for leased in order] == [b"3", b"4", b"1", b"5", None]


def test_a_request_of_the_memory_is_new_again_after_its_process(tmp_path: Path) -> None:
    with closing(StoredRequests(tmp_path)) as first:
        first.add(b"a", "host", 0, None)
        first.add(b"b", "host", 0, b"b")
        first.commit()
    with closing(StoredRequests(tmp_path)) as second:
        assert (second.sites(), second.row_of(b"a")) == ({"host": 1}, None)


def test_a_file_of_another_version_is_left_as_it_is(tmp_path: Path) -> None:
    StoredRequests(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(UnusableFolder, match="is of another version of Breadcrumb: give another folder as DATA_DIR"):
        StoredRequests(tmp_path)
