"""How do two pages differ? Their first different lines, or all their words side by side.

difflib takes time by the square of its input, and more for repetitive texts. So `MAX_WORDS` words of each text are
compared, and `MAX_EFFORT` pairs of words. The rest is shown as removed and added, with a note. A word ends at white
space; in scripts without spaces each letter is a word.

Two pages are compared only if both may be shown. Pages with noarchive, nosnippet or max-snippet are withheld, and so
are pages that are no results for another reason than being a copy.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from difflib import Match, SequenceMatcher
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING, Any

from crawldb.pages.pages import Pages
from pages.content.similarity import CJK, resemblance
from reports.wording import counted, sentence
from urls.canonical import UnusableUrl, canonicalize
from urls.records import reason_hidden
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawldb.databases import Parts
    from urls.records import Page

LINES = 3  # shown of each page
SHOWN = 80  # characters of each
BEFORE = 20  # of them, those before the place where two lines part


@dataclass(frozen=True, slots=True)
class TextDifference:
    """Lines that only one of two pages has, each from the place on where it parts from the other's."""

    here: tuple[str, ...]
    there: tuple[str, ...]
    more: int = 0  # lines of either page that are left out

    def __str__(self) -> str:
        if not (self.here or self.there):
            return "Their lines are the same now: one page was fetched again since."
        only = ((where, lines) for where, lines in (("here", self.here), ("there", self.there)) if lines)
        differences = [f"only {where}: {', '.join(f'“{line}”' for line in lines)}" for where, lines in only]
        more = f"; and {counted(self.more, 'more line')}" if self.more else ""
        return f"They differ: {'; '.join(differences)}{more}."


def difference(here: str, there: str) -> TextDifference:
    """Compare two texts line by line, in whatever order the lines stand."""
    own, other = ([line.strip() for line in text.splitlines() if line.strip()] for text in (here, there))
    known, foreign = set(other), set(own)
    own = [line for line in dict.fromkeys(own) if line not in known]
    other = [line for line in dict.fromkeys(other) if line not in foreign]
    pairs = list(zip_longest(own[:LINES], other[:LINES], fillvalue=""))
    left = len(own[LINES:]) + len(other[LINES:])
    return TextDifference(
        tuple(_parting(one, two) for one, two in pairs if one),
        tuple(_parting(two, one) for one, two in pairs if two),
        left,
    )


def _parting(line: str, other: str) -> str:
    """Return a line from a little before the place on where it differs from another."""
    same = next((place for place, pair in enumerate(zip(line, other, strict=False)) if pair[0] != pair[1]), 0)
    begin = line.rfind(" ", 0, max(0, same - BEFORE)) + 1 if same > BEFORE else 0
    cut = line[begin : begin + SHOWN]
    return f"{'…' if begin else ''}{cut}{'…' if begin + SHOWN < len(line) else ''}"


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
        cut.append(f"The first {MAX_WORDS:,} words of each page are compared; {beyond} are left out.")
    if matcher.given_up:
        cut.append("A full comparison would take too long: some equal words may be shown as different.")
    return WordDifference(tuple(pieces), counts[SAME], counts[GONE], counts[NEW], " ".join(cut))


class _Words:
    """The words of a text, with their positions."""

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


_COPIES = frozenset({Rule.DUPLICATE, Rule.CANONICAL})  # pages that are left out because another one says the same


@dataclass(frozen=True, slots=True)
class PageDifference:
    """Two pages and their difference. `reason` is a sentence if the pages can't be compared.

    `resemblance` is the share of word groups that both have of those that either has, 0 to 1.
    """

    first: str
    second: str
    difference: WordDifference | None = None
    resemblance: float | None = None
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return asdict(self)


def page_difference(parts: Parts, first: str, second: str) -> PageDifference:
    """Compare two pages, however their URLs are spelt. Raises DatabaseError where a part can't be read."""
    names, shown = [], []
    for url in (first, second):
        try:
            names.append(canonicalize(url))
        except UnusableUrl as error:
            return PageDifference(first, second, reason=sentence(f"{url[:200]}: {error.refusal.reason}"))
    for name in names:
        page = Pages(parts.home(name)).get(name)
        reason = _withheld(page) if page else "no page of it is stored"
        if page is None or reason:
            return PageDifference(names[0], names[1], reason=sentence(f"{name} can't be compared: {reason}"))
        shown.append(page.text if page.snippet_text is None else page.snippet_text)
    return PageDifference(names[0], names[1], word_difference(*shown), resemblance(*shown))


def _withheld(page: Page) -> str:
    if not page.controls.archive:
        return "it has noarchive, so no copy of it may be shown"
    if page.controls.snippet is not None:
        return "it limits how much of its text may be shown"
    hidden = reason_hidden(page.refusals, page.controls, datetime.now(UTC))
    return "" if hidden is None or hidden.rule in _COPIES else f"it is no result ({hidden.rule}): {hidden.reason}"
