"""Which lines of a page show its words? The window with the most of them, found by the analyser of the field itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.snippets.snippet import ELLIPSIS, LEAD, WINDOW, Snippet

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from whoosh.fields import FieldType

MAX_READ_CHARS = 16_384  # of a text: to analyse them takes 10 ms


def mark(field: FieldType, text: str, words: Collection[str]) -> Snippet:
    """Return a whole text, as a title, with its words marked."""
    return Snippet(text, tuple(_places(field, text, words)))


def quote(field: FieldType, text: str, words: Collection[str]) -> Snippet:
    """Return the best window of a text; of one without any of the words, its beginning."""
    spans = _places(field, text[:MAX_READ_CHARS], words)
    start = _best_start(spans)
    start = text.find(" ", start - 1) + 1 if start > 0 and " " in text[start - 1 : start + LEAD] else start
    end = min(start + WINDOW, len(text))
    if end < len(text) and (blank := text.rfind(" ", start + WINDOW // 2, end)) > 0:
        end = blank
    before, after = ELLIPSIS if start else "", ELLIPSIS if end < len(text) else ""
    shift = len(before) - start
    inside = tuple((begin + shift, stop + shift) for begin, stop in spans if start <= begin and stop <= end)
    return Snippet(f"{before}{text[start:end]}{after}", inside)


def _best_start(spans: Sequence[tuple[int, int]]) -> int:
    """Return where the window begins that has the most words; of several the first."""
    best, most = 0, 0
    last = 0
    for first, (start, _) in enumerate(spans):
        while last < len(spans) and spans[last][1] <= start + WINDOW - LEAD:
            last += 1
        if last - first > most:
            best, most = max(0, start - LEAD), last - first
    return best


def _places(field: FieldType, text: str, words: Collection[str]) -> list[tuple[int, int]]:
    if not words or field.analyzer is None:
        return []
    found: list[tuple[int, int]] = []
    for token in field.analyzer(text, chars=True, mode="index"):
        if token.text in words and (not found or token.startchar >= found[-1][1]):
            found.append((token.startchar, token.endchar))
    return found
