"""Which lines of a page show that it answers? The window with the most different words of the query, in sentences.

A menu repeats the same words on every page, so that a match in it says little about this page. A word that was found in
a line with a whole sentence counts twice as much as one in a line of a menu, a list or a heading.

The text is cut again as the index cut it (marked_words.py). That is one pass over the stored text, which is bounded;
Whoosh's highlighter takes as long for the same as the whole search.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from indexer.analysis.words import TOKEN_PATTERN, is_unspaced
from indexer.retrieval.marked_words import WordPattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from indexer.retrieval.deadline import Deadline

WINDOW = 240  # characters of a snippet, about two lines
LEAD = 60  # characters shown before the first word that was found
WORD_REACH = 20  # characters within which a cut is moved to a blank
LEAST_SENTENCE = 24  # characters of a line with a sentence; half as many where no blanks stand between words
IN_A_SENTENCE, ELSEWHERE = 2, 1  # what a word of the query counts by where it was found
LEAST_WITH_DOTS = 8  # characters; where a page allows fewer, no dots show that text was left out
MAX_MARKS = 400  # looked at in one page; only questions of stop words find more
STRETCH = 16_384  # characters looked through at a time
ELLIPSIS = "…"
LATE = "the best lines of some pages"  # what there may be no time for
# The end of a sentence is a mark after a word of at least two letters: "1.2." and "J." end none.
_END = re.compile(r"""[^\W\d_]{2}[.!?…।؟\u06d4]["'”\u2019»)\]]*(?:\s|\Z)|[。｡\uff01\uff1f]""")

TextSpan = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mark:
    """A word of the query where it stands in the text; whether its line has a sentence, or is right above one."""

    span: TextSpan
    word: str
    in_sentence: bool
    above_sentence: bool


@dataclass(frozen=True, slots=True)
class Snippet:
    """Plain text, and where the words of the query stand in it: start and end of each, in order."""

    text: str = ""
    spans: tuple[TextSpan, ...] = ()

    def __str__(self) -> str:
        return self.text


def make_snippet(
    text: str, wanted: Mapping[str, str], language: str, limit: int | None, deadline: Deadline | None = None
) -> Snippet:
    """Cut the best window from `text`; past the deadline, the best of what was looked through, or the beginning.

    `wanted` leads from terms of the index to the words of the query that they stand for; `limit` is the page's own,
    in characters.
    """
    size = WINDOW if limit is None else min(WINDOW, limit)
    if size <= 0 or not text:
        return Snippet()
    marks: list[Mark] = []
    for start in range(0, len(text), STRETCH):
        if deadline is not None and deadline.passed(LATE):
            break
        marks += islice(_marks(text, start, wanted, language), MAX_MARKS - len(marks))
        if len(marks) == MAX_MARKS or len({mark.word for mark in marks}) == len(set(wanted.values())):
            break  # every word was seen, or enough of them: the rest of a long page would add little
    return _window(text, _best_start(marks, size) if marks else _first_sentence(text), size, marks)


def _marks(text: str, start: int, wanted: Mapping[str, str], language: str) -> Iterator[Mark]:
    """Yield where in a stretch a wanted term stands, and for which word."""
    found_words = WordPattern(TOKEN_PATTERN.findall(text, start, start + STRETCH), wanted, language)
    if not found_words:
        return
    line_end, in_sentence, above_sentence = -1, False, False
    for found in found_words.pattern.finditer(text, start, start + STRETCH):
        if found.start() >= line_end:
            line_start, line_end = _line_around(text, found.start())
            in_sentence = _has_sentence(text, line_start, line_end)
            follows = not in_sentence and line_end < len(text)
            above_sentence = follows and _has_sentence(text, *_line_around(text, line_end + 1))
        span = found.span(1) if found[1] else found.span(2)
        yield Mark(span, found_words.words[found[1] or found[2]], in_sentence, above_sentence)


def _line_around(text: str, place: int) -> TextSpan:
    """Return where the line begins and ends that a character stands in."""
    end = text.find("\n", place)
    return text.rfind("\n", 0, place) + 1, end if end >= 0 else len(text)


def _has_sentence(text: str, start: int, end: int) -> bool:
    """Return whether a line has a sentence."""
    if end - start < LEAST_SENTENCE // 2:
        return False
    unspaced = is_unspaced(text[start]) or text.find(" ", start, end) < 0
    return (unspaced or end - start >= LEAST_SENTENCE) and _END.search(text, start, end) is not None


def _first_sentence(text: str) -> int:
    """Return where the first line with a sentence begins, or 0."""
    start = 0
    while 0 <= start < min(len(text), STRETCH):
        line_start, line_end = _line_around(text, start)
        if _has_sentence(text, line_start, line_end):
            return line_start
        start = line_end + 1
    return 0


def _best_start(marks: list[Mark], size: int) -> int:
    """Return the start of the window whose words count most; on a tie count marks in sentences, then in headings."""
    inside: deque[Mark] = deque()
    counts: Counter[str] = Counter()
    in_sentences: Counter[str] = Counter()
    worth = sentences = above = 0  # kept up mark by mark: a page of stop words has a mark in every second word

    def move(mark: Mark, by: int) -> None:
        nonlocal worth, sentences, above
        before = _worth(counts[mark.word], in_sentences[mark.word])
        counts[mark.word] += by
        in_sentences[mark.word] += by * mark.in_sentence
        worth += _worth(counts[mark.word], in_sentences[mark.word]) - before
        sentences += by * mark.in_sentence
        above += by * mark.above_sentence

    best, best_start = (0, 0, 0), marks[0].span[0]
    for mark in marks:
        inside.append(mark)
        move(mark, 1)
        while len(inside) > 1:
            first = inside[0]
            beyond = mark.span[1] - first.span[0] > size - min(LEAD, size // 4)
            if not beyond and (first.in_sentence or counts[first.word] == 1):
                break  # a first word of a menu or heading goes where the same word comes again
            move(inside.popleft(), -1)
        value = (worth, sentences, above)
        if value > best:
            best, best_start = value, inside[0].span[0]
    return best_start


def _worth(count: int, in_sentences: int) -> int:
    """Return what a word counts by that stands in a window so often."""
    return (IN_A_SENTENCE if in_sentences else ELSEWHERE) if count else 0


def _window(text: str, first: int, size: int, marks: Iterable[Mark]) -> Snippet:
    start = _beginning(text, first, size)
    dots = ELLIPSIS if size >= LEAST_WITH_DOTS else ""
    before = dots if start else ""
    room = size - len(before)
    end = min(len(text), start + room)
    after = ""
    if end < len(text):
        end -= len(dots)
        after = dots
        blank = end if text[end].isspace() else text.rfind(" ", max(start, end - WORD_REACH), end)
        end = blank if blank > start else end
    shift = len(before) - start
    places = (mark.span for mark in marks)
    spans = _joined((a + shift, min(b, end) + shift) for a, b in places if start <= a < end)
    shown = text[start:end].translate({10: " ", 13: " ", 9: " "})
    return Snippet(before + shown + after, spans)


def _beginning(text: str, first: int, size: int) -> int:
    """Return where to begin so that the word at `first` is shown: with its line, a sentence, or some words before."""
    line = text.rfind("\n", 0, first) + 1
    lead = max(line, first - min(LEAD, size // 4))
    if line == lead:
        return line
    ended = _END.search(text, lead, first + 1)
    if ended:
        return ended.end()
    start = max(line, min(lead, len(text) - size))
    blank = text.find(" ", start, min(start + WORD_REACH, first)) if start > line else -1
    return blank + 1 if blank >= 0 else start


def _joined(spans: Iterable[TextSpan]) -> tuple[TextSpan, ...]:
    """Make one span of those that touch or overlap, as the pairs of a run do."""
    joined: list[TextSpan] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
