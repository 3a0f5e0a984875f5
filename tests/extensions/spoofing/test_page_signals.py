"""Which pages spoof by themselves? Stuffed ones, those that hide words, those that promise what they lack."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.spoofing.page_signals import SpoofThresholds, with_spoofing_signals
from urls.records import CanonicalUrl, Link, Page
from urls.signals import Disguise

ARTICLE = (
    "A sextant measures the angle between two things that can be seen, above all between the sun and the line where "
    "the sea ends. With that angle, a clock and a book of tables a sailor knows how far north or south the ship is. "
    "The instrument is a sixth of a circle, which gave it its name. A small telescope looks at a mirror of which only "
    "half is silvered. One turns the arm until the sun seems to sit upon the sea, and reads the angle from the scale. "
)
SPUN = "Our sextant is the best sextant. Buy a sextant, cheap sextant, sextant sale, brass sextant, sextant shop. "
PROMISE = {"title": "Sextant mirrors, telescopes and scales", "description": "Antique brass frames restored here."}


def judged(text: str, title: str = "The sextant", **fields: Any) -> dict[str, float]:
    fields = {"language": "en"} | fields
    page = Page(CanonicalUrl("http://a.example/page.html"), title, text, **fields)
    return {each.name.value: each.value for each in with_spoofing_signals(page, SpoofThresholds()).signals}


@pytest.mark.parametrize(
    ("text", "title"),
    [
        pytest.param("sextant " * 100, "The sextant", id="one word"),
        pytest.param(SPUN * 3, "The sextant", id="phrases around a word"),
        pytest.param("Buy a sextant\n" * 20, "The sextant", id="the same line again and again"),
        pytest.param(ARTICLE + "Sextant, sextant! sextant. " * 20, "The sextant", id="a row of it below an article"),
        pytest.param("sextant " * 100, "Welcome", id="a word that the page does not call itself by"),
        pytest.param("六分儀" * 30, "六分儀", id="a script without blanks"),
        pytest.param(ARTICLE, "Sextant sextant sextant shop", id="a stuffed title"),
    ],
)
def test_a_stuffed_page_is_found(text: str, title: str) -> None:
    language = "ja" if "六" in text else "en"
    assert judged(text, title, language=language)["stuffing"] >= 0.7


def test_a_stuffed_description_is_found() -> None:
    said = "Sextant, cheap sextant, best sextant, sextant sale, sextant shop."
    assert judged(ARTICLE, description=said)["stuffing"] >= 0.7


def test_so_is_what_stands_for_a_picture_and_many_pictures_of_one_thing_are_not() -> None:
    said = "sextant brass sextant buy sextant cheap sextant shop"
    assert judged(ARTICLE, pictures=("A mirror", said))["stuffing"] >= 0.7
    assert judged(ARTICLE, pictures=tuple(f"A sextant of {year}" for year in range(1750, 1800))) == {}


@pytest.mark.parametrize(
    ("text", "title"),
    [
        pytest.param(ARTICLE, "The sextant", id="an article"),
        pytest.param("\n".join(f"Sextant part {word} is in drawer {at}" for at, word in enumerate(ARTICLE.split())),
                     "Parts of a sextant", id="a list that begins each line with the word"),
        pytest.param("\n".join(f"{word}: what a sextant has" for word in ARTICLE.split()), "Glossary", id="a glossary"),
        pytest.param("sqlite3_bind_int sqlite3_step sqlite3_open " * 9, "sqlite3", id="names with a part"),
        pytest.param("int char const int char const " * 20 + ARTICLE * 2, "The C language", id="code"),
        pytest.param("yes no yes no\n" * 40, "Support by browser", id="a table of yes and no"),
        pytest.param("The the the the the the the the the the the the the the the the", "The The", id="stop words"),
        pytest.param("1 2 3 1 2 3 " * 40, "1", id="numbers"),
        pytest.param("", "The sextant", id="no text"),
    ],
)  # fmt: skip
def test_an_honest_page_that_repeats_a_word_is_not(text: str, title: str) -> None:
    assert judged(text, title) == {}


def test_a_word_may_be_a_larger_share_by_setting() -> None:
    page = Page(CanonicalUrl("http://a.example/"), "Sextant", SPUN * 3, language="en")
    assert with_spoofing_signals(page, SpoofThresholds(stuffed_share=0.9)).signals == ()


@pytest.mark.parametrize(("words", "found"), [(19, False), (20, True), (200, True)])
def test_hidden_words_are_a_sign_from_the_setting_on(words: int, *, found: bool) -> None:
    assert ("hidden-text" in judged(ARTICLE, disguise=Disguise(words, "noscript", "x"))) is found


def test_the_evidence_says_how_many_words_and_how() -> None:
    page = Page(
        CanonicalUrl("http://a.example/"), "Bread", ARTICLE, disguise=Disguise(72, "tiny letters", "buy a sextant")
    )
    [found] = with_spoofing_signals(page, SpoofThresholds()).signals
    assert str(found) == "hidden-text 1.00: 72 words hidden by tiny letters, such as “buy a sextant”"


def test_a_script_that_leads_readers_away_is_cloaking_where_there_is_a_text() -> None:
    away = Disguise(leads_to="/shop")
    assert judged(ARTICLE, disguise=away) == {"cloaking": 1.0}
    assert judged("You are led on.", disguise=away) == {}, "a stub"
    assert judged(ARTICLE, disguise=Disguise(leads_to="page.html#top")) == {}, "it leads to itself"


LOTTERY = "Win a goose! Every ticket has a number, and the drum is turned on Saturday by a child with clean hands. " * 4


def test_a_title_and_a_description_of_which_the_text_has_no_word_are_cloaking() -> None:
    assert judged(LOTTERY, **PROMISE) == {"cloaking": 1.0}


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        pytest.param(LOTTERY + "Telescopes are prizes.", PROMISE, id="one word of it is there"),
        pytest.param(LOTTERY + "The scale says so.", PROMISE, id="in another form"),
        pytest.param("Win a goose!", PROMISE, id="a text too short to say"),
        pytest.param(LOTTERY, {"title": "Untitled document"}, id="a title that says little"),
        pytest.param("Выиграйте гуся! Каждый билет имеет номер. " * 10, PROMISE, id="a title in another script"),
    ],
)
def test_a_page_that_keeps_a_little_of_its_promise_is_not(text: str, fields: dict[str, str]) -> None:
    assert judged(text, **fields) == {}


def residue(text: str, title: str) -> int:
    page = Page(CanonicalUrl("http://a.example/x.html"), title, text)
    return with_spoofing_signals(page, SpoofThresholds()).residue


DOOR = "Are you in {0} and need a sextant? People in {0}, and around {0}, trust us with their voyage; {0}'s best shop."


def test_pages_that_differ_in_their_name_alone_share_a_residue() -> None:
    first, second = (residue(DOOR.format(town), f"Sextant in {town}") for town in ("Elmhaven", "Foxbridge"))
    assert first == second != 0
    assert residue(DOOR.format("Elmhaven") + " Ring twice.", "Sextant in Elmhaven") != first
    assert residue("Sextant in Elmhaven", "Sextant in Elmhaven") == 0, "nothing beside its name"


def test_lines_that_the_site_repeats_belong_to_the_residue_of_a_doorway() -> None:
    alone = Page(CanonicalUrl("http://a.example/x.html"), "Sextant in Elmhaven", DOOR.format("Elmhaven"), layout="t")
    site = replace(alone, text="", template_text=alone.text, layout="r")
    assert (
        with_spoofing_signals(site, SpoofThresholds()).residue
        == with_spoofing_signals(alone, SpoofThresholds()).residue
        != 0
    )


def test_the_one_other_host_to_which_a_page_links_is_noted() -> None:
    page = Page(CanonicalUrl("http://a.example/x.html"), "Sextant in Elmhaven", DOOR.format("Elmhaven"))
    shop, other = Link("http://shop.example/1"), Link("http://other.example/")
    leads = [replace(page, links=links) for links in ((shop, Link("http://a.example/")), (shop, other), ())]
    assert [with_spoofing_signals(each, SpoofThresholds()).lead for each in leads] == ["shop.example", "", ""]


@given(st.text(), st.text(), st.text(), st.sampled_from(["", "en", "ja", "x"]))
def test_any_page_can_be_judged(text: str, title: str, description: str, language: str) -> None:
    assert all(0 < value <= 1 for value in judged(text, title, description=description, language=language).values())
