"""Echoes: a page that only repeats addresses says nothing, and a list of other pages does."""

import pytest

from urls.canonical import canonicalize
from urls.records import CanonicalUrl, Link, Page
from urls.traps import patterns_of, trees_of
from urls.traps.novelty import marks, said


def lines_said(path: str, text: str, *links: tuple[str, str]) -> int:
    url = canonicalize(f"http://a.example{path}")
    page = Page(
        CanonicalUrl(url), "", text, links=tuple(Link(f"http://a.example{target}", name) for target, name in links)
    )
    return len(said(page, patterns_of(url)[-1]))


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
    assert marks("", "Results for jam", frozenset({"jam"})) == marks("", "Results for rye", frozenset({"rye"}))


def test_in_a_tree_the_names_of_its_pages_are_content() -> None:
    url = canonicalize("http://a.example/docs/")
    page = Page(url, "Docs", "Bread", links=(Link("http://a.example/docs/bread.html", "Bread"),))
    assert set(said(page, trees_of(url)[0])) == set(marks("", "Bread"))
