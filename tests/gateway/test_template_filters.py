"""URLs as a person reads them, and which may be linked to; how snippets, sentences and times look on a page."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.template_filters import (
    FILTERS,
    MAX_TRAIL_CHARS,
    day,
    highlighted,
    is_linkable,
    language,
    link_to_why,
    trail,
)
from indexer.snippets.sentences import Snippet

TEMPLATES = sorted((Path(__file__).parents[2] / "gateway" / "templates").rglob("*.html"))
TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_no_half_of_a_tag_is_left_for_readers_to_see(template: Path) -> None:
    shown = TAG.sub("", template.read_text("utf-8"))
    assert not re.search(r"\{\{|\}\}|\{%|%\}|\|day\b", shown)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        pytest.param("http://a.example/", ("a.example",), id="a site is its host"),
        pytest.param("http://a.example/x/y.html", ("a.example", "x", "y.html"), id="folders follow one another"),
        pytest.param("http://a.example/?q=1", ("a.example", "?q=1"), id="a query of the root"),
        pytest.param("http://a.example/x?q=1", ("a.example", "x?q=1"), id="a query belongs to the last part"),
        pytest.param("http://a.example/br%C3%B6tchen", ("a.example", "brötchen"), id="letters are decoded"),
        pytest.param("http://a.example/%ED%98%B8%EB%B0%80", ("a.example", "호밀"), id="of any script"),
        pytest.param("http://a.example/a%2Fb%20c%25", ("a.example", "a%2Fb%20c%25"), id="ASCII escapes are data"),
        pytest.param("http://a.example/%FF%FE", ("a.example", "%FF%FE"), id="octets that are no text stay"),
        pytest.param("http://a.example/%E2%80%AEgpj", ("a.example", "%E2%80%AEgpj"), id="no turning of the direction"),
        pytest.param("http://a.example/%C2%A0x", ("a.example", "%C2%A0x"), id="no invisible blanks"),
        pytest.param("http://xn--e1awd7f.com/", ("\u0435\u0440\u0456\u0441.com",), id="url-018 a homograph, decoded"),
        pytest.param("http://xn--bcker-gra.example:81/", ("bäcker.example:81",), id="a name in its own letters"),
        pytest.param("http://xn--pypal-4ve.example/", ("xn--pypal-4ve.example",), id="not one that mixes scripts"),
        pytest.param("http://xn--0.example/", ("xn--0.example",), id="nor one that is no punycode"),
        pytest.param("http://[::1]:8080/x", ("[::1]:8080", "x"), id="an IPv6 address"),
        pytest.param("nonsense", ("nonsense",), id="what is no URL is shown as it is"),
        pytest.param("bakery.localhost:8500", ("bakery.localhost:8500",), id="nor what lacks its scheme"),
    ],
)
def test_a_url_reads_as_a_trail(url: str, shown: tuple[str, ...]) -> None:
    assert trail(url) == shown


def test_a_long_trail_loses_what_stands_before_its_end() -> None:
    host, *_, gap, last = trail("http://a.example/" + "folder/" * 50 + "page.html")
    assert (host, gap, last) == ("a.example", "…", "page.html")


@given(
    st.text() | st.text().map(lambda text: f"http://{text}") | st.text().map(lambda text: f"http://a.example/{text}")
)
def test_any_text_has_a_trail_of_bounded_length_that_prints(url: str) -> None:
    parts = trail(url)
    assert sum(map(len, parts)) <= 2 * MAX_TRAIL_CHARS
    assert is_linkable(url) is url.lower().startswith(("http://", "https://"))


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//a.example/", " http://a.example/", ""])
def test_only_http_and_https_are_linked_to(url: str) -> None:
    assert not is_linkable(url)


def test_found_words_are_marked_and_everything_is_escaped() -> None:
    assert highlighted(Snippet("<b> & rye", ((1, 2), (6, 9)))) == "&lt;<mark>b</mark>&gt; &amp; <mark>rye</mark>"


@given(st.text(), st.lists(st.integers(0, 50), max_size=8))
def test_any_snippet_shows_its_whole_text(text: str, ends: list[int]) -> None:
    places = sorted({end for end in ends if end <= len(text)})
    spans = tuple(zip(places[::2], places[1::2], strict=False))
    shown = str(highlighted(Snippet(text, spans)))
    assert html.unescape(shown.replace("<mark>", "").replace("</mark>", "")) == html.unescape(html.escape(text))
    assert shown.count("<mark>") == len(spans)


def test_urls_in_a_sentence_lead_to_their_own_accounts() -> None:
    assert link_to_why("Linked from http://a.example/x?y=1&z.") == (
        'Linked from <a href="/why?url=http%3A%2F%2Fa.example%2Fx%3Fy%3D1%26z">http://a.example/x?y=1&amp;z</a>.'
    )


@given(st.text())
def test_any_sentence_is_escaped(text: str) -> None:
    assert "<" not in link_to_why(text.replace("http", ""))


def test_times_numbers_and_languages_are_for_a_person() -> None:
    assert day(0.0) == '<time datetime="1970-01-01T00:00:00Z" title="1970-01-01 00:00 UTC">1 Jan 1970</time>'
    count = FILTERS["count"]
    assert (count(1, "page"), count(2000, "page")) == ("1 page", "2,000 pages")
    assert (language("ko"), language("tlh")) == ("Korean", "tlh")
