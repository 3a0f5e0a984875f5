"""Dates: a calendar's year 9999 is refused, and a number that is no date is not taken for one."""

import pytest

from urls.canonical import canonicalize
from urls.traps import Limits, far_date, shape_refusal
from urls.traps.shape import is_dated

NOW = 2026


@pytest.mark.parametrize(
    ("url", "year"),
    [
        pytest.param("/calendar?year=2050&month=1", 2050, id="book: an innocent calendar without an end"),
        pytest.param("/calendar?y=2050&m=1", 2050, id="hostile-server's calendar"),
        pytest.param("/events?date=2099-12-31", 2099, id="an ISO date in a query"),
        pytest.param("/events/2099-12-31/", 2099, id="an ISO date in a path"),
        pytest.param("/calendar?month=209901", 2099, id="year and month in one"),
        pytest.param("/calendar?year=1200", 1200, id="before print"),
        pytest.param("/calendar?year=2036&month=12", None, id="ten years ahead are planned"),
        pytest.param("/gazette?date=1751-04-02", None, id="an old paper"),
        pytest.param("/forum/3021/5/", None, id="a message is no month"),
        pytest.param("/map?x=17&y=9000", None, id="a place is no year"),
        pytest.param("/item?id=2099-12", None, id="a number of an item"),
        pytest.param("/calendar?month=12", None, id="a month alone"),
        pytest.param("/node/1b4e28ba-9123-1112-883f-0016d3cca427", None, id="a UUID"),
        pytest.param("/node?date=1b4e28ba-9123-1112-883f-0016d3cca427", None, id="a UUID in a query"),
        pytest.param("/part/12345-01", 12345, id="a part number that looks like one: a false loss, to be released"),
    ],
)
def test_a_year_is_far_where_it_is_surely_a_year(url: str, year: int | None) -> None:
    assert far_date(canonicalize(f"http://a.example{url}"), NOW) == year


@pytest.mark.parametrize(
    ("url", "dated"),
    [
        pytest.param("/2026/11/", True, id="a month"),
        pytest.param("/day/2026-11-21", True, id="a day"),
        pytest.param("/day/20261121", True, id="in one number"),
        pytest.param("/cal?y=2026&m=7", True, id="in a query"),
        pytest.param("/topic/2026/500", False, id="no month follows"),
        pytest.param("/topic/2026", False, id="a number alone"),
        pytest.param("/item/12026/11", False, id="the end of a longer number"),
    ],
)
def test_a_page_is_dated_where_a_month_follows_its_year(url: str, dated: bool) -> None:
    assert is_dated(canonicalize(f"http://a.example{url}")) is dated


def test_the_policy_refuses_it_unless_a_person_released_it() -> None:
    url = canonicalize("http://a.example/calendar?year=9999")
    refusal = shape_refusal(url, 0, Limits(), year=2026)
    assert refusal is not None
    assert (refusal.rule, "9999" in refusal.reason) == ("far-date", True)
    assert shape_refusal(url, 0, Limits(), year=2026, released=True) is None


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        pytest.param("&".join(f"p{number}=1" for number in range(13)), "13 parameters", id="a heap of parameters"),
        pytest.param("&".join(["tag=a"] * 6), "the parameter tag 6 times", id="one parameter over and over"),
        pytest.param("tag=a&tag=b&tag=c", "", id="three boxes ticked"),
        pytest.param("q=rye&page=2&sort=new", "", id="a search"),
    ],
)
def test_a_query_that_has_grown_by_itself_is_refused(query: str, wrong: str) -> None:
    refusal = shape_refusal(canonicalize(f"http://a.example/x?{query}"), 0, Limits(), year=2026)
    assert (refusal is not None) == bool(wrong)
    if refusal is not None:
        assert refusal.rule == "query"
        assert wrong in refusal.reason
