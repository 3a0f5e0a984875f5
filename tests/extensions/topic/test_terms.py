"""Which terms does a text hold, and where? Word forms, runs without blanks, names in URLs, and neighbours."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.topic.description import read_topic
from extensions.topic.terms import AROUND_CHARS, TermFinder
from tests.samples import a_page


def words_in(topic: str, text: str, language: str = "en") -> list[str]:
    reader = TermFinder(read_topic(topic))
    found = reader.terms_in(text, language)
    return [term.word for number, term in enumerate(reader.topic.terms) if found >> number & 1]


@pytest.mark.parametrize(
    ("topic", "text", "language", "found"),
    [
        pytest.param("searching texts", "Search a text", "en", ["searching", "texts"], id="the same stem"),
        pytest.param("Häuser", "ein Haus am See", "de", ["häuser"], id="the stem of the page's language"),
        pytest.param("cafe", "Un café", "fr", ["cafe"], id="without accents"),
        pytest.param("検索", "この全文検索エンジン", "ja", ["検索"], id="a pair in a run"),
        pytest.param("join", "call os.path.join()", "en", ["join"], id="a part of a name"),
        pytest.param("element tree", "ElementTree", "en", ["element", "tree"], id="the humps of a name"),
        pytest.param("art", "party", "en", [], id="no part of a word"),
    ],
)
def test_words_match_as_in_the_index(topic: str, text: str, language: str, found: list[str]) -> None:
    assert words_in(topic, text, language) == found


def test_the_words_of_an_address_count_and_not_its_host() -> None:
    reader = TermFinder(read_topic("rye bread oven recipe"))
    found = reader.terms_of_url("http://oven.example/rye_loaves/Sour%20Bread.html?kind=recipe")
    assert [term.word for number, term in enumerate(reader.topic.terms) if found >> number & 1] == [
        "rye",
        "bread",
        "recipe",
    ]


def test_what_a_page_says_counts_its_title_more_and_its_length_less() -> None:
    reader = TermFinder(read_topic("rye"))
    once, titled, long = (
        reader.frequencies(a_page("http://a.example/", text, language="en"))
        for text in ("Rye is a grass.", "Rye is a grass. " * 2, "Rye is a grass. " + "Water is wet. " * 1000)
    )
    assert long < once < titled
    page = a_page("http://a.example/", "It is a grass.", language="en")
    assert reader.frequencies(page) == b"\0"
    assert reader.frequencies(replace(page, title="Rye")) > once


def test_the_words_around_a_link_are_those_beside_its_own() -> None:
    reader = TermFinder(read_topic("rye oven"))
    text = "Our rye loaf is here. " + "Nothing else is said. " * 20 + "The oven rests."
    page = a_page("http://a.example/", text, language="en")
    assert reader.links(page, ["loaf", "rests", "not in the text", ""]) == [(0, 0b1), (0, 0b10), (0, 0), (0, 0)]
    near = "oven" + " x" * (AROUND_CHARS // 2 - 3) + " loaf"
    far = "oven" + " x" * AROUND_CHARS + " loaf"
    for told, around in ((near, 0b10), (far, 0)):
        assert reader.links(a_page("http://a.example/", told, language="en"), ["loaf"]) == [(0, around)]


@given(st.text(), st.text(), st.sampled_from(["", "en", "ja", "th", "xx"]))
def test_any_text_has_terms_or_none(text: str, link: str, language: str) -> None:
    reader = TermFinder(read_topic("rye 全文検索 straße"))
    page = a_page("http://a.example/", text, language=language)
    every = (1 << len(reader.topic.terms)) - 1
    assert all(terms | every == every for pair in reader.links(page, [link, text]) for terms in pair)
    assert len(reader.frequencies(page)) == len(reader.topic.terms)
    assert reader.terms_of_url(f"http://a.example/{text}") | every == every
