"""A page about many things is found by the one that is meant, and the result leads to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import indexer
from indexer.analysis.tokenizer import MAX_INDEXED_CHARS, positioned_terms, raw_tokens
from indexer.ranking.weights import Formula, weights_from
from indexer.snippets.hit_sections import MAX_SENTENCE_CHARS, MOST
from indexer.writing.documents import document_of
from indexer.writing.inversion import TokenTexts, Vocabulary, section_places
from pages.text.layout import TextLines, with_lines
from robots import PageControls
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.retrieval.results import Hit
    from indexer.retrieval.searcher import Searcher

Parts = list[tuple[str, str, str]]  # heading, id, text below


def sectioned(url: str, title: str, parts: Parts, **more: Any) -> Page:
    """A page whose sections have these headings."""
    lines = tuple(line for heading, _, text in parts for line in (heading, text))
    sections = tuple((2 * number, 2, name) for number, (_, name, _) in enumerate(parts))
    page = Page(CanonicalUrl(f"http://site.test/{url}"), title, "", **more)
    return with_lines(page, TextLines(lines, "ht" * len(parts), (), sections))


def long_page(url: str, wanted: str = "Proofing baskets") -> Page:
    others = [(f"Chapter {number}", f"c{number}", f"On flour number {number}. " * 20) for number in range(12)]
    found = (wanted, "basket", "A basket keeps the shape. It is made of cane.")
    return sectioned(url, "Handbook", [("Handbook", "top", "All about bread."), *others, found])


def first(searcher: Searcher, query: str) -> Hit:
    return searcher.search(query).hits[0]


def test_a_long_page_ranks_by_its_best_section(index: Callable[..., Any], found: Callable[..., list[str]]) -> None:
    mention = sectioned("mention", "News", [("News", "n", "We sell a proofing basket, bread and more. " * 3)])
    searcher = index(mention, long_page("book"))
    assert found(searcher, "proofing baskets")[0] == "book"
    without = searcher.ranked_by(Formula(weights_from(["section=0"])))
    assert found(without, "proofing baskets")[0] == "mention"


def test_a_result_shows_its_sections_and_its_title_leads_to_the_best(index: Callable[..., Any]) -> None:
    hit = first(index(long_page("book")), "proofing baskets")
    (section,) = hit.sections
    assert section.url == hit.leads_to == "http://site.test/book#basket"
    assert section.title.text == "Proofing baskets"
    assert [section.title.text[start:end] for start, end in section.title.spans] == ["Proofing", "baskets"]
    assert section.snippet.text == "A basket keeps the shape."  # the first sentence, whole


def test_a_page_that_answers_as_a_whole_is_entered_at_its_top(index: Callable[..., Any]) -> None:
    hit = first(index(long_page("book")), "handbook")
    assert (hit.sections, hit.leads_to) == ((), hit.url)


def test_a_section_without_an_id_is_found_by_the_words_of_its_heading(index: Callable[..., Any]) -> None:
    scales = ("Scales, & weights", "", "A scale weighs. Flour is heavy.")
    page = sectioned("p", "Tools", [("Tools", "", "Many."), scales])
    assert first(index(page), "scales").sections[0].url == "http://site.test/p#:~:text=Scales%2C%20%26%20weights"
    odd = sectioned("q", "Tools", [("Tools", "", "Many."), ("Knives", 'a b"<', "A knife cuts. It is sharp.")])
    assert first(index(odd), "knives").sections[0].url == "http://site.test/q#a%20b%22%3C"


def test_words_that_stand_earlier_on_a_page_lead_to_a_section_with_those_after_it(index: Callable[..., Any]) -> None:
    page = sectioned("p", "Tools", [("Tools", "", "Call it with --keep-k or so."), ("--keep-k", "", "Keep it, as -k.")])
    fragment = "text=%2D%2Dkeep%2Dk,-Keep%20it%2C%20as%20%2Dk."  # a "-" of the words themselves would mean what is near
    assert first(index(page), "--keep-k").sections[0].url == f"http://site.test/p#:~:{fragment}"


def test_no_more_than_three_sections_stand_under_a_result_and_none_lacks_a_word(index: Callable[..., Any]) -> None:
    doors = [(f"Oven door {number}", f"d{number}", "An oven door shuts.") for number in range(6)]
    parts = [("Ovens", "top", "All."), *doors, ("Oven", "o", "Hot.")]
    sections = first(index(sectioned("p", "Ovens", parts)), "oven door").sections
    assert len(sections) == MOST
    assert all("door" in each.title.text for each in sections)


@pytest.mark.parametrize("limit", [0, 5, 40])
def test_a_page_that_limits_its_snippets_limits_those_of_its_sections(index: Callable[..., Any], limit: int) -> None:
    text = "A sentence that is a good deal longer than forty characters. " + "x " * MAX_SENTENCE_CHARS
    parts = [("Tools", "", "Many."), ("Knives", "k", text)]
    page = sectioned("p", "Tools", parts, controls=PageControls(snippet=limit))
    assert all(len(each.snippet.text) <= limit for each in first(index(page), "knives").sections)
    assert bool(first(index(page), "knives").sections) is (limit > 0)


def test_the_parts_of_a_score_add_up_and_name_the_section(index: Callable[..., Any]) -> None:
    score = first(index(long_page("book"), long_page("other", "Ovens")), "proofing baskets").explain()
    parts = [part for part in score.parts if part.field == "section"]
    assert {part.term for part in parts} == {"proofing", "baskets"}
    assert all("section 14 of 14; weight 0.8 x (text" in str(part) for part in parts)
    assert round(sum(part.value for part in score.parts), 4) == score.total
    for part in parts:  # the numbers in the words are those that were added
        text, heading = map(float, re.findall(r"\d\.\d{3}", str(part).partition("weight")[2]))
        assert part.value == pytest.approx(0.8 * (text + heading), abs=2e-3)


def test_sections_outlive_a_merge_and_the_deletion_of_other_pages(tmp_path: Path) -> None:
    pages = [long_page(f"p{number}", f"Wanted{number}") for number in range(9)]
    for page in pages:  # each commit makes a segment, and eight of them are merged
        with indexer.open_writer(tmp_path) as writer:
            writer.put(page)
    with indexer.open_writer(tmp_path) as writer:
        for page in pages[:6]:
            writer.remove(page.url)
    with indexer.open_writer(tmp_path) as writer:
        writer.put(long_page("p8", "Instead"))
    searcher = indexer.open_index(tmp_path)
    assert [first(searcher, f"wanted{number}").leads_to for number in (6, 7)] == [
        f"http://site.test/p{number}#basket" for number in (6, 7)
    ]
    assert first(searcher, "instead").leads_to == "http://site.test/p8#basket"


WORDS = st.sampled_from(("rye", "e-mail", "os.path", "getName", "東京都", "C++", "don't", "-O2"))
PARTS = st.lists(
    st.tuples(st.lists(WORDS, min_size=1, max_size=4), st.lists(WORDS, min_size=1, max_size=30)),
    min_size=1,
    max_size=6,
)


def width(words: list[str]) -> int:
    return sum(positioned_terms(raw)[1] for raw in raw_tokens(" ".join(words)))


@given(PARTS)
def test_a_section_is_where_its_words_are_whatever_they_are_made_of(parts: list[tuple[list[str], list[str]]]) -> None:
    page = sectioned("p", "", [(" ".join(heading), "x", " ".join(text)) for heading, text in parts])
    document, texts = document_of(page), TokenTexts(Vocabulary())
    texts.add(document)
    texts.settle()
    (cuts,) = texts.sections.of_pages()
    expected, reached = [], 0
    for heading, text in parts:
        expected.append([reached, reached + width(heading)])
        reached += width(heading) + width(text)
    assert section_places(document.stored, cuts).tolist() == expected


@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_a_heading_at_the_end_of_what_is_indexed_does_no_harm(index: Callable[..., Any], beyond: int) -> None:
    heading = "Last"
    text = "x " * ((MAX_INDEXED_CHARS - len("Rye\n") - len(heading) + beyond) // 2 - 1) + "y" * (1 + beyond % 2)
    page = sectioned("p", "Long", [("Rye", "r", text.strip()), (heading, "last", "Words after it.")])
    assert first(index(page), "rye").url == page.url
