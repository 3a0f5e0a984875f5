"""What is told of each robots.txt that answers? The lines that decide, its score with its parts, where it is from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crawldb.tables.robots_versions import RobotsVersion
    from extensions.robots_files.index.ranking import RobotsScorePart


@dataclass(frozen=True, slots=True)
class DecidingLine:
    """A line that fulfils conditions of the question; `number` counts from 1, 0: the file as a whole (of a lint)."""

    number: int
    text: str
    conditions: tuple[str, ...]  # as they were typed


@dataclass(frozen=True, slots=True)
class RobotsHit:
    """A version of a robots.txt that answers. `part` and `version.id` name it within the data folder."""

    rank: int
    part: str  # folder of the part of a divided crawl; "" of a whole one
    version: RobotsVersion
    site: str
    size: int  # octets
    length: int  # lines that are not blank
    score: float  # the sum of its parts
    parts: tuple[RobotsScorePart, ...]
    lines: tuple[DecidingLine, ...]
    more_lines: int  # that decide too, and are not shown

    def as_dict(self) -> dict[str, object]:
        """Return the hit as JSON has it."""
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
    """How many of the files that were searched fulfil one condition by itself."""

    condition: str
    files: int


@dataclass(frozen=True, slots=True)
class NearNames:
    """Which robots are named whose names are near one that nobody names, each with its files; most files first."""

    asked: str
    known: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class RobotsResults:
    """One page of results. `searched` counts the versions that could answer."""

    query: str
    total: int
    hits: tuple[RobotsHit, ...]
    page: int
    limit: int
    searched: int
    history: bool  # whether older versions were searched, too
    seconds: float = 0.0
    understood: str = ""
    unread: tuple[str, ...] = ()  # what is not asked for as it was typed, and why
    alone: tuple[ConditionCount, ...] = ()  # where nothing was found
    near: tuple[NearNames, ...] = ()  # the same

    def as_dict(self) -> dict[str, object]:
        """Return the results as JSON has them."""
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
