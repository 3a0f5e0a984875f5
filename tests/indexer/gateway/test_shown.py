"""How snippets, sentences and times look on a page."""

from __future__ import annotations

import html

from hypothesis import given
from hypothesis import strategies as st

from indexer.gateway.shown import count, day, language, marked, traced
from indexer.retrieval.snippet import Snippet


def test_found_words_are_marked_and_everything_is_escaped() -> None:
    assert marked(Snippet("<b> & rye", ((1, 2), (6, 9)))) == "&lt;<mark>b</mark>&gt; &amp; <mark>rye</mark>"


@given(st.text(), st.lists(st.integers(0, 50), max_size=8))
def test_any_snippet_shows_its_whole_text(text: str, ends: list[int]) -> None:
    places = sorted({end for end in ends if end <= len(text)})
    spans = tuple(zip(places[::2], places[1::2], strict=False))
    shown = str(marked(Snippet(text, spans)))
    assert html.unescape(shown.replace("<mark>", "").replace("</mark>", "")) == html.unescape(html.escape(text))
    assert shown.count("<mark>") == len(spans)


def test_urls_in_a_sentence_lead_to_their_own_accounts() -> None:
    assert traced("Linked from http://a.example/x?y=1&z.") == (
        'Linked from <a href="/why?url=http%3A%2F%2Fa.example%2Fx%3Fy%3D1%26z">http://a.example/x?y=1&amp;z</a>.'
    )


@given(st.text())
def test_any_sentence_is_escaped(text: str) -> None:
    assert "<" not in traced(text.replace("http", ""))


def test_times_numbers_and_languages_are_for_a_person() -> None:
    assert day(0.0) == '<time datetime="1970-01-01T00:00:00Z" title="1970-01-01 00:00 UTC">1 Jan 1970</time>'
    assert (count(1, "page"), count(2000, "page")) == ("1 page", "2,000 pages")
    assert (language("ko"), language("tlh")) == ("Korean", "tlh")
