"""What does a near copy say that its original does not, and the other way round? The first lines on which they part."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from reports.wording import counted

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
            return "Line by line both say the same today: one of them has been read again since."
        only = ((where, lines) for where, lines in (("here", self.here), ("there", self.there)) if lines)
        told = [f"only {where}: {', '.join(f'“{line}”' for line in lines)}" for where, lines in only]
        more = f"; and {counted(self.more, 'more line')}" if self.more else ""
        return f"They differ: {'; '.join(told)}{more}."


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
