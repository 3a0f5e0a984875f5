"""Which conditions must a result meet? Conditions on its words, site, language, type and date; `str` describes each.

The clauses of a query become conditions, and `ranking/matching.py` finds the pages that meet them. Words and phrases
at the top level make none: they are ranked by. Between OR, in an excluded group, and behind an operator they do. Two
values of site:, lang: or filetype: are alternatives, since no page has both. `before:` and `after:` exclude their own
days.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from indexer.analysis.readings import READING_MARK
from indexer.query.syntax import ClauseKind, date_range
from indexer.query.terms import Variants
from indexer.segments.schema import ADDED_FIELDS, FILE_TYPE, LANGUAGE, SITE, IndexField
from urls.wording import counted, enumerated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from indexer.query.lexicon import Lexicon
    from indexer.query.parser import Query
    from indexer.query.syntax import Clause
    from indexer.query.terms import Term

MAX_EXCLUSIONS = 8
MAX_CONDITIONS = 64  # in all, alternatives counted one by one; each costs the reading of its postings
MAX_ALTERNATIVES = 8  # that a description names; it counts the rest
MAX_NAMED = 3  # values of one operator that a description names; it counts the rest
_PLACES = {None: "", IndexField.TITLE: " in the title", IndexField.URL: " in the URL"} | {
    field: f" in the field {field}" for field in ADDED_FIELDS
}
_WORDING = {SITE: ("on ", "site"), LANGUAGE: ("in the language ", "language"), FILE_TYPE: ("of the type ", "type")}
TERM_KINDS = {ClauseKind.WORDS, ClauseKind.PHRASE, ClauseKind.PREFIX}
_EXACT_FIELDS = {ClauseKind.SITE: SITE, ClauseKind.LANGUAGE: LANGUAGE, ClauseKind.FILE_TYPE: FILE_TYPE}
_TEXT_FIELDS = {ClauseKind.TITLE: IndexField.TITLE, ClauseKind.URL: IndexField.URL} | {
    ClauseKind(field.value): field for field in ADDED_FIELDS
}


@dataclass(frozen=True, slots=True)
class Phrase:
    """Terms in sequence: each with its offset from the first."""

    text: str
    steps: tuple[tuple[int, Variants], ...]

    def __str__(self) -> str:
        return f"“{self.text}”"


@dataclass(frozen=True, slots=True)
class Contains:
    """The page has the phrase in `field`, or in any. Menus and footers count only with `in_template`."""

    phrase: Phrase
    field: IndexField | None = None
    in_template: bool = True

    def __str__(self) -> str:
        return f"with {self.phrase}{_PLACES[self.field]}"


@dataclass(frozen=True, slots=True)
class OneOf:
    """An exact field (SITE, LANGUAGE, FILE_TYPE or URL) has one of these values."""

    field: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        before, noun = _WORDING.get(self.field, ("at ", "URL"))
        more = len(self.values) - MAX_NAMED
        shown = " or ".join(self.values[:MAX_NAMED])
        return f"{before}{shown}" + (f" or {counted(more, f'other {noun}')}" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class DateRange:
    """The page was published, else changed, else fetched in this time: seconds since the epoch."""

    since: float | None = None
    until: float | None = None  # exclusive

    def __str__(self) -> str:
        if self.since is not None:
            return f"dated {_day(self.since)} or later"
        return f"dated before {_day(self.until or 0.0)}"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The page meets one of the parts."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        more = len(self.parts) - MAX_ALTERNATIVES
        shown = " or ".join(map(_bracketed, self.parts[:MAX_ALTERNATIVES]))
        return shown + (f" or {counted(more, 'other alternative')}" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class AllOf:
    """The page meets all parts."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " and ".join(map(_bracketed, self.parts))


@dataclass(frozen=True, slots=True)
class Not:
    """The page does not meet the part."""

    part: Condition

    def __str__(self) -> str:
        text = _bracketed(self.part)
        return f"without {text.removeprefix('with ')}" if isinstance(self.part, Contains) else f"not {text}"


Condition = Contains | OneOf | DateRange | AnyOf | AllOf | Not


def describe_conditions(conditions: Sequence[Condition]) -> str:
    """Return conditions that all hold as the end of a sentence."""
    return enumerated([_bracketed(one) if len(conditions) > 1 else str(one) for one in conditions])


def lists_pages(condition: Condition) -> bool:
    """Return whether a query without words lists every page that meets this condition."""
    if isinstance(condition, AnyOf | AllOf):
        return all(map(lists_pages, condition.parts))
    return isinstance(condition, OneOf | DateRange)


def _bracketed(part: Condition) -> str:
    return f"({part})" if isinstance(part, AnyOf | AllOf) else str(part)


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}"


class ConditionBuilder:
    """Builds conditions from clauses. `beyond` names the bounds that were exceeded."""

    def __init__(self, parse_phrase: Callable[[str], Phrase], lexicon: Lexicon) -> None:
        self._parse_phrase, self._lexicon = parse_phrase, lexicon
        self._left = MAX_CONDITIONS
        self.beyond: dict[str, bool] = {}

    def build(self, clauses: Iterable[Clause]) -> tuple[Condition, ...]:
        """Return the conditions that a result must all meet."""
        made: list[Condition] = []
        values: dict[str, list[str]] = {}
        excluded = 0
        for clause in clauses:
            if clause.kind in TERM_KINDS and not clause.excluded:
                continue
            excluded += clause.excluded
            if clause.excluded and excluded > MAX_EXCLUSIONS:
                self.beyond[f"exclusions after the first {MAX_EXCLUSIONS}"] = True
                continue
            condition = self._condition(clause)
            if isinstance(condition, OneOf):
                values.setdefault(condition.field, []).extend(condition.values)
            elif condition is not None:
                made.append(condition)
        return (*dict.fromkeys(made), *(OneOf(field, tuple(dict.fromkeys(found))) for field, found in values.items()))

    def _condition(self, clause: Clause) -> Condition | None:
        found = self._join(clause) if clause.parts else self._leaf(clause)
        return Not(found) if found is not None and clause.excluded else found

    def _join(self, clause: Clause) -> Condition | None:
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
        if clause.kind is ClauseKind.PREFIX:
            words = Variants(self._lexicon.expand_prefix(clause.text))
            return Contains(Phrase(f"{clause.text}*", ((0, words),)), in_template=not clause.excluded)
        phrase, field = self._parse_phrase(clause.text), _TEXT_FIELDS.get(clause.kind)
        return Contains(phrase, field, in_template=not clause.excluded) if phrase.steps else None

    def _values(self, clause: Clause) -> tuple[str, ...]:
        if clause.kind is ClauseKind.SITE:
            return self._lexicon.matching_sites(clause.text)
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


def describe_query(query: Query) -> str:
    """Return the sentences; "" for plain words."""
    return " ".join(_sentences(query))


def _sentences(query: Query) -> Iterator[str]:
    if query.urls:
        yield f"The query is a URL, so the search looks for that page: {' or '.join(query.urls)}."
        return
    if query.phrases:
        noun = "phrase" if len(query.phrases) == 1 else "phrases"
        yield f"Pages with the {noun} {enumerated(list(map(str, query.phrases)))} rank first."
    if query.conditions:
        yield f"Only pages {describe_conditions(query.conditions)}."
    for term in query.terms:
        if term.is_prefix:
            yield _describe_prefix(term.text, term.variants.exact)
    for compound in dict.fromkeys(term.compound for term in query.terms if term.compound):
        parts = [f"“{term.text}”" for term in query.terms if term.compound == compound]
        yield f"No page has “{compound}”, so the search also looks for its parts {enumerated(parts)}."
    if readings := list(dict.fromkeys(_describe_reading(term) for term in query.terms if term.reading_of)):
        more = counted(len(readings) - MAX_NAMED, "other word") if len(readings) > MAX_NAMED else ""
        yield f"Also searched by reading: {enumerated([*readings[:MAX_NAMED], *filter(None, [more])])}."
    for option in query.options:
        word = option.removeprefix("-")
        yield f'The search looks for “{option}”, since pages have this option. To exclude “{word}”, write -"{word}".'


def _describe_reading(term: Term) -> str:
    reading = term.text.removeprefix(READING_MARK)
    return reading if reading == term.reading_of else f"{term.reading_of} ({reading})"


def _describe_prefix(prefix: str, words: tuple[str, ...]) -> str:
    if not words:
        return f"No word of the index matches “{prefix}”."
    more = len(words) - MAX_NAMED
    named = ", ".join(words[:MAX_NAMED])
    return f"“{prefix}” matches {named}" + (f" and {counted(more, 'other word')}." if more > 0 else ".")
