"""How do robots.txt files change? Each version is compared with the one before it, one site after the other."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import TYPE_CHECKING, Final

from extensions.robots_files.study.one_file import UNIVERSAL, named_robots

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crawldb.tables.robots_files import RobotsVersion
    from robots import RobotsFile

A_DAY: Final = 24 * 3600.0  # seconds


@dataclass(frozen=True, slots=True)
class HistoryNumbers:
    """The changes of all files. A change may be about several things, so the sum of `by_kind` may exceed `changes`."""

    versions: int
    with_changes: int  # files
    changes: int
    median_days: float | None  # until a version was replaced by the next one; None: there is no change
    by_kind: Mapping[str, int]  # changes
    by_month: Mapping[str, int]  # changes by "2026-11", in universal time
    robots_added: Mapping[str, int]  # changes that name a robot for the first time, the most frequent first
    robots_removed: Mapping[str, int]
    rules_added: int
    rules_removed: int


class History:
    """Counts the changes of files. The versions of a file come one after the other, the oldest first."""

    def __init__(self) -> None:
        self._before: dict[bool, tuple[RobotsVersion, RobotsFile]] = {}  # by whether it was imported
        self._whose = ("", "")  # the file of these versions
        self._versions = self._rules_added = self._rules_removed = 0
        self._changes: Counter[tuple[str, str, bool]] = Counter()  # by file
        self._days: list[float] = []
        self._kinds: Counter[ChangeKind] = Counter()
        self._months: Counter[str] = Counter()
        self._added: Counter[str] = Counter()
        self._removed: Counter[str] = Counter()

    def add(self, version: RobotsVersion, file: RobotsFile) -> None:
        """Take the next version, parsed."""
        self._versions += 1
        whose = (version.origin, version.name)
        if whose != self._whose:
            self._whose = whose
            self._before.clear()
        if before := self._before.get(version.imported):
            self._note(before[0], version, change_between(before[1], file))
        self._before[version.imported] = (version, file)

    def _note(self, before: RobotsVersion, version: RobotsVersion, change: VersionChange) -> None:
        self._changes[(*self._whose, version.imported)] += 1
        self._days.append(max(version.first_seen - before.first_seen, 0.0) / A_DAY)
        self._kinds.update(change.kinds)
        self._months[_month(version.first_seen)] += 1
        self._added.update(change.robots_added)
        self._removed.update(change.robots_removed)
        self._rules_added += change.rules_added
        self._rules_removed += change.rules_removed

    def numbers(self) -> HistoryNumbers:
        """Return the numbers of the changes."""
        return HistoryNumbers(
            versions=self._versions,
            with_changes=len(self._changes),
            changes=self._changes.total(),
            median_days=median(self._days) if self._days else None,
            by_kind={kind: self._kinds[kind] for kind in ChangeKind},
            by_month=dict(sorted(self._months.items())),
            robots_added=dict(self._added.most_common()),
            robots_removed=dict(self._removed.most_common()),
            rules_added=self._rules_added,
            rules_removed=self._rules_removed,
        )


def _month(seconds: float) -> str:
    try:
        return time.strftime("%Y-%m", time.gmtime(seconds))
    except (OverflowError, ValueError, OSError):
        return "no month"  # a collection may have any time


class ChangeKind(StrEnum):
    """A subject of a change; one change may have several."""

    ROBOTS_ADDED = "new robots"
    ROBOTS_REMOVED = "robots removed"
    RULES_ADDED = "new rules"
    RULES_REMOVED = "rules removed"
    DELAYS = "delays"  # Crawl-delay or Request-rate
    SITEMAPS = "sitemaps"
    CLOSED = "closed to all"  # its first page, to robots that are not named
    OPENED = "opened to all"
    REGROUPED = "rules regrouped"  # the same lines for other robots, or in another order
    NOTHING = "nothing read"  # comments, blanks, lines that mean nothing


@dataclass(frozen=True, slots=True)
class VersionChange:
    """The differences between a version and the one before. Rules and paces count whichever robots they are for."""

    robots_added: tuple[str, ...]  # product tokens in lower case
    robots_removed: tuple[str, ...]
    rules_added: int
    rules_removed: int
    kinds: tuple[ChangeKind, ...]


def change_between(before: RobotsFile, after: RobotsFile) -> VersionChange:
    """Compare two versions of a file."""
    old_robots, new_robots = named_robots(before), named_robots(after)
    added = tuple(name for name in new_robots if name not in set(old_robots))
    removed = tuple(name for name in old_robots if name not in set(new_robots))
    old_rules, new_rules = Counter(_rules(before)), Counter(_rules(after))
    more, fewer = (new_rules - old_rules).total(), (old_rules - new_rules).total()
    was_open, is_open = (file.decide(UNIVERSAL, "/").allowed for file in (before, after))
    seen = {
        ChangeKind.ROBOTS_ADDED: bool(added),
        ChangeKind.ROBOTS_REMOVED: bool(removed),
        ChangeKind.RULES_ADDED: bool(more),
        ChangeKind.RULES_REMOVED: bool(fewer),
        ChangeKind.DELAYS: Counter(_paces(before)) != Counter(_paces(after)),
        ChangeKind.SITEMAPS: set(before.sitemaps) != set(after.sitemaps),
        ChangeKind.CLOSED: was_open and not is_open,
        ChangeKind.OPENED: is_open and not was_open,
    }
    kinds = tuple(kind for kind, is_so in seen.items() if is_so)
    if not kinds:
        kinds = (ChangeKind.NOTHING if _statements(before) == _statements(after) else ChangeKind.REGROUPED,)
    return VersionChange(added, removed, more, fewer, kinds)


def _rules(file: RobotsFile) -> Iterator[tuple[bool, bytes]]:
    return ((allow, value) for group in file.groups for _, allow, value in group.rules)


def _paces(file: RobotsFile) -> Iterator[tuple[str, bytes]]:
    paces = (pace for group in file.groups for block in group.blocks for pace in block.paces)
    return ((field.value, value) for _, field, value in paces)


def _statements(file: RobotsFile) -> list[object]:
    """Return the effective content of a file, without the numbers of its lines."""
    said = [
        (
            [(block.names, [(field, value) for _, field, value in block.paces]) for block in group.blocks],
            [(allow, value) for _, allow, value in group.rules],
        )
        for group in file.groups
    ]
    return [said, file.sitemaps]
