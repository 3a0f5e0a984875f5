"""Does a pattern with stars fit a text? Piece by piece from the left: nothing is tried twice, whatever the pattern."""

from __future__ import annotations

STAR = "*"


def fits(pattern: str, text: str) -> bool:
    """Return whether `pattern`, in which `*` stands for any run of characters, fits the whole of `text`."""
    first, *others = pattern.split(STAR)
    if not others:
        return pattern == text
    *middle, last = others
    if not text.startswith(first):
        return False
    at = len(first)
    for piece in middle:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return len(text) - len(last) >= at and text.endswith(last)
