"""Which lines of a page show that it answers? The window whose words weigh most, in sentences.

A menu repeats the same words on every page, so that a match in it says little about this page. A word that was found in
a line with a whole sentence counts twice as much as one in a line of a menu, a list or a heading. Two words that stand
side by side as they were asked for count as one more word, and so does an identifier beside its parts.

The index knows where the words stand (passages.py), so that only the best few passages of a text are read. A text whose
positions are not known, as part of it may not be shown, is read from its beginning.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from indexer.analysis.scripts import is_unspaced
from indexer.snippets.highlighter import Highlighter, TextSpan, highlighter_for, joined_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from indexer.analysis.readings import WordReader
    from indexer.query.deadline import Deadline
    from indexer.snippets.highlighter import TextSpan
    from indexer.snippets.passages import TextRegion

LEAST_SENTENCE = 24  # characters of a line with a sentence; half as many where no blanks stand between words
_WIDE_MARKS = "。｡\uff01\uff1f"
_SENTENCE_MARK = re.compile(rf"[.!?…।؟\u06d4{_WIDE_MARKS}]")
_END = re.compile(r"""[^\W\d_]{2}[.!?…।؟\u06d4]["'”\u2019»)\]]*(?:\s|\Z)""")


def line_around(text: str, place: int) -> TextSpan:
    """Return where the line begins and ends that a character stands in."""
    end = text.find("\n", place)
    return text.rfind("\n", 0, place) + 1, end if end >= 0 else len(text)


def has_sentence(text: str, start: int, end: int) -> bool:
    """Return whether a line has a sentence."""
    if end - start < LEAST_SENTENCE // 2:
        return False
    unspaced = is_unspaced(text[start]) or text.find(" ", start, end) < 0
    return (unspaced or end - start >= LEAST_SENTENCE) and next(sentence_ends(text, start, end), None) is not None


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where sentences end in a part of a text. Few characters are marks: `_END` is tried at these alone."""
    for mark in _SENTENCE_MARK.finditer(text, start, end):
        at = mark.start()
        if text[at] in _WIDE_MARKS:
            yield at + 1
        elif at >= start + 2 and (found := _END.match(text, at - 2, end)):
            yield found.end()


BETWEEN_LINES = " · "
MOST_MARKS = 4  # characters at the end of a line: its mark, quotes, a bracket
LINE_END = re.compile(r"[^\S\n]*\n\s*")
_QUOTES = r"""["'”\u2019»)\]]*\Z"""
FULL_STOP = re.compile(rf"[.!?…।؟\u06d4。｡\uff01\uff1f]{_QUOTES}")
_LINE_MARK = re.compile(rf"[.!?…।؟\u06d4。｡\uff01\uff1f:;,\u2013\u2014·]{_QUOTES}")


def ends_with(mark: re.Pattern[str], text: str, start: int, end: int) -> bool:
    """Return whether a part of a text ends with such a mark."""
    return mark.search(text, max(start, end - MOST_MARKS), end) is not None


def reach(text: str, start: int, room: int) -> int:
    """Return up to where a text from `start` on is shown in at most so many characters."""
    end = min(len(text), start + room)
    if text.find("\n", start, end) < 0:
        return end
    added = sum(max(0, len(between) - (b - a)) for a, b, between in _line_ends(text, start, end))
    return min(end, start + room - added)


def on_one_line(text: str, start: int, end: int, spans: Sequence[TextSpan]) -> tuple[str, tuple[TextSpan, ...]]:
    """Return a part of a text as one line, and where its spans, which lie within lines and ascend, are there."""
    if text.find("\n", start, end) < 0:
        spans = tuple((first - start, last - start) for first, last in spans if start <= first < end)
        return text[start:end].replace("\t", " ").replace("\r", " "), spans
    pieces: list[str] = []
    kept: list[TextSpan] = []
    place, moved = start, -start
    for a, b, between in (*_line_ends(text, start, end), (end, end, "")):
        kept += [(first + moved, last + moved) for first, last in spans if place <= first < a]
        pieces += [text[place:a], between]
        place, moved = b, moved + len(between) - (b - a)
    return "".join(pieces).replace("\t", " ").replace("\r", " "), tuple(kept)


def _line_ends(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield where lines end and the next ones begin, and what is shown between them."""
    for found in LINE_END.finditer(text, start, end):
        a, b = found.span()
        if start < a and b < end:
            yield a, b, " " if ends_with(_LINE_MARK, text, start, a) else BETWEEN_LINES
        else:
            yield a, b, ""


WINDOW = 240  # characters of a snippet, about two lines
LEAD = 60  # characters shown before the first word that was found
WORD_REACH = 20  # characters within which a cut is moved to a blank
IN_A_SENTENCE, ELSEWHERE = 2, 1  # what a word of the query counts by where it was found
LEAST_WITH_DOTS = 8  # characters; where a page allows fewer, no dots show that text was left out
MAX_MARKS = 400  # looked at in one page; only questions of stop words find more
STRETCH = 16_384  # characters looked through at a time
ELLIPSIS = "…"
SENTENCE_SHARE = 4  # a snippet ends with a sentence that ends in its last quarter
WORTH_DIGITS = 6  # below which two worths are the same: they are sums of fractions
LATE = "the best lines of some pages"  # what there may be no time for

_Worth = tuple[float, int, int]  # of a window: its words, and its marks in sentences and above them


class Mark(NamedTuple):
    """Words of the query where they stand in the text; whether their line has a sentence, or is right above one."""

    span: TextSpan
    words: tuple[str, ...]  # and pairs of them that end here
    in_sentence: bool
    above_sentence: bool


class _ReadPart(NamedTuple):
    """A part of a text that was read, the words of the query in it, and the best window there."""

    start: int
    end: int
    marks: Sequence[Mark]
    worth: _Worth
    first: int  # where the first word of the window stands

    def spans(self, text: str, start: int, end: int) -> list[TextSpan] | None:
        """Return where words stand from `start` to `end`; None where a word may be cut there, or not all is known."""
        is_read = self.start <= start and end <= self.end and len(self.marks) < MAX_MARKS
        if not (is_read and _is_between_words(text, start) and _is_between_words(text, end)):
            return None
        return [mark.span for mark in self.marks if start <= mark.span[0] < end]


@dataclass(frozen=True, slots=True)
class HighlightTerms:
    """What is looked for: terms of the index, each with the word of the query that it stands for.

    `weights` says how much each word counts, 1 where it says nothing; `order` has the words in the order of the query.
    """

    terms: Mapping[str, str]
    weights: Mapping[str, float] = field(default_factory=dict)
    order: Sequence[str] = ()
    reader: WordReader | None = None  # where a page is found by how its words are spoken
    marker: Highlighter = field(init=False, repr=False, compare=False)
    pairs: frozenset[tuple[str, str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "marker", highlighter_for(self.terms, self.reader))
        object.__setattr__(self, "pairs", frozenset(pairwise(self.order)))

    def has_phrase(self, text: str, row: Sequence[tuple[int, str]]) -> bool:
        """Return whether words stand in a text at the distances of `row`; those that nobody looks for are left out."""
        wanted = [(place, word) for place, word in row if word]
        found = {(word, each.position) for each in self.marker.find(text) for word in each.words}
        return bool(wanted) and any(
            all((word, begin + place) in found for place, word in wanted)
            for begin in {position - wanted[0][0] for word, position in found if word == wanted[0][1]}
        )

    def weigh(self, word: str) -> float:
        """Return how much a word counts."""
        return self.weights.get(word, 1.0)


@dataclass(frozen=True, slots=True)
class Snippet:
    """Plain text, and where the words of the query stand in it: start and end of each, in order."""

    text: str = ""
    spans: tuple[TextSpan, ...] = ()

    def __str__(self) -> str:
        return self.text


def make_snippet(
    text: str,
    wanted: HighlightTerms,
    limit: int | None,
    deadline: Deadline | None = None,
    regions: Sequence[TextRegion] | None = None,
) -> Snippet:
    """Cut the best window from `text`; past the deadline, the best of what was looked through, or the beginning.

    `limit` is the page's own, in characters. `regions` are the parts of the text that are read, the best first, as long
    as one can be better than what was found; all of it where they are not known.
    """
    size = WINDOW if limit is None else min(WINDOW, limit)
    if size <= 0 or not text:
        return Snippet()
    is_late = partial(deadline.passed, LATE) if deadline is not None else bool
    if regions is None:
        best = _best_of_all(text, wanted, size, is_late)
    else:
        best = _best_of(text, regions, wanted, size, is_late)
    return _window(text, best.first, size, wanted.marker, best) if best else _window(text, _first_sentence(text), size)


def _best_of_all(text: str, wanted: HighlightTerms, size: int, is_late: Callable[[], bool]) -> _ReadPart | None:
    """Return the best window of a text that is read from its beginning."""
    marks: list[Mark] = []
    end = 0
    for start, stop in _stretches(text):
        if is_late() or len(marks) == MAX_MARKS:
            break  # only questions of stop words find so many: the rest of a long page would add little
        marks += islice(_marks(text, start, stop, wanted), MAX_MARKS - len(marks))
        end = stop
    return _ReadPart(0, end, marks, *_best_window(marks, size, wanted)) if marks else None


def _best_of(
    text: str, regions: Sequence[TextRegion], wanted: HighlightTerms, size: int, is_late: Callable[[], bool]
) -> _ReadPart | None:
    """Return the best window of those parts of a text."""
    best: _ReadPart | None = None
    for start, end, worth in regions:
        if is_late() or (best and best.worth[0] >= IN_A_SENTENCE * worth):
            break
        marks = list(islice(_marks(text, start, end, wanted), MAX_MARKS))
        if not marks:
            continue
        found = _ReadPart(start, end, marks, *_best_window(marks, size, wanted))
        if best is None or found.worth > best.worth:
            best = found
    return best


def highlight_terms(text: str, wanted: HighlightTerms) -> Snippet:
    """Return a short text, such as a title, with the words of the query that stand in it."""
    spans = (found.span for found in wanted.marker.find(text))
    return Snippet(text, tuple(joined_spans(spans)))


def _stretches(text: str) -> Iterator[TextSpan]:
    start = 0
    while start < len(text):
        line = text.find("\n", start + STRETCH)
        end = line if line >= 0 else len(text)
        yield start, end
        start = end


def _marks(text: str, start: int, end: int, wanted: HighlightTerms) -> Iterator[Mark]:
    """Yield where words of the query stand in a part of the text."""
    line_end, in_sentence, above_sentence = -1, False, False
    before: tuple[str, ...] = ()
    expected = -1
    for found in wanted.marker.skim(text, start, end):
        at = found.span[0]
        if at >= line_end:
            line_start, line_end = line_around(text, at)
            in_sentence = has_sentence(text, line_start, line_end)
            follows = not in_sentence and line_end < len(text)
            above_sentence = follows and has_sentence(text, *line_around(text, line_end + 1))
            before = ()  # no pair reaches over the end of a line
        words = found.words
        if before and found.position == expected:
            words += tuple(f"{a} {b}" for a in before for b in found.words if (a, b) in wanted.pairs)
        yield Mark(found.span, words, in_sentence, above_sentence)
        before, expected = found.words, found.position + found.width


def _first_sentence(text: str) -> int:
    """Return where the first line with a sentence begins, or 0."""
    start = 0
    while 0 <= start < min(len(text), STRETCH):
        line_start, line_end = line_around(text, start)
        if has_sentence(text, line_start, line_end):
            return line_start
        start = line_end + 1
    return 0


def _best_window(marks: list[Mark], size: int, wanted: HighlightTerms) -> tuple[_Worth, int]:
    """Return the window whose words weigh most, and where it begins; on a tie count marks in sentences, then above."""
    inside: deque[Mark] = deque()
    counts: dict[str, tuple[int, int]] = {}  # of each word how often it stands there, and how often in sentences
    worth = 0.0
    sentences = above = 0  # kept up mark by mark: a page of stop words has a mark in every second word

    def move(mark: Mark, by: int) -> None:
        nonlocal worth, sentences, above
        _, words, in_sentence, above_sentence = mark
        for word in words:
            before = counts.get(word, (0, 0))
            after = counts[word] = (before[0] + by, before[1] + by * in_sentence)
            if more := _worth(*after) - _worth(*before):
                worth += wanted.weigh(word) * more
        sentences += by * in_sentence
        above += by * above_sentence

    most = size - min(LEAD, size // 4)
    best, best_start = (0.0, 0, 0), marks[0].span[0]
    for mark in marks:
        inside.append(mark)
        move(mark, 1)
        while len(inside) > 1:
            first = inside[0]
            is_within = mark.span[1] - first.span[0] <= most
            if is_within and (first.in_sentence or any(counts[word][0] == 1 for word in first.words)):
                break  # a first word of a menu or heading goes where the same word comes again
            move(inside.popleft(), -1)
        value = (round(worth, WORTH_DIGITS), sentences, above)
        if value > best:
            best, best_start = value, inside[0].span[0]
    return best, best_start


def _worth(count: int, in_sentences: int) -> int:
    """Return what a word counts by that stands in a window so often."""
    return (IN_A_SENTENCE if in_sentences else ELSEWHERE) if count else 0


def _is_between_words(text: str, at: int) -> bool:
    return at in {0, len(text)} or text[at].isspace() or text[at - 1].isspace()


def _window(
    text: str, first: int, size: int, marker: Highlighter | None = None, read: _ReadPart | None = None
) -> Snippet:
    start = _beginning(text, first, size)
    dots = ELLIPSIS if size >= LEAST_WITH_DOTS else ""
    before = dots if start else ""
    end = reach(text, start, size - len(before))
    after = ""
    if end < len(text):
        end = start + len(text[start : _ending(text, start, end - len(dots))].rstrip())
        after = "" if ends_with(FULL_STOP, text, start, end) else dots
    found = read.spans(text, start, end) if read else None
    if found is None:
        found = [(a, min(b, end)) for (a, b), *_ in marker.skim(text, start, end)] if marker else []
    shown, spans = on_one_line(text, start, end, joined_spans(found))
    spans = tuple((a + len(before), b + len(before)) for a, b in spans)
    return Snippet(before + shown + after, spans)


def _ending(text: str, start: int, end: int) -> int:
    """Return where to stop before `end`: after a sentence of the last quarter, else at a blank, else there."""
    if text[end].isspace():
        return end
    least = end - (end - start) // SENTENCE_SHARE
    ended = list(sentence_ends(text, least, end))
    if ended:
        return start + len(text[start : ended[-1]].rstrip())
    blank = text.rfind(" ", max(start, end - WORD_REACH), end)
    return blank if blank > start else end


def _beginning(text: str, first: int, size: int) -> int:
    """Return where to begin so that the word at `first` is shown: with its line, a sentence, or some words before."""
    line = text.rfind("\n", 0, first) + 1
    lead = max(line, first - min(LEAD, size // 4))
    if line == lead:
        return line
    ended = list(sentence_ends(text, lead, first + 1))
    if ended:
        return ended[-1]  # the sentence that has the word
    start = max(line, min(lead, len(text) - size))
    blank = text.find(" ", start, min(start + WORD_REACH, first)) if start > line else -1
    return blank + 1 if blank >= 0 else start
