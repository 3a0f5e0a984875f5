"""Signals of spoofing: one a name, within bounds, and named by the words of the setting."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urls.signals import (
    SIGNAL_NAMES,
    Signal,
    SignalName,
    commonest,
    is_stuffed,
    signal,
    signal_names,
    strongest,
    tokens,
)


@given(st.floats(allow_nan=False), st.text())
def test_a_signal_is_a_number_of_two_digits_with_bounded_evidence(strength: float, evidence: str) -> None:
    made = signal(SignalName.STUFFING, strength, evidence)
    assert 0.01 <= made.value <= 1
    assert made.value == round(made.value, 2)
    assert len(made.evidence) <= 300


def test_the_strongest_of_each_name_counts() -> None:
    weak, strong = (Signal(SignalName.STUFFING, value, str(value)) for value in (0.5, 0.7))
    hidden = Signal(SignalName.HIDDEN_TEXT, 0.2, "x")
    assert strongest([weak, strong, hidden]) == (hidden, strong)


def test_a_word_that_is_no_signal_is_told_with_those_that_are() -> None:
    assert signal_names(["stuffing", "doorway"]) == {SignalName.STUFFING, SignalName.DOORWAY}
    with pytest.raises(ValueError, match=r"SPOOF_SIGNALS=stuffin: choose among hidden-text, stuffing"):
        signal_names(["stuffin"])


def test_the_numbers_of_the_signals_in_the_index_stay() -> None:
    assert SIGNAL_NAMES == ("hidden-text", "stuffing", "doorway", "link-farm", "anchor-bomb", "cloaking")


@pytest.mark.parametrize(
    ("text", "stuffed"),
    [
        pytest.param("sextant " * 20, True, id="one word"),
        pytest.param("sextant " * 19, False, id="too short to say"),
        pytest.param("六分儀" * 10, True, id="a script without blanks"),
        pytest.param("the quick brown fox jumps over the lazy dog while seven wizards quietly box a jovial duke in "
                     "the old garden near my house", False, id="a sentence"),
    ],
)  # fmt: skip
def test_words_that_repeat_one_are_stuffed(text: str, *, stuffed: bool) -> None:
    assert is_stuffed(tokens(text)) is stuffed


@given(st.text())
def test_any_text_has_a_commonest_word_or_none(text: str) -> None:
    words = tokens(text)
    word, times = commonest(words)
    assert times == words.count(word)
