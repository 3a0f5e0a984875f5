"""Which conditions do the clauses of a question make?

Words and phrases make none where they stand by themselves: they are ranked by, and phrases stand first. Between OR, in
a group with a minus, and behind an operator they do. Values of site:, lang: and filetype: that stand beside each other
are alternatives, since no page has two of them; `before:` and `after:` leave their own days out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.query.clauses import ClauseKind
from indexer.query.conditions import AllOf, AnyOf, Condition, Contains, DatedIn, Not, OneOf, Phrase
from indexer.query.dates import days_of
from indexer.query.variants import Variants
from indexer.segments.schema import ADDED_FIELDS, FILE_TYPE, LANGUAGE, SITE, IndexField

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from indexer.query.clauses import Clause
    from indexer.query.lexicon import Lexicon

MAX_EXCLUSIONS = 8
MAX_CONDITIONS = 64  # in all, alternatives counted one by one; each costs the reading of its words
RANKED = {ClauseKind.WORDS, ClauseKind.PHRASE, ClauseKind.BEGINNING}
_VALUES = {ClauseKind.SITE: SITE, ClauseKind.LANGUAGE: LANGUAGE, ClauseKind.FILE_TYPE: FILE_TYPE}
_FIELDS = {ClauseKind.TITLE: IndexField.TITLE, ClauseKind.ADDRESS: IndexField.URL} | {
    ClauseKind(field.value): field for field in ADDED_FIELDS
}


class Demands:
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
        if clause.kind in _VALUES:
            return OneOf(_VALUES[clause.kind], self._values(clause))
        if clause.kind in {ClauseKind.BEFORE, ClauseKind.AFTER}:
            return _dated(clause)
        if clause.kind is ClauseKind.BEGINNING:
            words = Variants(self._lexicon.beginning(clause.text))
            return Contains(Phrase(f"{clause.text}*", ((0, words),)), in_template=not clause.minus)
        phrase = self._phrase_of(clause.text)
        return Contains(phrase, _FIELDS.get(clause.kind), in_template=not clause.minus) if phrase.steps else None

    def _values(self, clause: Clause) -> tuple[str, ...]:
        if clause.kind is ClauseKind.SITE:
            return self._lexicon.sites(clause.text)
        if clause.kind is ClauseKind.LANGUAGE:
            return (clause.text.lower().replace("_", "-").partition("-")[0],)
        return (clause.text.lower().lstrip("."),)


def _dated(clause: Clause) -> DatedIn | None:
    days = days_of(clause.text)
    if days is None:
        return None
    first, after = days
    return DatedIn(until=first.timestamp()) if clause.kind is ClauseKind.BEFORE else DatedIn(since=after.timestamp())
