"""Which words does one page have where another has others? Two texts side by side, word by word, by difflib.

difflib takes time by the square of what it compares, and more for texts that repeat themselves. So `MAX_WORDS` of each
are compared, and `MAX_EFFORT` pairs of words are looked at in all: what is beyond stands as taken out and put in, and
that is told. Words are what stands between blanks; in scripts without blanks each letter is one.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from itertools import accumulate
from typing import TYPE_CHECKING

from pages.content.similarity import CJK
from reports.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_WORDS = 3_000  # of each text that are compared
MAX_EFFORT = 2_000_000  # pairs of equal words that difflib looks at, some of them many times: half a second at most
KEPT = 12  # words of what both say that are shown before and after a difference

_WORD = re.compile(f"{CJK.pattern}|(?:(?!{CJK.pattern})\\S)+")

SAME, GONE, NEW = "same", "del", "ins"


@dataclass(frozen=True, slots=True)
class DiffPiece:
    """A run of words: `kind` is "same", "del" (only the first text has it) or "ins"; `left_out`: words not shown."""

    kind: str
    text: str
    words: int
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class WordDifference:
    """The pieces in the order of the texts; how many words each kind has, and what was cut, as a sentence."""

    pieces: tuple[DiffPiece, ...]
    same: int
    gone: int
    new: int
    cut: str = ""


class _BoundedMatcher(SequenceMatcher[str]):
    """Finds no more matches where that would take more than MAX_EFFORT."""

    def __init__(self, first: Sequence[str], second: Sequence[str]) -> None:
        super().__init__(None, first, second, autojunk=False)  # which would find nothing common in two long lists
        self.given_up = False
        self._left = MAX_EFFORT
        times = Counter(second)
        self._pairs = list(accumulate((times[word] for word in first), initial=0))

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        end = len(self._pairs) - 1 if ahi is None else ahi
        effort = self._pairs[end] - self._pairs[alo] + end - alo
        if effort > self._left:
            self.given_up = True
            return Match(alo, blo, 0)
        self._left -= effort
        return super().find_longest_match(alo, ahi, blo, bhi)


def word_difference(first: str, second: str) -> WordDifference:
    """Compare two texts."""
    one, other = _Words(first), _Words(second)
    matcher = _BoundedMatcher(one.compared, other.compared)
    pieces = list(_pieces(matcher, one, other))
    counts = {kind: sum(piece.words for piece in pieces if piece.kind == kind) for kind in (SAME, GONE, NEW)}
    cut = []
    if one.beyond or other.beyond:
        beyond = f"{counted(one.beyond, 'word')} and {counted(other.beyond, 'word')}"
        cut.append(f"Of each page the first {MAX_WORDS:,} words are compared: {beyond} are left out.")
    if matcher.given_up:
        cut.append("To compare all of it would take too long: some words that both have may stand as different ones.")
    return WordDifference(tuple(pieces), counts[SAME], counts[GONE], counts[NEW], " ".join(cut))


class _Words:
    """The words of a text, and what stands from one to another."""

    def __init__(self, text: str) -> None:
        found = list(_WORD.finditer(text))
        self._text, self._places = text, found[:MAX_WORDS]
        self.compared: Sequence[str] = [word[0] for word in self._places]
        self.beyond = len(found) - len(self._places)

    def between(self, begin: int, end: int) -> str:
        """Return the words from one place to before another, with the blanks that were between them."""
        if begin >= end:
            return ""
        return " ".join(self._text[self._places[begin].start() : self._places[end - 1].end()].split())


def _pieces(matcher: _BoundedMatcher, one: _Words, other: _Words) -> Iterator[DiffPiece]:
    codes = matcher.get_opcodes()
    for number, (kind, begin, end, second_begin, second_end) in enumerate(codes):
        if kind != "equal":
            if begin < end:
                yield DiffPiece(GONE, one.between(begin, end), end - begin)
            if second_begin < second_end:
                yield DiffPiece(NEW, other.between(second_begin, second_end), second_end - second_begin)
            continue
        yield from _same(one, begin, end, is_first=number == 0, is_last=number == len(codes) - 1)


def _same(one: _Words, begin: int, end: int, *, is_first: bool, is_last: bool) -> Iterator[DiffPiece]:
    """Yield what both say, without the middle of a long run."""
    head = begin if is_first else min(end, begin + KEPT)
    tail = end if is_last else max(head, end - KEPT)
    if tail - head <= KEPT:  # to say that words are left out would be as long as they are
        head = tail = begin if is_first else end
    if head > begin:
        yield DiffPiece(SAME, one.between(begin, head), head - begin)
    if tail > head:
        yield DiffPiece(SAME, "", tail - head, left_out=tail - head)
    if end > tail:
        yield DiffPiece(SAME, one.between(tail, end), end - tail)
