"""What must a page be to answer? Conditions on its words, site, language, type and date; each says itself in words.

They are made by query.py from what a person typed, and looked up by matching.py. Not, AllOf and AnyOf join others.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from indexer.query.syntax import ClauseKind, date_range
from indexer.query.terms import Variants
from indexer.segments.schema import ADDED_FIELDS, FILE_TYPE, LANGUAGE, SITE, IndexField
from urls.counted import counted, enumerated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from indexer.query.lexicon import Lexicon
    from indexer.query.syntax import Clause

MAX_ALTERNATIVES = 8  # are told; of more, how many there are
NAMED = 3  # values of one operator are named; of more, how many there are
_PLACES = {None: "", IndexField.TITLE: " in the title", IndexField.URL: " in the address"} | {
    field: f" in the field {field}" for field in ADDED_FIELDS
}
_WORDING = {SITE: ("on ", "site"), LANGUAGE: ("in the language ", "language"), FILE_TYPE: ("of the type ", "type")}


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
        before, noun = _WORDING.get(self.field, ("at ", "address"))
        more = len(self.values) - NAMED
        shown = " or ".join(self.values[:NAMED])
        return f"{before}{shown}" + (f" or {counted(more, f'other {noun}')}" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class DateRange:
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


Condition = Contains | OneOf | DateRange | AnyOf | AllOf | Not


def describe_conditions(conditions: Sequence[Condition]) -> str:
    """Return conditions that hold together as the end of a sentence."""
    told = [_inside(one) if len(conditions) > 1 else str(one) for one in conditions]
    return enumerated(told)


def lists(condition: Condition) -> bool:
    """Return whether a question without words asks for every page of which it holds."""
    if isinstance(condition, AnyOf | AllOf):
        return all(map(lists, condition.parts))
    return isinstance(condition, OneOf | DateRange)


def _inside(part: Condition) -> str:
    return f"({part})" if isinstance(part, AnyOf | AllOf) else str(part)


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}"


MAX_EXCLUSIONS = 8
MAX_CONDITIONS = 64  # in all, alternatives counted one by one; each costs the reading of its words
RANKED = {ClauseKind.WORDS, ClauseKind.PHRASE, ClauseKind.BEGINNING}
_EXACT_FIELDS = {ClauseKind.SITE: SITE, ClauseKind.LANGUAGE: LANGUAGE, ClauseKind.FILE_TYPE: FILE_TYPE}
_TEXT_FIELDS = {ClauseKind.TITLE: IndexField.TITLE, ClauseKind.ADDRESS: IndexField.URL} | {
    ClauseKind(field.value): field for field in ADDED_FIELDS
}


class ConditionBuilder:
    """Makes conditions of clauses, and notes what was beyond a bound."""

    def __init__(self, phrase_of: Callable[[str], Phrase], lexicon: Lexicon) -> None:
        self._phrase_of, self._lexicon = phrase_of, lexicon
        self._left = MAX_CONDITIONS
        self.beyond: dict[str, bool] = {}

    def of(self, clauses: Iterable[Clause]) -> tuple[Condition, ...]:
        """Return the conditions that must hold together."""
        made: list[Condition] = []
        values: dict[str, list[str]] = {}
        excluded = 0
        for clause in clauses:
            if clause.kind in RANKED and not clause.minus:
                continue
            excluded += clause.minus
            if clause.minus and excluded > MAX_EXCLUSIONS:
                self.beyond[f"exclusions after the first {MAX_EXCLUSIONS}"] = True
                continue
            condition = self._condition(clause)
            if isinstance(condition, OneOf):
                values.setdefault(condition.field, []).extend(condition.values)
            elif condition is not None:
                made.append(condition)
        return (*dict.fromkeys(made), *(OneOf(field, tuple(dict.fromkeys(found))) for field, found in values.items()))

    def _condition(self, clause: Clause) -> Condition | None:
        found = self._together(clause) if clause.parts else self._leaf(clause)
        return Not(found) if found is not None and clause.minus else found

    def _together(self, clause: Clause) -> Condition | None:
        parts = tuple(part for each in clause.parts if (part := self._condition(each)) is not None)
        if len(parts) < 2:  # noqa: PLR2004 - one is nothing to choose from
            return parts[0] if parts else None
        return AnyOf(parts) if clause.kind is ClauseKind.ANY else AllOf(parts)

    def _leaf(self, clause: Clause) -> Condition | None:
        if not self._left:
            self.beyond[f"conditions after the first {MAX_CONDITIONS}"] = True
            return None
        self._left -= 1
        if clause.kind in _EXACT_FIELDS:
            return OneOf(_EXACT_FIELDS[clause.kind], self._values(clause))
        if clause.kind in {ClauseKind.BEFORE, ClauseKind.AFTER}:
            return _dated(clause)
        if clause.kind is ClauseKind.BEGINNING:
            words = Variants(self._lexicon.beginning(clause.text))
            return Contains(Phrase(f"{clause.text}*", ((0, words),)), in_template=not clause.minus)
        phrase = self._phrase_of(clause.text)
        return Contains(phrase, _TEXT_FIELDS.get(clause.kind), in_template=not clause.minus) if phrase.steps else None

    def _values(self, clause: Clause) -> tuple[str, ...]:
        if clause.kind is ClauseKind.SITE:
            return self._lexicon.sites(clause.text)
        if clause.kind is ClauseKind.LANGUAGE:
            return (clause.text.lower().replace("_", "-").partition("-")[0],)
        return (clause.text.lower().lstrip("."),)


def _dated(clause: Clause) -> DateRange | None:
    days = date_range(clause.text)
    if days is None:
        return None
    first, after = days
    return (
        DateRange(until=first.timestamp()) if clause.kind is ClauseKind.BEFORE else DateRange(since=after.timestamp())
    )
