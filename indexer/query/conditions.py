"""What must a page be to answer? Conditions on its words, site, language, type and date; each says itself in words.

They are made by query.py from what a person typed, and looked up by matching.py. Not, AllOf and AnyOf join others.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from indexer.segments.schema import ADDED_FIELDS, FILE_TYPE, LANGUAGE, SITE, IndexField
from urls.counted import counted, enumerated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.query.variants import Variants

MAX_ALTERNATIVES = 8  # are told; of more, how many there are
NAMED = 3  # values of one operator are named; of more, how many there are
_PLACES = {None: "", IndexField.TITLE: " in the title", IndexField.URL: " in the address"} | {
    field: f" in the field {field}" for field in ADDED_FIELDS
}
_VALUES = {SITE: ("on ", "site"), LANGUAGE: ("in the language ", "language"), FILE_TYPE: ("of the type ", "type")}


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words in a row: each with its offset from the first."""

    text: str
    steps: tuple[tuple[int, Variants], ...]

    def __str__(self) -> str:
        return f"“{self.text}”"


@dataclass(frozen=True, slots=True)
class Contains:
    """It has the words in a row: in `field`, or in any. Menus and footers count only `in_template`."""

    phrase: Phrase
    field: IndexField | None = None
    in_template: bool = True

    def __str__(self) -> str:
        return f"with {self.phrase}{_PLACES[self.field]}"


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of its exact values is among `values`: of SITE, LANGUAGE, FILE_TYPE or URL."""

    field: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        before, noun = _VALUES.get(self.field, ("at ", "address"))
        more = len(self.values) - NAMED
        shown = " or ".join(self.values[:NAMED])
        return f"{before}{shown}" + (f" or {counted(more, f'other {noun}')}" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class DatedIn:
    """It was published, else changed, else fetched in these seconds since the epoch."""

    since: float | None = None
    until: float | None = None  # and not at it

    def __str__(self) -> str:
        if self.since is not None:
            return f"dated {_day(self.since)} or later"
        return f"dated before {_day(self.until or 0.0)}"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of the parts holds."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        more = len(self.parts) - MAX_ALTERNATIVES
        shown = " or ".join(map(_inside, self.parts[:MAX_ALTERNATIVES]))
        return shown + (f" or {counted(more, 'other alternative')}" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class AllOf:
    """All parts hold."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " and ".join(map(_inside, self.parts))


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Condition

    def __str__(self) -> str:
        told = _inside(self.part)
        return f"without {told.removeprefix('with ')}" if isinstance(self.part, Contains) else f"not {told}"


Condition = Contains | OneOf | DatedIn | AnyOf | AllOf | Not


def told_together(conditions: Sequence[Condition]) -> str:
    """Return conditions that hold together as the end of a sentence."""
    told = [_inside(one) if len(conditions) > 1 else str(one) for one in conditions]
    return enumerated(told)


def lists(condition: Condition) -> bool:
    """Return whether a question without words asks for every page of which it holds."""
    if isinstance(condition, AnyOf | AllOf):
        return all(map(lists, condition.parts))
    return isinstance(condition, OneOf | DatedIn)


def _inside(part: Condition) -> str:
    return f"({part})" if isinstance(part, AnyOf | AllOf) else str(part)


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}"
