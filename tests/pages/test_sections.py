"""Where does a page say that it can be entered? At headings and defined names, each with the id that a link needs."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from pages.html_document import read_html
from pages.links import BaseUrl
from pages.text.layout import DEFINITION, ContentSection, TextLines
from pages.text.visible_text import MAX_ID_CHARS, MAX_SECTIONS, mark_sections
from tests.cpu import least

HERE = BaseUrl("http://a.test/x")
PROSE = "<p>These words stand below a heading, and they are many enough to be a sentence of their own.</p>"


def sections_of(body: str) -> list[tuple[str, int, str]]:
    """The words, the level and the id of each section of a page."""
    lines = read_html(f"<title>T</title><body>{body}", HERE).lines
    return [(lines.lines[number], level, name) for number, level, name in lines.sections]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ('<h2 id="one">Rye</h2>', "one"),
        ('<h2><a name="two"></a>Rye</h2>', "two"),
        ('<h2><span id="three">Rye</span></h2>', "three"),
        ('<a name="four"></a><h2>Rye</h2>', "four"),
        ('<p>before</p><a id="five"></a> <h2>Rye</h2>', "five"),
        ('<p>a paragraph that nobody closed\n\n<a name="late"></a>\n<h2>Rye</h2>', "late"),
        ('<p>a <a name="early"></a>paragraph that nobody closed <h2>Rye</h2>', ""),
        ('<section id="six"><h2>Rye</h2></section>', "six"),
        ('<div id="seven"><div class="titlepage"><div><h2>Rye</h2></div></div></div>', "seven"),
        ('<section id="eight"><span id="nearer"></span><h2>Rye</h2></section>', "nearer"),
        ('<section id="far"><p>first</p><h2>Rye</h2></section>', ""),
        ('<a href="/else" id="menu">a link that shows words</a><h2>Rye</h2>', ""),
        ("<h2>Rye</h2>", ""),
        (f'<h2 id="{"x" * (MAX_ID_CHARS + 1)}">Rye</h2>', ""),
    ],
)
def test_the_id_stands_at_the_heading_inside_it_before_it_or_around_it(markup: str, expected: str) -> None:
    assert sections_of(markup + PROSE) == [("Rye", 2, expected)]


@pytest.mark.parametrize(
    ("link", "heading"),
    [
        ('<a href="#rye">¶</a>', "Rye"),
        ('<a href="#rye"> # </a>', "Rye"),
        ('<a href="#rye"><span>🔗</span></a>', "Rye"),
        ('<a href="#rye">C#</a>', "RyeC#"),
        ('<a href="other.html#rye">#</a>', "Rye#"),
        ('<a href="#rye">¶¶¶¶¶¶¶¶¶</a>', "Rye¶¶¶¶¶¶¶¶¶"),
    ],
)
def test_a_sign_that_links_to_its_own_page_is_no_text(link: str, heading: str) -> None:
    assert sections_of(f'<h2 id="rye">Rye{link}</h2>{PROSE}') == [(heading, 2, "rye")]


def test_a_name_that_is_defined_begins_a_section() -> None:
    body = f'<dl><dt id="crust">crust(hard=True)</dt><dd>{PROSE}</dd><dt>crumb</dt><dd>{PROSE}</dd></dl>'
    defined = [("crust(hard=True)", DEFINITION, "crust"), ("crumb", DEFINITION, "")]
    assert sections_of(f"<h1>Bread</h1>{body}") == [("Bread", 1, ""), *defined]


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        pytest.param("<dt>-c</dt><dt>--crumb</dt>", ["-c", "--crumb"], id="two names"),
        pytest.param(
            '<dt id="c">crust()</dt> <dt>crust(hard)</dt>', ["crust()"], id="the id of the first leads to both"
        ),
        pytest.param('<dt><a href="crust.html">Crusts</a></dt>', [], id="table of contents"),
        pytest.param('<dt>crust, <a href="crust.html">Crusts</a></dt>', [], id="index"),
        pytest.param('<dt>crust<a href="#crust">#</a></dt>', ["crust"], id="sign of a link to itself"),
        pytest.param('<dt id="c"><a href="crust.html">Crusts</a></dt>', ["Crusts"], id="a link with an id"),
    ],
)
def test_these_terms_of_a_list_begin_sections(terms: str, names: list[str]) -> None:
    assert [name for name, *_ in sections_of(f"<dl>{terms}<dd>{PROSE}</dd></dl>")] == names


def test_what_nobody_sees_begins_no_section() -> None:
    body = f'<h2 id="a" hidden>Unseen</h2><div hidden><h2 id="b">Unseen</h2></div><h2 id="c">Seen</h2>{PROSE}'
    assert sections_of(body) == [("Seen", 2, "c")]
    assert sections_of(f'<h2 id="empty"></h2>{PROSE}<h3>Seen</h3>')[-1] == ("Seen", 3, "")


def test_a_page_has_a_bounded_number_of_sections() -> None:
    assert len(sections_of('<h2 id="x">Rye</h2>' * (MAX_SECTIONS + 5))) == MAX_SECTIONS


def test_empty_terms_take_hardly_more_time_than_others() -> None:
    def seconds(term: str) -> float:
        nodes, start = LexborHTMLParser(f"<dl>{term * MAX_SECTIONS}").css("dt"), process_time()
        mark_sections(nodes, hides=False)
        return process_time() - start

    assert least(seconds, "<dt></dt>") < 25 * least(seconds, "<dt>rye</dt>")  # 100 if each looks in all before it


def test_elements_below_many_terms_are_not_read_for_each() -> None:
    def seconds(links: int) -> float:
        markup = "<dl>" + "<dt><dl>" * 400 + '<a href="#rye">rye</a>' * links
        nodes, start = LexborHTMLParser(markup).css("dt"), process_time()
        mark_sections(nodes, hides=False)
        return process_time() - start

    assert least(seconds, 20_000) < 10 * least(seconds, 100)  # 100 if each reads all below it


@pytest.mark.parametrize("before", ["<div>{}</div><section>", "<i>{}</i>", "<section><a> {}</a><section><section>"])
@pytest.mark.parametrize("piece", ["word ", " \n   "])
def test_what_is_before_many_headings_is_not_read_for_each(before: str, piece: str) -> None:
    def seconds(pieces: int) -> float:
        markup = before.format(piece * pieces) + ("<section>" + "<h2></h2>" * 10 + "</section>") * 100
        nodes, start = LexborHTMLParser(markup).css("h2"), process_time()
        mark_sections(nodes, hides=False)
        return process_time() - start

    assert least(seconds, 200_000) < 5 * least(seconds, 100)  # 60 and more if it is


def test_what_is_around_many_headings_is_not_asked_for_each_whether_it_is_hidden() -> None:
    def seconds(depth: int) -> float:
        attributes = " ".join(f"a{number}" for number in range(20))
        markup = f"<div {attributes}>" * depth + "<h2>rye</h2>" * 1000
        nodes, start = LexborHTMLParser(markup).css("h2"), process_time()
        mark_sections(nodes, hides=True)
        return process_time() - start

    assert least(seconds, 2_000) < 5 * least(seconds, 1)  # 100 and more if it is


def test_sections_of_the_content_count_its_characters_and_leave_out_templates_and_withheld_headings() -> None:
    lines = TextLines(
        ("menu", "Rye", "rye bread", "Secret", "more"), "shtht", ((3, ""),), ((0, 2, "m"), (1, 2, "r"), (3, 2, "s"))
    )
    assert lines.text == "Rye\nrye bread\nSecret\nmore"
    assert list(lines.content_sections()) == [ContentSection(0, 3, 2, "r")]
    below = TextLines(("above",), "t") + lines
    assert [(below.lines[number], name) for number, _, name in below.sections] == [
        ("menu", "m"), ("Rye", "r"), ("Secret", "s")
    ]  # fmt: skip


PIECES = st.sampled_from(
    [
        "<h1>",
        "</h1>",
        '<h2/id="a">',
        "</h2>",
        "<dl>",
        '<dt/id="b">',
        "</dt>",
        "</dl>",
        "<nav>",
        "</nav>",
        "<p>",
        "<br>",
        "<table><td>",
        "</table>",
        '<a/name="c">',
        "</a>",
        "<div/hidden>",
        "</div>",
        "<section/id=d>",
        "<pre>",
        "</pre>",
        "rye",
        "bread.",
    ]
).map(lambda piece: f"{piece} ")


@given(st.lists(PIECES, max_size=40).map("".join))
def test_whatever_the_markup_a_section_begins_with_a_line_of_the_page_and_sections_ascend(markup: str) -> None:
    lines = read_html(markup, HERE).lines
    numbers = [number for number, _, _ in lines.sections]
    assert numbers == sorted(set(numbers))
    assert not numbers or numbers[-1] < len(lines.lines)
    for start, end, level, _ in lines.content_sections():
        assert lines.text[start:end] in lines.lines
        assert level in range(1, DEFINITION + 1)
