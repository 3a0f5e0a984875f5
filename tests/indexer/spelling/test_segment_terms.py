"""Corrections look words up in the dictionary, and find what a list of all words has."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indexer
from indexer.spelling.segment_terms import SegmentTerms, TermLists, spelt_words
from indexer.spelling.spellchecker import suggest_similar
from indexer.spelling.term_list import TermList
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from indexer.retrieval.searcher import Searcher

LETTERS = "abcdeinorst"


def a_word(dice: random.Random) -> str:
    return "".join(dice.choices(LETTERS, k=dice.randint(2, 9)))


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    """300 pages with names, options, accents and another script; some words are in templates only."""
    folder, dice = tmp_path_factory.mktemp("words"), random.Random(8)
    often = [a_word(dice) for _ in range(60)] + ["--amend", "select_related", "os.path.join", "déjà", "дерево", "été2"]
    with indexer.open_writer(folder) as writer:
        for number in range(300):
            text = " ".join([*dice.choices(often, k=6), a_word(dice), f"{a_word(dice)}é"])
            page = Page(CanonicalUrl(f"http://a.test/{number}"), a_word(dice), text, template_text=a_word(dice))
            writer.put(page)
    return indexer.open_index(folder)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(0, 12),
    st.sampled_from(["", "a", "é", "_", ".", "-", "zz"]),
    st.sampled_from(["", "select_realted", "--amand", "дереов", "os.path.jion", "\udcff"]),
)
def test_a_dictionary_corrects_as_a_list_of_its_words(
    searcher: Searcher, seed: int, place: int, letter: str, word: str
) -> None:
    file = searcher.snapshot.views[0].file
    typed = word or a_word(random.Random(seed))
    typed = typed[:place] + letter + typed[place:]
    looked_up, listed = SegmentTerms(file), TermList(spelt_words(file))
    assert suggest_similar(typed, [looked_up]) == suggest_similar(typed, [listed])
    assert looked_up.of_size(typed[:1], range(2, 6), 9999) == listed.of_size(typed[:1], range(2, 6), 9999)


def test_a_query_with_a_rare_word_makes_no_list_of_all_words(searcher: Searcher) -> None:
    with patch.object(TermLists, "spelling_terms", side_effect=AssertionError("it makes the lists")):
        results = searcher.search("select_realted")
    assert results.spelling is not None
    assert results.spelling.query == "select_related"
