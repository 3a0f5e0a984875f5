"""Traps by their shape: cycles, lengths, queries and dates that end, and the innocent URLs that pass."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urls.canonical import canonicalize
from urls.traps import Limits, far_date, is_dated, pattern_of, repeated_parts, shape_refusal


@pytest.mark.parametrize(
    ("path", "cycle"),
    [
        pytest.param("/subdir/subdir/subdir/x.html", ("subdir",), id="book: a symbolic link to its own folder"),
        pytest.param("/a/b/a/b/a/b/", ("a", "b"), id="book: period 2"),
        pytest.param("/x/a/b/c/d/a/b/c/d/a/b/c/d", ("a", "b", "c", "d"), id="period 4"),
        pytest.param("/a/a/b", None, id="twice is no cycle"),
        pytest.param("/a/b/a/c/a/d/a", None, id="a part that comes back without a rhythm"),
        pytest.param("/2026/01/01/", None, id="a date"),
        pytest.param("/x?/a/a/a/", None, id="a query is no path"),
    ],
)
def test_path_parts_repeated_three_times_are_a_cycle(path: str, cycle: tuple[str, ...] | None) -> None:
    assert repeated_parts(canonicalize(f"http://a.example{path}"), 3) == cycle


def test_the_number_of_repeats_is_a_setting() -> None:
    url = canonicalize("http://a.example/a/a/b")
    assert repeated_parts(url, 2) == ("a",)


def test_a_url_over_one_kilobyte_is_refused() -> None:
    url = canonicalize("http://a.example/" + "x" * 1024)
    refusal = shape_refusal(url, 0, Limits(), year=2026)
    assert refusal is not None
    assert (refusal.rule, "1041 characters" in refusal.reason) == ("url-length", True)


def test_a_url_deeper_than_the_limit_is_refused() -> None:
    url = canonicalize("http://a.example/x")
    assert shape_refusal(url, 25, Limits(), year=2026) is None
    refusal = shape_refusal(url, 26, Limits(), year=2026)
    assert refusal is not None
    assert refusal.rule == "depth"


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("/2026/07/?view=day&tz=utc", "/#/#/?tz&view"),
        ("/calendar?y=2026&m=7", "/calendar?m&y"),
        ("/2026/07/01", "/#/#/#"),
        ("/random?4711", "/random?#"),
        ("/news-17.html", None),
        ("/releaselog/3_41_0.html", None),
        ("/", None),
    ],
)
def test_a_pattern_is_what_a_counter_would_invent(url: str, pattern: str | None) -> None:
    assert pattern_of(canonicalize(f"http://a.example{url}")) == pattern


@given(st.lists(st.sampled_from("abc"), max_size=14))
def test_a_cycle_is_found_exactly_where_a_plain_search_finds_one(parts: list[str]) -> None:
    url = canonicalize("http://a.example/" + "/".join(parts))
    plain = any(
        parts[start : start + period] * 3 == parts[start : start + 3 * period]
        for period in range(1, 5)
        for start in range(len(parts) - 3 * period + 1)
    )
    assert (repeated_parts(url, 3) is not None) == plain


@pytest.mark.parametrize(
    ("path", "skipped"), [("/a.ZIP", True), ("/a.zip?x=1", True), ("/zip", False), ("/a.zip/", False)]
)
def test_a_file_whose_name_says_that_it_holds_no_text_is_skipped(path: str, skipped: bool) -> None:
    refusal = shape_refusal(
        canonicalize(f"http://a.example{path}"), 0, Limits(skipped_endings=frozenset({"zip"})), year=2026
    )
    assert (refusal is not None and refusal.rule == "type") is skipped


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


SKIPPING = Limits(skip_queries=True)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        pytest.param("http://a.example/search?q=x", "it has a query", id="33: a query"),
        pytest.param("http://a.example/?4711", "it has a query", id="a key alone"),
        pytest.param("http://a.example/cgi-bin/list", "it has /cgi-bin/ in its path", id="33: CGI"),
        pytest.param("http://a.example/old/cgi-bin/list.pl", "it has /cgi-bin/ in its path", id="a deeper one"),
    ],
)
def test_what_a_program_makes_is_left_out_where_a_person_wants_that(url: str, reason: str) -> None:
    assert shape_refusal(canonicalize(url), 0, Limits(), year=2026) is None
    refusal = shape_refusal(canonicalize(url), 0, SKIPPING, year=2026)
    assert refusal is not None
    assert refusal.rule == "dynamic"
    assert refusal.reason.startswith(reason)


@pytest.mark.parametrize("url", ["http://a.example/", "http://a.example/cgi-bin.html", "http://a.example/x.php"])
def test_other_addresses_may_be_anything(url: str) -> None:
    assert shape_refusal(canonicalize(url), 0, SKIPPING, year=2026) is None
