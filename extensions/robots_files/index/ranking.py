"""Which robots.txt comes first? The one that is most about what was asked: BM25, with lines for words.

A condition counts the more, the fewer files fulfil it (idf), the more lines of the file do (HALF of them are worth a
half), and the shorter the file is (B): of two files with `Disallow: /` for a robot, that which says little else comes
first. Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with its usual constants
and the formulas by which pages are ranked. Where that is equal, or only a date or a site was asked for, the file that
was seen last comes first.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from indexer.ranking.score import DIGITS, inverse_document_frequency, saturation
from indexer.snapshot.statistics import length_norm
from urls.counted import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

HALF = 1.2  # lines in a file of mean length; k1 in the literature
B = 0.75  # share of the length that counts
IN_WORDS = (
    "Ranked by BM25 over lines: each condition gives idf (how few files fulfil it) x saturation (how many lines of the "
    "file do, beside its length). Where that is equal, the file that was seen last comes first."
)


@dataclass(frozen=True, slots=True)
class RobotsScorePart:
    """What a condition gives a file: `idf` x `saturation`; `lines` of the file fulfil it."""

    condition: str
    lines: int
    length: int  # of the file, in lines that are not blank
    mean: float  # length of all files
    files: int  # that fulfil it
    of: int  # files that were searched

    @property
    def idf(self) -> float:
        """How much the condition says: next to 0 where all files fulfil it."""
        return inverse_document_frequency(self.of, self.files)

    @property
    def saturation(self) -> float:
        """How much it counts that so many lines of a file of this length fulfil it, from 0 to 1."""
        return saturation(self.lines / length_norm(self.length, self.mean, B), HALF)

    @property
    def value(self) -> float:
        """What it adds to the score, rounded as it is shown."""
        return round(self.idf * self.saturation, DIGITS)

    def __str__(self) -> str:
        return (
            f"{self.value:.{DIGITS}f}  {self.condition}: {self.lines:,} of {counted(self.length, 'line')}, mean "
            f"{self.mean:.1f}; idf {self.idf:.3f} (in {self.files:,} of {counted(self.of, 'file')}) "
            f"x saturation {self.saturation:.3f}"
        )

    def as_dict(self) -> dict[str, object]:
        """Return the part as JSON has it."""
        return asdict(self) | {"idf": self.idf, "saturation": self.saturation, "value": self.value}


def robots_score(parts: Sequence[RobotsScorePart]) -> float:
    """Return the score as it is shown: the sum of its parts."""
    return round(sum(part.value for part in parts), DIGITS)
