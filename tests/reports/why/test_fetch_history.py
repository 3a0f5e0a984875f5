"""The response at each visit, compared with the visit before."""

from __future__ import annotations

import pytest

from crawldb.figures.one_url import Fetch
from reports.why.facts import fetch_history
from urls.rules import Rule

FIRST = Fetch(1.0, 200, Rule.FETCHED, 0.1, 1000)


@pytest.mark.parametrize(
    ("later", "change"),
    [
        pytest.param(Fetch(2.0, 200, Rule.FETCHED, 0.1, 1000), "as many bytes as last time", id="same"),
        pytest.param(Fetch(2.0, 200, Rule.FETCHED, 0.1, 1001), "1 byte more than last time", id="more"),
        pytest.param(Fetch(2.0, 200, Rule.FETCHED, 0.1, 400), "600 bytes fewer than last time", id="fewer"),
        pytest.param(Fetch(2.0, 304, Rule.NOT_MODIFIED, 0.1, 0), "nothing: the server says it is unchanged",
                     id="not modified"),
        pytest.param(Fetch(2.0, 404, Rule.GONE, 0.1, 9), "200 before, 404 now", id="gone"),
        pytest.param(Fetch(2.0, None, Rule.DNS, 0.1, 0), "200 before, no answer now", id="no answer"),
        pytest.param(Fetch(2.0, 200, Rule.PROBE, 0.1, 1002), "a second fetch, to find text that changes by itself: "
                     "2 bytes more than last time", id="probe"),
        pytest.param(Fetch(2.0, 200, Rule.SIZE, 0.1, 9), "fetched before, size now", id="another rule"),
    ],
)  # fmt: skip
def test_each_visit_says_what_is_new(later: Fetch, change: str) -> None:
    first, second = fetch_history((later, FIRST))
    assert (first.at, first.change) == (1.0, "the first known request")
    assert (second.status, second.change) == (later.status, change)


def test_bytes_are_compared_with_the_last_body_that_came() -> None:
    later = (Fetch(2.0, 304, Rule.NOT_MODIFIED, 0.1, 0), Fetch(3.0, 200, Rule.FETCHED, 0.1, 1500))
    *_, last = fetch_history((*reversed(later), FIRST))
    assert last.change == "500 bytes more than last time"


def test_the_same_trouble_again_is_told_as_such() -> None:
    again = (Fetch(2.0, 503, Rule.STATUS, 0.1, 0), Fetch(1.0, 503, Rule.STATUS, 0.1, 0))
    assert fetch_history(again)[-1].change == "again: status"


def test_where_older_requests_are_left_out_the_oldest_is_not_called_the_first() -> None:
    [only] = fetch_history((FIRST,), cut=True)
    assert only.change == "older requests are not shown"
