from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import open_index, open_writer
from indexer.spelling.spellchecker import MAX_CHECKED, Correction, SpellingSuggestion, suggest_spellings
from indexer.spelling.term_list import TermList
from indexer.spelling.usage import WordUsage
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    class Read(Protocol):
        """Reads a query with some words of an index, and their pages."""

        def __call__(self, question: str, words: dict[str, int] = ..., /) -> list[SpellingSuggestion]: ...


WORDS = {"bread": 40, "receive": 300, "recieve": 2, "sourdough": 12, "update": 20, "updated": 9}
NAMES = {
    "select_related": 9,
    "--amend": 8,
    "receive.denycurrentbranch": 5,
    "git": 90,
    "log": 70,
    "lug": 80,
    "commit": 60,
}
PAGES = (
    ("Bread", "Sourdough bread. We receive an update, and we updated it. They recieve it."),
    ("git log", "Use git log. Call git commit --amend, set receive.denyCurrentBranch. The lug. Call select_related."),
    ("git log and git log", "The cherry-pick is a pick."),
)


@pytest.fixture(scope="module")
def usage(tmp_path_factory: pytest.TempPathFactory) -> WordUsage:
    folder = tmp_path_factory.mktemp("words")
    with open_writer(folder) as writer:
        for number, (title, text) in enumerate(PAGES):
            writer.put(Page(CanonicalUrl(f"http://site.test/{number}"), title, text))
    searcher = open_index(folder)
    return WordUsage(lambda _words: searcher.snapshot.views, searcher.corpus.is_withheld)


@pytest.fixture(scope="module")
def read(usage: WordUsage) -> Read:
    def suggestions(question: str, words: dict[str, int] = WORDS) -> list[SpellingSuggestion]:
        lists = [TermList(sorted(words.items()))]
        return list(suggest_spellings(question, lambda: lists, lambda word: words.get(word, 0), lambda: usage))

    return suggestions


def test_a_word_that_no_page_has_is_changed_and_the_rest_stays_as_it_was_typed(read: Read) -> None:
    changes = (Correction("soudrough", "sourdough"),)
    assert read("Rye  (soudrough) bread!") == [
        SpellingSuggestion("Rye  (sourdough) bread!", changes, applied=True),
        SpellingSuggestion("Rye  (sourdough) bread!", changes, applied=False),
    ]


def test_a_rare_word_is_only_asked_about(read: Read) -> None:
    assert read("recieve") == [SpellingSuggestion("receive", (Correction("recieve", "receive"),), applied=False)]
    assert str(read("recieve")[0]) == "Did you mean receive?"


def test_what_is_changed_is_told_first(read: Read) -> None:
    first, second = read("recieve soudrough")
    assert (first.query, first.applied) == ("recieve sourdough", True)
    assert (second.query, second.applied) == ("receive sourdough", False)
    assert str(first) == "No page has “soudrough”: read as “sourdough”."


@pytest.mark.parametrize(
    "question",
    ["bread", "brad123", "os.pdate", "up__daet", "-updat", "site:updat", "updat:e", '"updat"', '"a updat b',
     "UPDAT now", "12345", "東京", "brd", "", " ", "http://updat", "updat/e", "a@updat", "x" * 100_000, "*", "updat*"],
)  # fmt: skip
def test_known_words_numbers_names_filters_quotes_and_acronyms_are_left_alone(read: Read, question: str) -> None:
    assert read(question) == []


def test_a_question_in_capitals_is_read_like_any_other(read: Read) -> None:
    assert read("SOUDROUGH BREAD")[0].query == "sourdough BREAD"


@given(st.text(max_size=60))
def test_no_question_is_an_error_and_changes_are_words_of_the_index(read: Read, question: str) -> None:
    for spelling in read(question):
        assert all(change.meant in WORDS and change.typed in question for change in spelling.changes)


def test_of_a_long_question_only_some_words_are_looked_at(read: Read) -> None:
    assert len(read("soudrough " * 50)[0].changes) == MAX_CHECKED


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        pytest.param("select_realted", "select_related", id="a name"),
        pytest.param("call (selct_related)", "call (select_related)", id="a name in brackets"),
        pytest.param("select_realted()", "select_related()", id="a function"),
        pytest.param("git comit --ammend", "git commit --amend", id="a word and an option"),
        pytest.param("recieve.denyCurrentBranch", "receive.denyCurrentBranch", id="spelt as on the page"),
        pytest.param("RECIEVE.denycurrentbranch", "receive.denyCurrentBranch", id="not as it was typed"),
        pytest.param("cherry-comit", "cherry-commit", id="a part of a hyphenated word"),
        pytest.param("git lgo", "git log", id="a short word next to another"),
        pytest.param("gti log", "git log", id="a short word before another"),
        pytest.param("git lpg", "git log", id="often together, not on most pages"),
    ],
)
def test_names_and_short_words_are_read_as_pages_have_them(read: Read, question: str, meant: str) -> None:
    assert read(question, WORDS | NAMES)[0].query == meant


@pytest.mark.parametrize(
    "question", ["lgo", "the lgo", "git lg", "--", "select_related2", "-amedn", "git log", "Log git"]
)
def test_what_no_neighbour_decides_stays(read: Read, question: str) -> None:
    assert read(question, WORDS | NAMES | {"the": 99}) == []


def test_a_word_is_not_doubted_for_one_with_another_first_letter_or_if_it_is_a_name(read: Read) -> None:
    assert read("pupdate", {"update": 90, "pupdate": 1}) == []
    assert read("select_relatd", {"select_related": 90, "select_relatd": 1}) == []


def test_a_word_that_no_page_may_show_is_not_suggested(read: Read) -> None:
    assert read("secrte", {"secret": 9}) == []


def test_where_no_word_is_rare_no_word_of_the_index_is_read() -> None:
    def never() -> Iterator[TermList]:
        raise AssertionError

    assert list(suggest_spellings("bread", never, lambda _: 9, never)) == []  # type: ignore[arg-type]  # never called
