"""Which lines of a robots.txt are shown, and which file comes first? The deciding lines, and a score with its parts.

The score is BM25, with lines for words. A condition counts more if few files fulfil it (idf). It counts more with the
number of matching lines: HALF lines give half of the maximum. It counts less in a long file (B). So of two files with
`Disallow: /` for a robot, the one with few other lines comes first. Robertson and Zaragoza, "The Probabilistic
Relevance Framework: BM25 and Beyond" (2009), with its usual constants and the formulas that rank pages. Files with
equal scores come in falling order of when they were last seen.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from indexer.ranking.score import DIGITS, inverse_document_frequency, saturation
from indexer.segments.snapshot import length_norm
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.tables.robots_files import RobotsVersion

HALF = 1.2  # lines in a file of mean length; k1 in the literature
B = 0.75  # share of the length that counts
IN_WORDS = (
    "Ranked by BM25 over lines: each condition gives idf (how few files fulfil it) x saturation (how many lines of the "
    "file do, compared with its length). Among equal files, the one that was seen last comes first."
)


@dataclass(frozen=True, slots=True)
class DecidingLine:
    """A line that fulfils conditions of the query; `number` counts from 1, 0: the file as a whole (of a lint)."""

    number: int
    text: str
    conditions: tuple[str, ...]  # as they were typed


@dataclass(frozen=True, slots=True)
class RobotsHit:
    """A version of a robots.txt that matches. `part` and `version.id` name it within the data folder."""

    rank: int
    part: str  # folder of the part of a divided crawl; "" of a whole one
    version: RobotsVersion
    site: str
    size: int  # octets
    length: int  # lines that are not blank
    score: float  # the sum of its parts
    parts: tuple[RobotsScorePart, ...]
    lines: tuple[DecidingLine, ...]
    more_lines: int  # further deciding lines that are not shown

    def as_dict(self) -> dict[str, object]:
        """Return the hit for JSON."""
        version = self.version
        return {
            "rank": self.rank,
            "address": version.address,
            "origin": version.origin,
            "name": version.name,
            "site": self.site,
            "imported": version.imported,
            "collection": version.collection,
            "first_seen": _iso(version.first_seen),
            "last_seen": _iso(version.last_seen),
            "newest": version.newest,
            "status": version.status,
            "size": self.size,
            "lines_in_file": self.length,
            "part": self.part,
            "version": version.id,
            "score": self.score,
            "explain": [part.as_dict() for part in self.parts],
            "lines": [asdict(line) for line in self.lines],
            "more_lines": self.more_lines,
        }


@dataclass(frozen=True, slots=True)
class ConditionCount:
    """The number of searched files that fulfil one condition by itself."""

    condition: str
    files: int


@dataclass(frozen=True, slots=True)
class NearNames:
    """The known robots with names near an unknown one, each with its number of files; most files first."""

    asked: str
    known: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class RobotsResults:
    """One page of results. `searched` counts the versions that could match."""

    query: str
    total: int
    hits: tuple[RobotsHit, ...]
    page: int
    limit: int
    searched: int
    history: bool  # whether older versions were searched, too
    seconds: float = 0.0
    understood: str = ""
    unread: tuple[str, ...] = ()  # parts that are not searched as typed, and why
    alone: tuple[ConditionCount, ...] = ()  # if nothing was found
    near: tuple[NearNames, ...] = ()  # the same

    def as_dict(self) -> dict[str, object]:
        """Return the results for JSON."""
        return {
            "query": self.query,
            "understood": self.understood,
            "total": self.total,
            "took_ms": round(self.seconds * 1000, 1),
            "searched": self.searched,
            "all_versions": self.history,
            "page": self.page,
            "unread": list(self.unread),
            "alone": [asdict(count) for count in self.alone],
            "near": [{"asked": each.asked, "known": dict(each.known)} for each in self.near],
            "hits": [hit.as_dict() for hit in self.hits],
        }


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class RobotsScorePart:
    """The score of a file for a condition: `idf` x `saturation`; `lines` of the file fulfil it."""

    condition: str
    lines: int
    length: int  # of the file, in lines that are not blank
    mean: float  # length of all files
    files: int  # that fulfil it
    of: int  # files that were searched

    @property
    def idf(self) -> float:
        """The weight of the condition: near 0 if all files fulfil it."""
        return inverse_document_frequency(self.of, self.files)

    @property
    def saturation(self) -> float:
        """The effect of that many lines in a file of this length, from 0 to 1."""
        return saturation(self.lines / length_norm(self.length, self.mean, B), HALF)

    @property
    def value(self) -> float:
        """Its part of the score, rounded as it is shown."""
        return round(self.idf * self.saturation, DIGITS)

    def __str__(self) -> str:
        return (
            f"{self.value:.{DIGITS}f}  {self.condition}: {self.lines:,} of {counted(self.length, 'line')}, mean "
            f"{self.mean:.1f}; idf {self.idf:.3f} (in {self.files:,} of {counted(self.of, 'file')}) "
            f"x saturation {self.saturation:.3f}"
        )

    def as_dict(self) -> dict[str, object]:
        """Return the part for JSON."""
        return asdict(self) | {"idf": self.idf, "saturation": self.saturation, "value": self.value}


def robots_score(parts: Sequence[RobotsScorePart]) -> float:
    """Return the score as it is shown: the sum of its parts."""
    return round(sum(part.value for part in parts), DIGITS)
