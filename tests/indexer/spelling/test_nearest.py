from __future__ import annotations

import random
import string
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from indexer.analysis.words import alphabet_of, script_of
from indexer.spelling.spellchecker import can_be_misspelt, edits1, normal, suggest_similar
from indexer.spelling.term_list import TermList

WORDS = {
    "dictionary": 90, "datetime": 40, "receive": 30, "received": 20, "select": 200, "selects": 3, "accommodate": 4,
    "книга": 12, "книги": 9, "bäckerei": 7, "ελληνικά": 2,
}  # fmt: skip
KNOWN = TermList(sorted(WORDS.items()))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        pytest.param("dictionry", "dictionary", id="a letter is missing"),
        pytest.param("datatime", "datetime", id="another letter"),
        pytest.param("recieve", "receive", id="two letters have changed places"),
        pytest.param("sellect", "select", id="a letter twice"),
        pytest.param("elect", "select", id="the first letter is missing"),
        pytest.param("selectss", "selects", id="the nearest, not the commonest"),
        pytest.param("acomodate", "accommodate", id="two slips in a long word"),
        pytest.param("кнгиа", "книга", id="Russian"),
        pytest.param("bäkerei", "bäckerei", id="German"),
        pytest.param("ελληνκά", "ελληνικά", id="Greek"),
    ],
)
def test_a_misspelt_word_leads_to_the_one_that_was_meant(typed: str, meant: str) -> None:
    assert suggest_similar(typed, [KNOWN])[0][1:] == (meant, WORDS[meant])


def test_a_word_on_one_page_alone_may_be_a_slip_itself() -> None:
    # One letter left out is a likelier slip than one wrong letter: both are one slip away.
    assert suggest_similar("delad", [TermList([("dedlad", 1), ("delay", 69)])])[0].word == "delay"
    assert suggest_similar("delad", [TermList([("dedlad", 2), ("delay", 69)])])[0].word == "dedlad"


def test_what_is_far_from_every_word_leads_nowhere() -> None:
    assert suggest_similar("helicopter", [KNOWN]) == []
    assert suggest_similar("helicopter", []) == []


def test_pages_of_several_segments_are_added_up() -> None:
    other = TermList([("deceive", 500), ("receive", 1)])
    assert {one.word: one.pages for one in suggest_similar("recieve", [KNOWN, other])}["receive"] == WORDS[
        "receive"
    ] + 1


@pytest.mark.parametrize("word", ["東京", "日本語の", "a1b2", "12345", "1.2.3", "-fc", "--", "a", "x" * 41, ""])
def test_numbers_letters_and_scripts_without_blanks_are_never_misspelt(word: str) -> None:
    assert not can_be_misspelt(word)


@pytest.mark.parametrize("word", ["os.path", "foreign_keys", "--with-ssl", "sqlite3_prepare_v2", "log", "abc"])
def test_words_names_and_options_can_be_misspelt(word: str) -> None:
    assert can_be_misspelt(word)


COUNTS = {"select_related": 9, "os.path.join": 30, "--amend": 8, "utf8_bin": 4, "utf16_bin": 90, "related": 200}
NAMES = TermList(sorted(COUNTS.items()))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("select_realted", "select_related"), ("selectrelated", "select_related"), ("select.related", "select_related"),
     ("os.path.jion", "os.path.join"), ("--ammend", "--amend"), ("utf8_bn", "utf8_bin"), ("utf7_bin", "")],
)  # fmt: skip
def test_a_name_leads_to_a_name_with_the_same_numbers(typed: str, meant: str) -> None:
    assert next((one.word for one in suggest_similar(typed, [NAMES])), "") == meant


@given(st.text(alphabet="abc", min_size=1, max_size=5))
def test_one_slip_makes_all_words_at_distance_one_and_no_other(word: str) -> None:
    made = edits1(word, "abc")
    assert all(OSA.distance(word, other) == 1 for other in made)
    everything = {
        word[:at] + letter + word[at + cut :] for at in range(len(word) + 1) for cut in (0, 1) for letter in "abc"
    }
    assert {other for other in everything if OSA.distance(word, other) == 1} <= made.keys()
    assert not made.keys() - everything - {word[:at] + word[at + 1 :] for at in range(len(word))} - _swapped(word)


@given(
    st.dictionaries(st.text(alphabet="abcéżạ", min_size=2, max_size=5), st.integers(1, 9), max_size=60),
    st.text(alphabet="abcéżạ", min_size=2, max_size=5),
)
def test_every_word_at_distance_one_is_found(words: dict[str, int], typed: str) -> None:
    found = {one.word: one.pages for one in suggest_similar(typed, [TermList(sorted(words.items()))])}
    assert found == {word: pages for word, pages in words.items() if OSA.distance(typed, word) == 1}


def test_every_letter_that_an_index_can_have_is_tried() -> None:
    every = filter(str.isalpha, "".join(normal(chr(code)) for code in range(sys.maxunicode + 1)))
    missing = {one for one in every if can_be_misspelt(one * 2) and one not in alphabet_of(script_of(one))}
    assert missing == set()


def _swapped(word: str) -> set[str]:
    return {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}


def test_of_a_thousand_words_each_slip_leads_back() -> None:
    chance = random.Random(4)
    words = {"".join(chance.choices(string.ascii_lowercase, k=9)): chance.randint(1, 99) for _ in range(1_000)}
    lexicon = TermList(sorted(words.items()))
    for word in list(words)[:100]:
        slip = chance.choice(list(edits1(word, string.ascii_lowercase)))
        assert suggest_similar(slip, [lexicon])[0].word == word
