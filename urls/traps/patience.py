"""When has a pattern had its chance? When its pages have stopped saying anything new.

A stated, additive rule. A pattern begins with an allowance of URLs, PATTERN_PAGES; each page that says something new
adds ten, so that an archive of thousands passes by itself, while one page in ten keeps a pattern level. Each page that
is a copy, an apology, or has no line that is new counts against it, if the way to it leads through its own pattern, or
twice through another: what a single page lists has an end, however alike the entries are, unless there are more of them
than the pattern is allowed. A page that says something new takes back half of the count. At TRAP_PATIENCE the pattern
is closed: after twenty such pages in a row, or when more than nine in ten are such. A program with many parameters is
closed as a whole somewhat later, or each combination would have a patience of its own; a plain folder, whose names a
person may have chosen, later still, and only copies and apologies count against it.
"""

from __future__ import annotations

from urls.rules import Rule
from urls.traps.pattern import PatternKind

GROWTH = 10  # URLs that a page adds to its pattern's allowance when it says something new
NO_NEWS = frozenset(
    {Rule.DUPLICATE, Rule.NEAR_DUPLICATE, Rule.SOFT_404, Rule.EMPTY}
)  # refusals of a page that says nothing new
# Refusals that tell nothing of what the pattern brings: its next page may be another one.
NO_WORD = frozenset({Rule.TYPE, Rule.SIZE, Rule.BINARY, Rule.WELL_KNOWN, Rule.FRAMES})
_STRETCH = {PatternKind.NUMBERED: 1.0, PatternKind.PROGRAM: 1.5, PatternKind.FOLDER: 2.0}


def allowance(start: int, fresh: int) -> int:
    """Return how many URLs a pattern may have, when `fresh` of its pages have said something new."""
    return start + GROWTH * fresh


def has_had_its_chance(kind: PatternKind, barren: int, patience: int) -> bool:
    """Return whether a pattern is closed with `barren` pages counted against it; a patience of 0 has no end."""
    return 0 < patience * _STRETCH[kind] <= barren


def reason_of_closing(name: str, wasted: int, fetched: int) -> str:
    """Return why nothing more of a pattern is asked for."""
    return f"{wasted} of the {fetched} pages of {name[:100]} said nothing new, the latest among them"
