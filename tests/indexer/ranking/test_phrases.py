"""Phrases against a plain look at the words of each page, and what is left out where there is no time."""

from __future__ import annotations

import random
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import indexer
from indexer.query.deadline import Deadline
from indexer.ranking.matching import common_places
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.retrieval.searcher import Searcher

WORDS = ["the", "of", "running", "runs", "xylophone"]
_dice = random.Random(33)
TEXTS = [" ".join(_dice.choices(WORDS, (9, 9, 3, 3, 1), k=_dice.randint(1, 40))) for _ in range(40)]
PAGES = [
    Page(
        CanonicalUrl(f"http://site.test/-{place}"),
        text[:20].rpartition(" ")[0],
        text,
        language="de" if place % 3 else "en",
    )
    for place, text in enumerate(TEXTS)
]


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    data_dir: Path = tmp_path_factory.mktemp("phrases")
    for some in (PAGES[:25], PAGES[25:]):  # two segments
        with indexer.open_writer(data_dir) as writer:
            for page in some:
                writer.put(page)
    return indexer.open_index(data_dir)


def found(searcher: Searcher, query: str, **options: Any) -> set[str]:
    """The pages that answer, without those that are told to lack the phrase."""
    return {hit.url for hit in searcher.search(query, 100, **options).hits if not hit.lacks}


def with_phrase(words: list[str]) -> set[str]:
    """The pages that have the words in a row, in their text or in their title."""
    row = f" {' '.join(words)} "
    return {page.url for page in PAGES if row in f" {page.text} " or row in f" {page.title} "}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(words=st.lists(st.sampled_from(["the", "of", "xylophone"]), min_size=1, max_size=4))
def test_a_phrase_is_found_where_a_plain_look_finds_it(searcher: Searcher, words: list[str]) -> None:
    phrase = " ".join(words)
    assert found(searcher, f'"{phrase}"') == with_phrase(words)
    others = found(searcher, f'lang:en lang:de -"{phrase}"')
    assert others == {page.url for page in PAGES} - with_phrase(words)


def test_the_forms_of_a_word_stand_for_one_another_in_a_phrase(
    index: Callable[..., Searcher], page: Callable[..., Page]
) -> None:
    searcher = index(
        page("both", "bread runs and running runs bread", language="en"), page("de", "runs", language="de")
    )
    assert found(searcher, '"runs bread"') == found(searcher, '"run run bread"') == {"http://site.test/both"}


def test_a_page_that_there_was_no_time_to_look_through_is_left_out_and_that_is_told(searcher: Searcher) -> None:
    asked = '"the of" "of the"'
    whole = found(searcher, asked)
    told: set[str] = set()
    for seconds in range(12):
        deadline = Deadline(seconds, clock=count().__next__)  # a look at the clock takes a second
        some = found(searcher, asked, deadline=deadline)
        assert some <= whole, "what breaks the question is never shown"
        assert some == whole or deadline.left_out
        told.update(deadline.left_out)
    assert any("looked through for “the of”" in each for each in told)


def test_an_exclusion_that_there_was_no_time_for_shows_nothing_that_may_be_excluded(searcher: Searcher) -> None:
    results = searcher.search('xylophone -"of the"', 100, deadline=Deadline(0))
    assert results.hits == ()
    assert results.left_out == ("pages that were not looked through for “of the” yet",)
    assert "The time for one query, 0 s, was up" in results.notice


def test_words_that_there_was_no_time_for_count_in_no_score(searcher: Searcher) -> None:
    results = searcher.search("xylophone running", 100, deadline=Deadline(0))
    assert results.left_out[0] == "the word “running”"
    assert {part.term for hit in results.hits for part in hit.explain().parts} == {"xylophone"}
    assert results.hits[0].score == searcher.search("xylophone", 100).hits[0].score


def test_a_question_in_time_leaves_nothing_out(searcher: Searcher) -> None:
    results = searcher.search('"the of" running', 100)
    assert [bool(hit.snippet.spans) for hit in results.hits] == [True] * len(results.hits)
    assert (results.left_out, results.notice) == ((), "")


def test_past_the_deadline_a_page_is_shown_with_its_beginning(searcher: Searcher) -> None:
    results = searcher.search("xylophone", deadline=Deadline(0))
    assert results.hits[0].snippet.spans == ()
    assert results.hits[0].snippet.text
    assert "the best lines of some pages" in results.left_out


PLACES = st.sets(st.integers(0, 200), max_size=30)


@given(PLACES, PLACES)
def test_places_in_common_are_those_of_both_in_order(few: set[int], many: set[int]) -> None:
    found = common_places(*(np.array(sorted(places), np.int64) for places in (few, many)))
    assert found.tolist() == sorted(few & many)
