from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.spelling.term_list import TermList

WORDS = st.dictionaries(st.text(alphabet="abcéя東\U0001f600", min_size=1, max_size=8), st.integers(1, 9), max_size=40)


def list_of(words: dict[str, int]) -> TermList:
    return TermList(sorted(words.items()))


@given(WORDS, st.text(alphabet="abcéя東\U0001f600", max_size=3))
def test_a_lexicon_finds_what_a_dictionary_finds(words: dict[str, int], prefix: str) -> None:
    known = list_of(words)
    assert [known[place] for place in range(len(known))] == sorted(words)
    assert known.pages_with(["missing", *words]) == words
    places = known.with_prefix(prefix)
    assert [known[place] for place in places] == sorted(word for word in words if word.startswith(prefix))
    assert [known.place_of(word) for word in sorted(words)] == list(range(len(words)))
    assert known.place_of("missing") is None


@given(WORDS, st.integers(0, 5))
def test_the_words_on_most_pages_come_first(words: dict[str, int], most: int) -> None:
    known = list_of(words)
    expected = sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
    assert known.top_terms(known.with_prefix(""), most) == expected
    assert [known[place] for place in known.most_frequent(most)] == [word for word, _ in expected]


def test_words_are_chosen_by_their_size() -> None:
    known = list_of({"a": 1, "ab": 1, "abc": 2, "abcd": 1, "b": 9})
    assert known.of_size("a", range(2, 4), 9) == ["abc", "ab"]
    assert known.of_size("a", range(1, 5), 1) == ["abc"]


def test_a_lexicon_without_words_answers() -> None:
    known = list_of({})
    assert (len(known), list(known.with_prefix("a")), known.place_of("a")) == (0, [], None)
    assert known.pages_with(["a"]) == {}
    assert known.top_terms(range(0), 3) == []
