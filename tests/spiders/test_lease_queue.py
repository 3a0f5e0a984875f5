"""Requests leave in the order of the frontier."""

from __future__ import annotations

from scrapy import Request

from spiders.site import LeaseScheduler


def test_the_first_in_is_the_first_out_and_nothing_is_lost() -> None:
    queue = LeaseScheduler()
    urls = [f"http://a.example/{number}" for number in (3, 1, 2, 1)]
    assert all(queue.enqueue_request(Request(url, priority=-place)) for place, url in enumerate(urls))
    assert queue.has_pending_requests()
    assert [queue.next_request().url for _ in urls] == urls
    assert not queue.has_pending_requests()
    assert queue.next_request() is None
