from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.spelling.spellchecker import MAX_CHECKED, Correction, SpellingSuggestion, suggest_spellings
from indexer.spelling.term_list import TermList

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = {"bread": 40, "receive": 300, "recieve": 2, "sourdough": 12, "update": 20, "updated": 9}


def read(question: str, words: dict[str, int] = WORDS) -> list[SpellingSuggestion]:
    return list(suggest_spellings(question, lambda: [TermList(sorted(words.items()))], lambda word: words.get(word, 0)))


def test_a_word_that_no_page_has_is_changed_and_the_rest_stays_as_it_was_typed() -> None:
    changes = (Correction("soudrough", "sourdough"),)
    assert read("Rye  (soudrough) bread!") == [
        SpellingSuggestion("Rye  (sourdough) bread!", changes, applied=True),
        SpellingSuggestion("Rye  (sourdough) bread!", changes, applied=False),
    ]


def test_a_rare_word_is_only_asked_about() -> None:
    assert read("recieve") == [SpellingSuggestion("receive", (Correction("recieve", "receive"),), applied=False)]
    assert str(read("recieve")[0]) == "Did you mean receive?"


def test_what_is_changed_is_told_first() -> None:
    first, second = read("recieve soudrough")
    assert (first.query, first.applied) == ("recieve sourdough", True)
    assert (second.query, second.applied) == ("receive sourdough", False)
    assert str(first) == "No page has “soudrough”: read as “sourdough”."


@pytest.mark.parametrize(
    "question",
    ["bread", "brad123", "os.pdate", "up_date", "-updat", "site:updat", "updat:e", '"updat"', '"a updat b', "UPDAT now",
     "12345", "東京", "brd", "", " ", "http://updat", "updat/e", "a@updat", "x" * 100_000, "*", "updat*"],
)  # fmt: skip
def test_known_words_numbers_names_filters_quotes_and_acronyms_are_left_alone(question: str) -> None:
    assert read(question) == []


def test_a_question_in_capitals_is_read_like_any_other() -> None:
    assert read("SOUDROUGH BREAD")[0].query == "sourdough BREAD"


@given(st.text(max_size=60))
def test_no_question_is_an_error_and_changes_are_words_of_the_index(question: str) -> None:
    for spelling in read(question):
        assert all(change.meant in WORDS and change.typed in question for change in spelling.changes)


def test_of_a_long_question_only_some_words_are_looked_at() -> None:
    assert len(read("soudrough " * 50)[0].changes) == MAX_CHECKED


def test_where_no_word_is_rare_no_word_of_the_index_is_read() -> None:
    def never() -> Iterator[TermList]:
        raise AssertionError

    assert list(suggest_spellings("bread", never, lambda _: 9)) == []  # type: ignore[arg-type]  # it is never called
