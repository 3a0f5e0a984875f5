"""Which lines of a page did its reader come for? Those that a person has marked as content, on pages of many kinds."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.html_document import read_html
from pages.links import BaseUrl
from pages.text.layout import LineKind
from pages.text.main_text import main_text
from tests.pages.labelled_pages import agreement, labelled_pages

if TYPE_CHECKING:
    from pages.text.layout import TextLines

PAGES = list(labelled_pages())
ARTICLE = (
    "<h1>Tides</h1><p>The moon pulls at the sea, and the sea follows it round the earth, twice a day and late.</p>"
)
MENU = "<ul><li><a href=/a>Home</a><li><a href=/b>Boats</a><li><a href=/c>Nets</a><li><a href=/d>Weather</a></ul>"
NOTE = "<p>We use cookies. <a href=/c>Read more</a></p><button>Accept</button>"
INDEX = "".join(f"<li><a href=/{number}>The story of the {number}th boat</a>" for number in range(40))


def read(html: str) -> TextLines:
    return read_html(html, BaseUrl.of("http://site.example/")).lines


def test_the_name_of_a_man_page_is_content_though_it_stands_in_a_header() -> None:
    name = "<h1>tide(1) Manual Page</h1><h2>NAME</h2><div><p>tide - tell the tides</p></div>"
    lines = read(f"<div id=header>{name}</div><div id=content><h2>SYNOPSIS</h2><pre>tide [-v]</pre>{ARTICLE}</div>")
    assert lines.text.startswith("tide(1) Manual Page\nNAME\ntide - tell the tides\nSYNOPSIS")


def test_the_content_of_labelled_pages_is_found() -> None:
    scores = {str(page): agreement(read(page.html.decode()).text, page.content) for page in PAGES}
    assert len(scores) >= 60
    assert fmean(scores.values()) >= 0.97
    assert {page: score for page, score in scores.items() if score < 0.85} == {}


@pytest.mark.parametrize(
    ("html", "template"),
    [
        pytest.param(f"<nav>{MENU}</nav>{ARTICLE}", "Home\nBoats\nNets\nWeather", id="an element says it"),
        pytest.param(f"<div role=navigation>{MENU}</div>{ARTICLE}", "Home\nBoats\nNets\nWeather", id="a role says it"),
        pytest.param(
            f"<main>{ARTICLE}</main><p>Harbour office, quay 4", "Harbour office, quay 4", id="outside of main"
        ),
        pytest.param(
            f"<div id=header><h1>The harbour</h1><h2>News of the sea</h2></div>{ARTICLE}",
            "The harbour\nNews of the sea",
            id="a header that has no section",
        ),
        pytest.param(f"{MENU}{ARTICLE}", "Home\nBoats\nNets\nWeather", id="links before the content"),
        pytest.param(
            f"<div>{ARTICLE}</div><div>{MENU}</div>", "Home\nBoats\nNets\nWeather", id="links after the content"
        ),
        pytest.param(
            f"<table><tr><td>{MENU}<td>{ARTICLE}</table>", "Home\nBoats\nNets\nWeather", id="a column of the layout"
        ),
        pytest.param(
            f"{ARTICLE}<p><a href=/>Home</a> | <a href=/n>Next</a>", "Home | Next", id="a row of links at the bottom"
        ),
        pytest.param(
            f"<a href=/>Home</a> &gt; <a href=/s>Sea</a> &gt; Tides{ARTICLE}", "Home > Sea > Tides", id="trail"
        ),
        pytest.param(f"{ARTICLE}<p>© 2020 Harbour office", "© 2020 Harbour office", id="the owner"),
        pytest.param(f"{ARTICLE}<div>{NOTE}</div>", "We use cookies. Read more\nAccept", id="a note on cookies"),
        pytest.param(
            f"<div class=side-bar><h3>Weather</h3><p>Fog</p></div>{ARTICLE}", "Weather\nFog", id="a suspicious class"
        ),
        pytest.param(
            "<ul><li><a href='#a'>High water</a><li><a href='#b'>Low water</a><li><a href='#c'>Slack water</a></ul>"
            + ARTICLE,
            "High water\nLow water\nSlack water",
            id="the contents of the page itself",
        ),
    ],
)
def test_what_is_around_the_content_is_template(html: str, template: str) -> None:
    found = read(f"<html><body>{html}</body></html>")
    assert (found.template_text, found.text.split("\n")[0]) == (template, "Tides")


def test_a_template_says_which_of_its_lines_are_there_for_their_links() -> None:
    languages = "<div>Available Languages: <a href=/de>de</a> | <a href=/fr>fr</a></div>"
    slogan = "<div>The harbour office tells sailors on all coasts when to sail, <a href=/since>since 1926</a></div>"
    found = read(
        f"<html><body><nav><a href=/>Home</a></nav>{ARTICLE}<footer>{languages}{slogan}</footer></body></html>"
    )
    kinds = dict(zip(found.lines, found.kinds, strict=True))
    told = [kind for line, kind in kinds.items() if line.startswith(("Home", "Available", "The harbour"))]
    assert told == [LineKind.SIGNED_LINKS, LineKind.SIGNED_LINKS, LineKind.SIGNED]


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        pytest.param(f"<nav>{MENU}</nav><h1>Boats</h1><ul>{INDEX}</ul>", "The story of the 39th boat", id="an index"),
        pytest.param(f"<ul>{INDEX}</ul>", "The story of the 39th boat", id="nothing but links"),
        pytest.param(f"<nav>{MENU}</nav>", "Weather", id="nothing but a template"),
        pytest.param(
            f"<p>Fog.</p><div class=menu><ul>{INDEX}</ul></div>",
            "The story of the 39th boat",
            id="a list that outweighs the rest",
        ),
        pytest.param(f"{ARTICLE}<h2>See also</h2>{MENU}", "Weather", id="links under a heading"),
        pytest.param(f"<article><header>{ARTICLE}</header></article>", "The moon", id="the header of an article"),
        pytest.param(f"<div class=header>{ARTICLE}</div>", "The moon", id="a suspicious class around everything"),
        pytest.param(f"<header><h1>Tides</h1></header><p>{'Fog. ' * 40}", "Tides", id="the only heading"),
        pytest.param(f"<main></main>{ARTICLE}", "The moon", id="an empty main"),
    ],
)
def test_what_a_reader_came_for_stays(html: str, kept: str) -> None:
    assert kept in read(f"<html><body>{html}</body></html>").text


@given(st.lists(st.sampled_from([*"DLTCQNEUMASdltneumas.Kk1h()[]{}", "\0", "", " word ", "a sentence " * 9])))
def test_any_marks_give_lines_of_a_kind_each(pieces: list[str]) -> None:
    found = main_text("\0".join(pieces))
    assert len(found.kinds) == len(found.lines)
    assert all(line and "\n" not in line for line in found.lines)
    assert bool(found.text) == bool(found.lines)  # a page that has words keeps some
