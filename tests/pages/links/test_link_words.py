"""A link named "here" gets the words around it; one that names its target stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages import FetchedBody, parse_page
from pages.html_document import MAX_SIDE_CHARS, MAX_SILENT_LINKS, is_generic
from urls.records import CanonicalUrl, Link


def links(markup: str) -> tuple[Link, ...]:
    return parse_page(
        FetchedBody(markup.encode(), CanonicalUrl("http://a.example/"), [("content-type", "text/html")])
    ).links


@pytest.mark.parametrize(
    ("markup", "around"),
    [
        pytest.param(
            "<p>The oven's manual is <a href=/x>here</a> as a PDF.", "The oven's manual is here as a PDF.", id="here"
        ),
        pytest.param(
            "<p>The manual: <b><i><a href=/x>more\u2026</a></i></b> for bakers",
            "The manual: more\u2026 for bakers",
            id="in bold",
        ),
        pytest.param(
            "<p>Manual <a href=/x><img src=i></a> of the oven", "Manual of the oven", id="a picture without words"
        ),
        pytest.param(
            "<div>Other<div>x</div>Manual: <a href=/x>hier</a></div>", "Manual: hier", id="nor than one before it"
        ),
        pytest.param("<p>Other<p>Manual: <a href=/x>hier</a><p>Next", "Manual: hier", id="no further than its block"),
        pytest.param(
            "<table><tr><td>Bread<td>Manual <a href=/x>here</a><td>Oven", "Manual here", id="nor than its cell"
        ),
        pytest.param(
            "<p>Manual <a href=/x>here</a>, oven <a href=/y>door</a>", "Manual here , oven", id="nor than the next link"
        ),
        pytest.param("<table><tr><td>Bread<td><a href=/x>here</a><td>Oven", "", id="nothing in its cell"),
        pytest.param("<ul><li><a href=/x>more</a></ul>", "", id="nothing around it"),
        pytest.param("<p>See the <a href=/x>manual</a> now", "", id="words of its own"),
    ],
)
def test_what_stands_around_a_silent_link_is_kept(markup: str, around: str) -> None:
    link = links(markup)[0]
    assert link.around == around
    assert link.words == (around or link.text)


def test_it_is_short_and_ends_at_a_blank() -> None:
    (link,) = links("<p>" + "before " * 100 + "<a href=/x>here</a>" + " after" * 100)
    assert len(link.around) <= 2 * MAX_SIDE_CHARS + len(" here ")
    assert set(link.around.split()) == {"before", "here", "after"}


def test_only_the_first_silent_links_are_looked_at() -> None:
    found = links("".join(f"<p>Page {number} is <a href=/{number}>here</a>" for number in range(3 * MAX_SILENT_LINKS)))
    assert sum(bool(link.around) for link in found) == MAX_SILENT_LINKS


@pytest.mark.parametrize(
    "text", ["here", "Click here!", "\u00bb mehr", "[PDF]", "\u3053\u3061\u3089", "\u0437\u0434\u0435\u0441\u044c", ""]
)
def test_words_that_say_nothing_are_known(text: str) -> None:
    assert is_generic(text)


@given(
    st.lists(
        st.sampled_from(["<p>", "<b>", "</b>", "word ", "<a href=/x>here</a>", "<a href=/x>", "</a>", "<br>", "<td>"]),
        max_size=40,
    )
)
def test_no_markup_is_too_odd(pieces: list[str]) -> None:
    assert all("\0" not in link.around for link in links("".join(pieces)))
