"""What is another in a later version of a robots.txt? Its robots, rules, delays or sitemaps, or nothing that counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from extensions.robots_files.study.bias import UNIVERSAL, named_robots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from robots import RobotsFile


class ChangeKind(StrEnum):
    """What a change is about; one change may be about several things."""

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
    """What a version says otherwise than the one before; rules and paces are counted whatever robots they are for."""

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
    """Return all that counts of a file, without the numbers of its lines."""
    said = [
        (
            [(block.names, [(field, value) for _, field, value in block.paces]) for block in group.blocks],
            [(allow, value) for _, allow, value in group.rules],
        )
        for group in file.groups
    ]
    return [said, file.sitemaps]
