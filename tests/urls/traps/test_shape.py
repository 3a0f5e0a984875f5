"""Traps: the plain rules that end a cycle, and the innocent URLs that they leave alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urls.canonical import canonicalize
from urls.traps import Limits, pattern_of, repeated_parts, shape_refusal


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
