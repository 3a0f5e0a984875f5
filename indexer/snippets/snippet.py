"""Which lines of a page make the best snippet? The window whose query terms weigh most, preferably in sentences.

A menu repeats the same words on every page, so a match in it says little about this page. A term in a line with a whole
sentence counts twice as much as a term in a menu, a list or a heading. Two neighbouring terms that were typed next to
each other count as another term, and so does an identifier in addition to its parts.

The index knows the positions of the terms (passages.py), so only the best few passages of a text are read. A text
without known positions (it has hidden parts) is read from its beginning.
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
    from indexer.snippets.passages import TextRegion

WINDOW = 240  # characters of a snippet, about two lines
LEAD = 60  # characters shown before the first match
WORD_REACH = 20  # characters within which a cut moves to a blank
IN_SENTENCE, ELSEWHERE = 2, 1  # the factors of a term by where it was found
MIN_CHARS_WITH_DOTS = 8  # where a page allows fewer, no dots show that text was left out
MAX_MARKS = 400  # matches in one page; only queries of stop words find more
BLOCK_CHARS = 16_384  # read at a time
ELLIPSIS = "…"
SENTENCE_SHARE = 4  # a snippet ends with a sentence that ends in its last quarter
SCORE_DIGITS = 6  # beyond which two scores count as equal: they are sums of fractions
LATE = "the best lines of some pages"  # the step that may be left out for lack of time
MIN_SENTENCE_CHARS = 24  # of a line with a sentence; half as many in scripts without blanks
BETWEEN_LINES = " · "
MAX_END_CHARS = 4  # at the end of a line: its mark, quotes, a bracket
LINE_END = re.compile(r"[^\S\n]*\n\s*")
_WIDE_MARKS = "。｡\uff01\uff1f"
_SENTENCE_MARK = re.compile(rf"[.!?…।؟\u06d4{_WIDE_MARKS}]")
_SENTENCE_END = re.compile(r"""[^\W\d_]{2}[.!?…।؟\u06d4]["'”\u2019»)\]]*(?:\s|\Z)""")
_QUOTES = r"""["'”\u2019»)\]]*\Z"""
FULL_STOP = re.compile(rf"[.!?…।؟\u06d4。｡\uff01\uff1f]{_QUOTES}")
_LINE_MARK = re.compile(rf"[.!?…।؟\u06d4。｡\uff01\uff1f:;,\u2013\u2014·]{_QUOTES}")

_Score = tuple[float, int, int]  # of a window: the weight of its terms, its matches in sentences, and above them


def line_around(text: str, place: int) -> TextSpan:
    """Return the start and end of the line that has the character at `place`."""
    end = text.find("\n", place)
    return text.rfind("\n", 0, place) + 1, end if end >= 0 else len(text)


def has_sentence(text: str, start: int, end: int) -> bool:
    """Return whether a line has a sentence."""
    if end - start < MIN_SENTENCE_CHARS // 2:
        return False
    unspaced = is_unspaced(text[start]) or text.find(" ", start, end) < 0
    return (unspaced or end - start >= MIN_SENTENCE_CHARS) and next(sentence_ends(text, start, end), None) is not None


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where sentences end in a part of a text.

    A mark ends a sentence after a word of at least two characters ("1.2." and "J." end none); a wide mark always does.
    """
    for mark in _SENTENCE_MARK.finditer(text, start, end):
        at = mark.start()
        if text[at] in _WIDE_MARKS:
            yield at + 1
        elif at >= start + 2 and (found := _SENTENCE_END.match(text, at - 2, end)):
            yield found.end()


def ends_with(mark: re.Pattern[str], text: str, start: int, end: int) -> bool:
    """Return whether a part of a text ends with a mark of this pattern."""
    return mark.search(text, max(start, end - MAX_END_CHARS), end) is not None


def reach(text: str, start: int, room: int) -> int:
    """Return the end of what fits into `room` characters from `start` on, when lines are joined to one."""
    end = min(len(text), start + room)
    if text.find("\n", start, end) < 0:
        return end
    added = sum(max(0, len(between) - (b - a)) for a, b, between in _line_ends(text, start, end))
    return min(end, start + room - added)


def on_one_line(text: str, start: int, end: int, spans: Sequence[TextSpan]) -> tuple[str, tuple[TextSpan, ...]]:
    """Return a part of a text on a single line, and the spans in it; `spans` ascend and lie within lines.

    A dot in the middle shows where a line ended, unless a mark of its own does, as after a sentence.
    """
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
    """Yield the end of each line, the start of the next, and the text between them in a snippet."""
    for found in LINE_END.finditer(text, start, end):
        a, b = found.span()
        if start < a and b < end:
            yield a, b, " " if ends_with(_LINE_MARK, text, start, a) else BETWEEN_LINES
        else:
            yield a, b, ""


class TermMark(NamedTuple):
    """A match in the text, and whether its line has a sentence, or is right above one."""

    span: TextSpan
    terms: tuple[str, ...]  # of the query, and pairs of them that end here
    in_sentence: bool
    above_sentence: bool


class _Fragment(NamedTuple):
    """A part of a text that was read, the matches in it, and its best window."""

    start: int
    end: int
    marks: Sequence[TermMark]
    score: _Score  # of the best window
    first: int  # the start of the first match in the window

    def spans(self, text: str, start: int, end: int) -> list[TextSpan] | None:
        """Return the matches from `start` to `end`; None if a word may be cut there, or matches may be missing."""
        is_read = self.start <= start and end <= self.end and len(self.marks) < MAX_MARKS
        if not (is_read and _is_between_words(text, start) and _is_between_words(text, end)):
            return None
        return [mark.span for mark in self.marks if start <= mark.span[0] < end]


@dataclass(frozen=True, slots=True)
class HighlightTerms:
    """The terms to highlight: each word of the index, with the query term that it matches.

    `weights` are those of query terms, 1 if missing; `order` has the query terms in the order of the query.
    """

    terms: Mapping[str, str]
    weights: Mapping[str, float] = field(default_factory=dict)
    order: Sequence[str] = ()
    reader: WordReader | None = None  # where a page matches by the readings of its words
    highlighter: Highlighter = field(init=False, repr=False, compare=False)
    pairs: frozenset[tuple[str, str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "highlighter", highlighter_for(self.terms, self.reader))
        object.__setattr__(self, "pairs", frozenset(pairwise(self.order)))

    def has_phrase(self, text: str, phrase: Sequence[tuple[int, str]]) -> bool:
        """Return whether a text has terms at the offsets of `phrase`; words without a query term ("") are ignored."""
        steps = [(offset, term) for offset, term in phrase if term]
        found = {(term, each.position) for each in self.highlighter.find(text) for term in each.words}
        return bool(steps) and any(
            all((term, start + offset) in found for offset, term in steps)
            for start in {position - steps[0][0] for term, position in found if term == steps[0][1]}
        )


@dataclass(frozen=True, slots=True)
class Snippet:
    """Plain text, and the start and end of each match in it, in text order."""

    text: str = ""
    spans: tuple[TextSpan, ...] = ()

    def __str__(self) -> str:
        return self.text


def make_snippet(
    text: str,
    terms: HighlightTerms,
    limit: int | None,
    deadline: Deadline | None = None,
    regions: Sequence[TextRegion] | None = None,
) -> Snippet:
    """Return the best window of `text`; past the deadline, the best of the part that was read, or the beginning.

    `limit` is the page's own limit, in characters. `regions` are the parts of the text to read, the best first, as long
    as one can be better than the best so far; None: read all of it.
    """
    size = WINDOW if limit is None else min(WINDOW, limit)
    if size <= 0 or not text:
        return Snippet()
    is_late = partial(deadline.passed, LATE) if deadline is not None else bool
    if regions is None:
        best = _best_of_all(text, terms, size, is_late)
    else:
        best = _best_of(text, regions, terms, size, is_late)
    return (
        _window(text, best.first, size, terms.highlighter, best) if best else _window(text, _first_sentence(text), size)
    )


def _best_of_all(text: str, terms: HighlightTerms, size: int, is_late: Callable[[], bool]) -> _Fragment | None:
    """Return the best window of a whole text."""
    marks: list[TermMark] = []
    end = 0
    for start, stop in _blocks(text):
        if is_late() or len(marks) == MAX_MARKS:
            break  # only queries of stop words find so many: the rest of a long page would add little
        marks += islice(_marks(text, start, stop, terms), MAX_MARKS - len(marks))
        end = stop
    return _Fragment(0, end, marks, *_best_window(marks, size, terms)) if marks else None


def _best_of(
    text: str, regions: Sequence[TextRegion], terms: HighlightTerms, size: int, is_late: Callable[[], bool]
) -> _Fragment | None:
    """Return the best window of these parts of a text."""
    best: _Fragment | None = None
    for start, end, weight in regions:
        if is_late() or (best and best.score[0] >= IN_SENTENCE * weight):
            break
        marks = list(islice(_marks(text, start, end, terms), MAX_MARKS))
        if not marks:
            continue
        found = _Fragment(start, end, marks, *_best_window(marks, size, terms))
        if best is None or found.score > best.score:
            best = found
    return best


def highlight_terms(text: str, terms: HighlightTerms) -> Snippet:
    """Return a short text, such as a title, with its matches."""
    spans = (found.span for found in terms.highlighter.find(text))
    return Snippet(text, tuple(joined_spans(spans)))


def _blocks(text: str) -> Iterator[TextSpan]:
    start = 0
    while start < len(text):
        line = text.find("\n", start + BLOCK_CHARS)
        end = line if line >= 0 else len(text)
        yield start, end
        start = end


def _marks(text: str, start: int, end: int, terms: HighlightTerms) -> Iterator[TermMark]:
    """Yield the matches in a part of the text."""
    line_end, in_sentence, above_sentence = -1, False, False
    before: tuple[str, ...] = ()
    expected = -1
    for found in terms.highlighter.skim(text, start, end):
        at = found.span[0]
        if at >= line_end:
            line_start, line_end = line_around(text, at)
            in_sentence = has_sentence(text, line_start, line_end)
            follows = not in_sentence and line_end < len(text)
            above_sentence = follows and has_sentence(text, *line_around(text, line_end + 1))
            before = ()  # no pair reaches over the end of a line
        matched = found.words
        if before and found.position == expected:
            matched += tuple(f"{a} {b}" for a in before for b in found.words if (a, b) in terms.pairs)
        yield TermMark(found.span, matched, in_sentence, above_sentence)
        before, expected = found.words, found.position + found.width


def _first_sentence(text: str) -> int:
    """Return the start of the first line with a sentence, or 0."""
    start = 0
    while 0 <= start < min(len(text), BLOCK_CHARS):
        line_start, line_end = line_around(text, start)
        if has_sentence(text, line_start, line_end):
            return line_start
        start = line_end + 1
    return 0


def _best_window(marks: list[TermMark], size: int, terms: HighlightTerms) -> tuple[_Score, int]:
    """Return the score of the best window, and its start; ties count matches in sentences, then those above them."""
    inside: deque[TermMark] = deque()
    counts: dict[str, tuple[int, int]] = {}  # of each term: its matches in the window, and those in sentences
    weight = 0.0
    sentences = above = 0  # updated match by match: a page of stop words has one in every second word

    def move(mark: TermMark, by: int) -> None:
        nonlocal weight, sentences, above
        _, matched, in_sentence, above_sentence = mark
        for term in matched:
            before = counts.get(term, (0, 0))
            after = counts[term] = (before[0] + by, before[1] + by * in_sentence)
            if more := _term_factor(*after) - _term_factor(*before):
                weight += terms.weights.get(term, 1.0) * more
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
            if is_within and (first.in_sentence or any(counts[term][0] == 1 for term in first.terms)):
                break  # the first match leaves the window if it is in a menu or heading, and its term comes again
            move(inside.popleft(), -1)
        value = (round(weight, SCORE_DIGITS), sentences, above)
        if value > best:
            best, best_start = value, inside[0].span[0]
    return best, best_start


def _term_factor(count: int, in_sentences: int) -> int:
    """Return the factor of a term with so many matches in a window."""
    return (IN_SENTENCE if in_sentences else ELSEWHERE) if count else 0


def _is_between_words(text: str, at: int) -> bool:
    return at in {0, len(text)} or text[at].isspace() or text[at - 1].isspace()


def _window(
    text: str, first: int, size: int, highlighter: Highlighter | None = None, read: _Fragment | None = None
) -> Snippet:
    start = _snippet_start(text, first, size)
    dots = ELLIPSIS if size >= MIN_CHARS_WITH_DOTS else ""
    before = dots if start else ""
    end = reach(text, start, size - len(before))
    after = ""
    if end < len(text):
        end = start + len(text[start : _snippet_end(text, start, end - len(dots))].rstrip())
        after = "" if ends_with(FULL_STOP, text, start, end) else dots
    found = read.spans(text, start, end) if read else None
    if found is None:
        found = [(a, min(b, end)) for (a, b), *_ in highlighter.skim(text, start, end)] if highlighter else []
    shown, spans = on_one_line(text, start, end, joined_spans(found))
    spans = tuple((a + len(before), b + len(before)) for a, b in spans)
    return Snippet(before + shown + after, spans)


def _snippet_end(text: str, start: int, end: int) -> int:
    """Return where to stop before `end`: after a sentence in the last quarter, else at a blank, else there."""
    if text[end].isspace():
        return end
    least = end - (end - start) // SENTENCE_SHARE
    ended = list(sentence_ends(text, least, end))
    if ended:
        return start + len(text[start : ended[-1]].rstrip())
    blank = text.rfind(" ", max(start, end - WORD_REACH), end)
    return blank if blank > start else end


def _snippet_start(text: str, first: int, size: int) -> int:
    """Return where to start to show the match at `first`: its line, its sentence, or some words before."""
    line = text.rfind("\n", 0, first) + 1
    lead = max(line, first - min(LEAD, size // 4))
    if line == lead:
        return line
    ended = list(sentence_ends(text, lead, first + 1))
    if ended:
        return ended[-1]  # the sentence of the match
    start = max(line, min(lead, len(text) - size))
    blank = text.find(" ", start, min(start + WORD_REACH, first)) if start > line else -1
    return blank + 1 if blank >= 0 else start
