"""Which words two texts differ in: taken out and put in give the texts back, in bounded time."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.why.differences import GONE, KEPT, MAX_EFFORT, MAX_WORDS, NEW, SAME, word_difference

WORDS = st.lists(st.sampled_from(("rye", "bread", "and", "a", "oven")), max_size=30).map(" ".join)


def told(first: str, second: str) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in word_difference(first, second).pieces]


def test_words_that_one_has_stand_beside_those_of_the_other() -> None:
    assert told("Rye bread keeps for a week.", "Rye bread keeps for ten days, at most.") == [
        (SAME, "Rye bread keeps for"),
        (GONE, "a week."),
        (NEW, "ten days, at most."),
    ]


def test_the_middle_of_what_both_say_is_left_out_and_counted() -> None:
    common = " ".join(f"w{number}" for number in range(100))
    found = word_difference(f"old {common} end", f"new {common} fin")
    [gone, new, head, middle, tail, *_] = found.pieces
    assert (gone.kind, new.kind, head.words, tail.words) == (GONE, NEW, KEPT, KEPT)
    assert (middle.text, middle.left_out, found.same) == ("", 100 - 2 * KEPT, 100)


def test_letters_of_scripts_without_blanks_are_words() -> None:
    assert told("今日はパン", "今日は米") == [(SAME, "今日は"), (GONE, "パン"), (NEW, "米")]


@pytest.mark.parametrize("text", ["", "  \n ", "rye"])
def test_the_same_text_has_no_difference(text: str) -> None:
    found = word_difference(text, text)
    assert (found.gone, found.new, found.cut) == (0, 0, "")


@given(WORDS, WORDS)
def test_both_texts_can_be_put_together_from_the_pieces(first: str, second: str) -> None:
    pieces = word_difference(first, second).pieces
    for text, kind in ((first, GONE), (second, NEW)):
        kept = [piece for piece in pieces if piece.kind in {SAME, kind}]
        assert sum(piece.words for piece in kept) == len(text.split())
        shown = " ".join(piece.text for piece in kept if not piece.left_out)
        if not any(piece.left_out for piece in kept):
            assert shown == " ".join(text.split())


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_can_be_compared(first: str, second: str) -> None:
    found = word_difference(first, second)
    assert found.same + found.gone == word_difference(first, "").gone


def test_what_is_too_long_is_cut_and_told() -> None:
    found = word_difference("a " * (MAX_WORDS + 7), "b")
    assert found.gone == MAX_WORDS
    assert "7 words and 0 words are left out" in found.cut


@pytest.mark.parametrize("letters", [1, 2, 40], ids=lambda letters: f"{letters} words over and over")
def test_a_text_made_to_take_long_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch, letters: int) -> None:
    pairs = []
    longest = SequenceMatcher.find_longest_match

    def counting(self: SequenceMatcher[str], *bounds: int) -> object:
        known: dict[str, list[int]] = vars(self)["b2j"]  # which typeshed has not
        pairs.append(sum(len(known.get(word, ())) for word in vars(self)["a"][bounds[0] : bounds[1]]))
        return longest(self, *bounds)

    monkeypatch.setattr(SequenceMatcher, "find_longest_match", counting)
    first, second = (" ".join(str(place * step % letters) for place in range(MAX_WORDS)) for step in (1, 7))
    found = word_difference(f"x {first}", f"{second} y")
    assert sum(pairs) <= MAX_EFFORT
    assert "too long" in found.cut
    assert found.same + found.gone == MAX_WORDS
