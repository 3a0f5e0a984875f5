"""Which conditions can a robots.txt fulfil? A line, alone or in one group with others; or a date, a site, a size.

Each condition describes itself in words, and is a piece of SQL over the tables of `tables.py`. Conditions on lines of a
group that are next to each other, outside parentheses, hold in ONE group of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from extensions.robots_files.index.tables import (
    EVERY_VERSION,
    Selection,
    lines_where,
    versions_of_files,
    versions_where,
    within_groups,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from extensions.robots_files.index.tables import Value

END = "\U0010ffff"  # sorts after every text with the same beginning


@dataclass(frozen=True, slots=True)
class LineCondition:
    """A condition on a line. `where` is SQL on a row of table `line`; `of_group`: only lines of groups fulfil it."""

    typed: str
    words: str
    where: str
    values: tuple[Value, ...]
    of_group: bool
    agent: str = ""  # the robot that it names, if any

    def __str__(self) -> str:
        return self.words

    def select(self, columns: str) -> Selection:
        """Return columns of the matching lines."""
        return lines_where(columns, self.where, self.values)


@dataclass(frozen=True, slots=True)
class VersionCondition:
    """A condition on a version: `where` is SQL on a row of table `version`."""

    words: str
    where: str
    values: tuple[Value, ...]
    of_time: bool = False  # it searches the history, not only the newest versions

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Joined:
    """All parts hold, or any of them."""

    parts: tuple[Asked, ...]
    any_of: bool = False

    def __str__(self) -> str:
        return f"({' or '.join(map(str, self.parts)) if self.any_of else told(self.parts)})"


@dataclass(frozen=True, slots=True)
class Excluded:
    """The part holds nowhere in the file."""

    part: Asked

    def __str__(self) -> str:
        return f"not {self.part}"


Asked = LineCondition | VersionCondition | Joined | Excluded


def is_of_group(asked: Asked) -> bool:
    """Return whether it is about one group: a line of a group, or alternatives that all are."""
    if isinstance(asked, Joined):
        return asked.any_of and all(map(is_of_group, asked.parts))
    return isinstance(asked, LineCondition) and asked.of_group


def groups_with(together: Sequence[Asked]) -> Selection:
    """Return file and group of the groups in which all conditions hold."""
    return Selection.joined("INTERSECT", map(_groups, together))


def _groups(asked: Asked) -> Selection:
    if isinstance(asked, Joined):
        return Selection.joined("UNION", map(_groups, asked.parts))
    assert isinstance(asked, LineCondition), asked  # noqa: S101 - is_of_group allows no other
    return asked.select("file, grp")


def versions_with(asked: Sequence[Asked]) -> Selection:
    """Return the ids of the versions for which all conditions hold."""
    together = [one for one in asked if is_of_group(one)]
    others = [_versions(one) for one in asked if not is_of_group(one) and not isinstance(one, Excluded)]
    if together:
        others.insert(0, versions_of_files(groups_with(together)))
    found = Selection.joined("INTERSECT", others or [EVERY_VERSION])
    without = [versions_with([one.part]) for one in asked if isinstance(one, Excluded)]
    return Selection.joined("EXCEPT", [found, *without])


def _versions(asked: Asked) -> Selection:
    match asked:
        case LineCondition():
            return versions_of_files(asked.select("file"))
        case VersionCondition():
            return versions_where(asked.where, asked.values)
        case Joined(parts, any_of=True):
            return Selection.joined("UNION", (versions_with([part]) for part in parts))
        case Joined(parts):
            return versions_with(parts)
        case Excluded(part):
            return Selection.joined("EXCEPT", [EVERY_VERSION, versions_with([part])])


class Deciding(NamedTuple):
    """A condition whose lines make a file match; `groups`: only lines in these, None: in the whole file."""

    condition: LineCondition
    groups: Selection | None

    def lines(self, columns: str) -> Selection:
        """Return columns of the deciding lines."""
        where, values = self.condition.where, self.condition.values
        if self.groups is not None:
            where, values = within_groups(where, self.groups), values + self.groups.values
        return lines_where(columns, where, values)


def deciding(asked: Sequence[Asked]) -> Iterator[Deciding]:
    """Yield the conditions whose lines make a file match; an excluded part has no lines."""
    together = [one for one in asked if is_of_group(one)]
    groups = groups_with(together) if len(together) > 1 else None  # a single condition decides in any group
    for one in asked:
        if isinstance(one, LineCondition):
            yield Deciding(one, groups if one.of_group else None)
        elif isinstance(one, Joined) and is_of_group(one):
            yield from (Deciding(leaf, groups) for leaf in leaves(one))
        elif isinstance(one, Joined):
            for part in [[part] for part in one.parts] if one.any_of else [one.parts]:
                yield from deciding(part)


def leaves(asked: Asked) -> Iterator[LineCondition]:
    """Yield the conditions on lines, also the excluded ones."""
    match asked:
        case LineCondition():
            yield asked
        case Joined(parts):
            for part in parts:
                yield from leaves(part)
        case Excluded(part):
            yield from leaves(part)
        case _:
            pass


def told(asked: Sequence[Asked]) -> str:
    """Return in words the conditions that must hold together."""
    together = [str(one) for one in asked if is_of_group(one)]
    others = [str(one) for one in asked if not is_of_group(one)]
    group = [f"in one group {' and '.join(together)}" if len(together) > 1 else "".join(together)]
    return "; ".join((group if together else []) + others)
