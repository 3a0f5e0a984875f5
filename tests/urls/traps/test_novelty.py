"""Novelty: what makes a page new to its pattern, and what only repeats addresses; when a pattern is closed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urls.canonical import canonicalize
from urls.records import CanonicalUrl, Link, Page
from urls.traps import (
    MAX_LINES,
    Pattern,
    PatternKind,
    is_exhausted,
    line_marks,
    page_marks,
    patterns_of,
    trees_of,
    url_allowance,
)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("Page 1", "Page 2", id="a counter"),
        pytest.param("April 2026", "May 2027", id="a calendar"),
        pytest.param("On Monday the 3rd", "On Sunday the 21st", id="a day"),
        pytest.param("Session 0123456789abcdef", "Session fedcba9876543210", id="a token"),
        pytest.param("Item 1a2b3c4d", "Item 99ff00aa", id="a short token"),
        pytest.param("Goods\nA lamp\nA chair", "Goods\nA chair\nA lamp", id="a filter, in another order"),
        pytest.param("0.1234", "0.98765", id="a throw of the dice"),
    ],
)
def test_what_differs_in_numbers_dates_or_order_says_the_same(first: str, second: str) -> None:
    assert set(line_marks("T", first)) == set(line_marks("T", second))


def test_one_line_of_its_own_makes_a_page_new() -> None:
    assert set(line_marks("T", "Menu\nRye bread keeps for a week")) - set(line_marks("T", "Menu\nOats are for horses"))


@given(st.text(max_size=300), st.text(max_size=300))
def test_marks_are_numbers_that_fit_a_database_each_once(title: str, text: str) -> None:
    found = line_marks(title, text)
    assert len(found) == len(set(found)) <= MAX_LINES
    assert all(-(2**63) <= mark < 2**63 for mark in found)
    assert found == line_marks(title, text)


def test_a_page_that_says_something_new_widens_the_allowance() -> None:
    assert [url_allowance(200, fresh) for fresh in (0, 1, 480)] == [200, 210, 5000]


@pytest.mark.parametrize(
    ("name", "kind", "barren"),
    [
        ("/list/#", PatternKind.NUMBERED, 20),
        ("/list?*", PatternKind.PROGRAM, 30),
        ("/list/*", PatternKind.FOLDER, 40),
        pytest.param("/list/**", PatternKind.FOLDER, 20, id="a tree: only paths that grow count there"),
    ],
)
def test_a_pattern_is_closed_after_so_many_pages_in_a_row(name: str, kind: PatternKind, barren: int) -> None:
    pattern = Pattern(name, kind)
    assert is_exhausted(pattern, barren, 20)
    assert not is_exhausted(pattern, barren - 1, 20)
    assert not is_exhausted(pattern, 10**6, 0), "patience 0 is endless"


def lines_said(path: str, text: str, *links: tuple[str, str]) -> int:
    url = canonicalize(f"http://a.example{path}")
    page = Page(
        CanonicalUrl(url), "", text, links=tuple(Link(f"http://a.example{target}", name) for target, name in links)
    )
    return len(page_marks(page, patterns_of(url)[-1]))


@pytest.mark.parametrize(
    ("path", "text", "links", "lines"),
    [
        pytest.param("/search?q=jam", "Jam", [], 0, id="a search repeats what it was asked"),
        pytest.param("/search?q=jam", "Jam keeps for a year", [], 1, id="and may answer"),
        pytest.param("/search?q=rye%20jam", "Rye jam", [], 0, id="with escapes"),
        pytest.param("/o/00c0ffee", "zorpat\nmilrun", [("/o/1234abcd", "zorpat"), ("/o/99aa99aa", "Milrun")], 0,
                     id="names of its own kind, made up as links"),
        pytest.param("/list/3", "Rye bread\nOat cake", [("/rye.html", "Rye bread"), ("/oat.html", "Oat cake")], 2,
                     id="a list of pages of another kind"),
        pytest.param("/list/3", "Oat cake Rye bread", [("/rye.html", "Rye bread"), ("/oat.html", "Oat cake")], 2,
                     id="in whatever order, on one line"),
        pytest.param("/o/00c0ffee", "zorpat", [("mailto:x", "zorpat"), ("http://[", "zorpat")], 1,
                     id="links that lead nowhere"),
    ],
)  # fmt: skip
def test_what_repeats_an_address_is_no_line(path: str, text: str, links: list[tuple[str, str]], lines: int) -> None:
    assert lines_said(path, text, *links) == lines


def test_a_line_that_has_more_than_echoes_is_the_same_for_all_of_them() -> None:
    assert line_marks("", "Results for jam", frozenset({"jam"})) == line_marks(
        "", "Results for rye", frozenset({"rye"})
    )


def test_in_a_tree_the_names_of_its_pages_are_content() -> None:
    url = canonicalize("http://a.example/docs/")
    page = Page(url, "Docs", "Bread", links=(Link("http://a.example/docs/bread.html", "Bread"),))
    assert set(page_marks(page, trees_of(url)[0])) == set(line_marks("", "Bread"))
