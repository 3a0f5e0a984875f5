"""Skimming a text finds what reading it finds: the same words at the same places, and the same neighbours."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.analysis.tokenizer import cached_terms
from indexer.analysis.words import TOKEN_PATTERN
from indexer.snippets.highlighter import Highlighter, TermMatch

FILLER = "and then a row of other words follows & goes on, so that it pays to skim all of this. "
TOKENS = [
    *("run", "Run", "RUN", "run's", "runFast", "run-fast", "RUN-FAST", "run.fast", "x_run_y", "-run", "--run", "run++"),
    *(".run", "e-mail", "E-Mail", "email", "os.path", "_", "___", "__init__", "C++", "run\u2010fast", "ru\u00adn"),
    *("“run”", "über", "ÜBER", "İstanbul", "\u017ftar", "\u212aelvin", "é", "e\u0301", "東京都", "ภาษา", "²", ".", "!"),
    *("ok.", "état!", "東京。"),
]
TEXTS = st.lists(
    st.tuples(
        st.sampled_from(TOKENS) | st.sampled_from([FILLER]) | st.text(max_size=3),
        st.sampled_from([" ", "\n", "", " & ", ", ", "\t", "\xa0"]),
    ),
    max_size=8,
).map(lambda pieces: "".join(token + between for token, between in pieces) + FILLER)


def neighbours(found: list[TermMatch]) -> list[bool]:
    return [two.position == one.position + one.width for one, two in pairwise(found)]


@given(TEXTS, st.data())
def test_skimming_finds_what_reading_finds(text: str, data: st.DataObject) -> None:
    tokens = TOKEN_PATTERN.findall(text.replace(FILLER, " "))
    known = sorted({word for raw in tokens for word, _ in cached_terms(raw)[0]})
    asked = data.draw(st.lists(st.sampled_from([*known, "absent"]), min_size=1, max_size=3, unique=True))
    start, end = data.draw(st.sampled_from([(0, None), (0, len(text) - 1), (len(text) // 9, len(text) - 5)]))
    words = {word: word for word in asked}
    read = list(Highlighter(words.get).find(text, start, end))
    skimmed = list(Highlighter(words.get, words).skim(text, start, end))
    assert [found._replace(position=0) for found in skimmed] == [found._replace(position=0) for found in read]
    assert neighbours(skimmed) == neighbours(read)


@pytest.mark.parametrize(
    ("token", "word"),
    [("E-Mail", "email"), ("HTTPServer", "server"), ("ru\u00adn", "run"), ("\u017ftar", "star"), ("東京都", "京都")],
)
def test_a_word_is_found_that_is_written_otherwise(token: str, word: str) -> None:
    text = f"{FILLER}{token} {FILLER}"
    found = [text[slice(*each.span)] for each in Highlighter({word: word}.get, [word]).skim(text)]
    assert found in ([token], [word])


def test_what_has_no_letters_of_a_word_is_not_cut() -> None:
    cut: list[str] = []

    def meant(word: str) -> str | None:
        cut.append(word)
        return word if word == "sourdough" else None

    [found] = Highlighter(meant, ["sourdough"]).skim(f"{FILLER * 20}Sourdough rises. {FILLER * 20}")
    assert found.words == ("sourdough",)
    assert len(cut) < 5
