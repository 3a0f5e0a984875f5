"""Which lines of a page show that it answers? The window with the most different words of the query.

The text is cut again as the index cut it, so that a search for "run" marks "running" and a Japanese pair of characters
is marked inside its run. It costs a pass over the stored text, which is bounded; asking Whoosh's highlighter for the
same takes as long as the search.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.analysis.scripts import TOKEN, is_unspaced
from indexer.analysis.tokens import terms_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

WINDOW = 240  # characters of a snippet, about two lines
LEAD = 60  # characters shown before the first word that was found
WORD_REACH = 20  # characters within which a cut is moved to a blank
LEAST_WITH_DOTS = 8  # characters; a page that allows less gets text alone
STRETCH = 16_384  # characters looked through at a time
ELLIPSIS = "…"
_NEVER = r"(?!)"

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Snippet:
    """Plain text, and where the words of the query stand in it: start and end of each, in order."""

    text: str = ""
    spans: tuple[Span, ...] = ()

    def __str__(self) -> str:
        return self.text


def make_snippet(text: str, wanted: Mapping[str, str], language: str, limit: int | None) -> Snippet:
    """Cut the best window from `text`.

    `wanted` leads from terms of the index to the words of the query that they stand for; `limit` is the page's own,
    in characters.
    """
    size = WINDOW if limit is None else min(WINDOW, limit)
    if size <= 0 or not text:
        return Snippet()
    marks: list[tuple[Span, str]] = []
    for start in range(0, len(text), STRETCH):
        marks += _marks(text, start, wanted, language)
        if len({word for _, word in marks}) == len(set(wanted.values())):
            break  # every word was seen: the rest of a long page would be read for little
    first = _best_start(marks, size) if marks else 0
    return _window(text, first, size, marks)


def _marks(text: str, start: int, wanted: Mapping[str, str], language: str) -> Iterator[tuple[Span, str]]:
    """Yield where in a stretch a wanted term stands, and for which word.

    Only the distinct tokens are taken to their stems; where those with a wanted one stand is left to one search.
    """
    words: dict[str, str] = {}
    for raw in set(TOKEN.findall(text, start, start + STRETCH)):
        if raw.isascii() or not is_unspaced(raw):
            for term, _ in terms_of(raw, language)[0]:
                if term in wanted:
                    words[raw] = wanted[term]
                    break
    words |= {term: word for term, word in wanted.items() if is_unspaced(term)}
    if not words:
        return
    runs = "|".join(re.escape(word) for word in words if is_unspaced(word)) or _NEVER
    names = (
        "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True) if not is_unspaced(word)) or _NEVER
    )
    pattern = re.compile(rf"(?<!\w)({names})(?!\w)|(?=({runs}))")
    for found in pattern.finditer(text, start, start + STRETCH):
        yield (found.span(1) if found[1] else found.span(2)), words[found[1] or found[2]]


def _best_start(marks: list[tuple[Span, str]], size: int) -> int:
    """Return the start of the window with the most distinct terms, then the most marks, then the earliest."""
    inside: deque[tuple[Span, str]] = deque()
    counts: Counter[str] = Counter()
    best, best_start = (0, 0), marks[0][0][0]
    for span, word in marks:
        inside.append((span, word))
        counts[word] += 1
        while span[1] - inside[0][0][0] > size - min(LEAD, size // 4) and len(inside) > 1:
            _, gone = inside.popleft()
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
        value = (len(counts), len(inside))
        if value > best:
            best, best_start = value, inside[0][0][0]
    return best_start


def _window(text: str, first: int, size: int, marks: Iterable[tuple[Span, str]]) -> Snippet:
    start = max(0, min(first - min(LEAD, size // 4), len(text) - size))
    if start:
        blank = text.find(" ", start, min(start + WORD_REACH, first))
        start = blank + 1 if blank >= 0 else start
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
    spans = _joined((a + shift, min(b, end) + shift) for (a, b), _ in marks if start <= a < end)
    shown = text[start:end].translate({10: " ", 13: " ", 9: " "})
    return Snippet(before + shown + after, spans)


def _joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Make one span of those that touch or overlap, as the pairs of a run do."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
