"""Where does a sentence end, and which line of a text has one? A menu, a list and a heading have none.

A sentence ends with a mark after a word of at least two letters ("1.2." and "J." end none), or with a wide mark.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.analysis.words import is_unspaced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.snippets.found_words import TextSpan

LEAST_SENTENCE = 24  # characters of a line with a sentence; half as many where no blanks stand between words
_WIDE_MARKS = "。｡\uff01\uff1f"
_MARK = re.compile(rf"[.!?…।؟\u06d4{_WIDE_MARKS}]")
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
    for mark in _MARK.finditer(text, start, end):
        at = mark.start()
        if text[at] in _WIDE_MARKS:
            yield at + 1
        elif at >= start + 2 and (found := _END.match(text, at - 2, end)):
            yield found.end()
