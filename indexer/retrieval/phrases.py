"""Which pages have these words in a row? Those where the positions of each word follow on the positions of another one.

Most pages are sorted out by whole lists: only those with all words of the phrase in one field come into question.
Within such a page the rarest word goes first: each place where it stands is a place where the phrase can be, and the
other words are looked up there. So a phrase of words that stand everywhere costs little where they don't meet.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from indexer.segments.postings import Postings
from indexer.segments.schema import INDEX_FIELDS, IndexField

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from indexer.retrieval.deadline import Deadline
    from indexer.retrieval.query import Phrase
    from indexer.segments.segment import SegmentFile

BATCH = 64  # pages that are looked through between two looks at the clock

_Step = tuple[int, list[Postings]]  # the offset of a word from the first one, and the forms in which it can stand


class PhraseFinder:
    """Finds the phrases of one question in one segment; a term that several of them have is read once."""

    def __init__(self, file: SegmentFile, deadline: Deadline) -> None:
        self._file = file
        self._deadline = deadline
        self._read: dict[tuple[IndexField, str], Postings | None] = {}

    def split(self, phrase: Phrase, among: AbstractSet[int], *, in_template: bool = True) -> tuple[set[int], set[int]]:
        """Return the documents of `among` with the phrase in one of their fields, and those without it.

        Those that there was no time to look through are in neither. Without `in_template`, what stands around the main
        text is left out: who excludes a word that is in every footer means what pages say.
        """
        having: set[int] = set()
        unseen: set[int] = set()
        for field in INDEX_FIELDS:
            if among and (in_template or field is not IndexField.TEMPLATE):
                self._look_through(phrase, field, among, having, unseen)
        return having, set(among) - having - unseen

    def _look_through(
        self, phrase: Phrase, field: IndexField, among: AbstractSet[int], having: set[int], unseen: set[int]
    ) -> None:
        if self._late(phrase):
            unseen.update(among)
            return
        steps = self._steps(phrase, field)
        candidates = sorted(_with_all_words(steps, among) - having)
        if len(steps) == 1:
            having.update(candidates)  # one word in a row
            return
        for start in range(0, len(candidates), BATCH):
            if self._late(phrase):
                unseen.update(candidates[start:])
                return
            having.update(document for document in candidates[start : start + BATCH] if _stands_in(document, steps))

    def _late(self, phrase: Phrase) -> bool:
        return self._deadline.passed(f"pages that were not looked through for “{phrase.text}” yet")

    def _steps(self, phrase: Phrase, field: IndexField) -> list[_Step]:
        steps: list[_Step] = []
        for offset, stems in phrase.steps:
            forms = [places for stem in stems if (places := self._places(field, stem)) is not None]
            if not forms:
                return []  # the field has no such word
            steps.append((offset, forms))
        return steps

    def _places(self, field: IndexField, stem: str) -> Postings | None:
        if (field, stem) not in self._read:
            self._read[field, stem] = self._file.postings(field, stem)
        return self._read[field, stem]


def _with_all_words(steps: list[_Step], among: AbstractSet[int]) -> set[int]:
    if not steps:
        return set()
    left = set(among)
    for _, forms in sorted(steps, key=lambda step: sum(len(places.documents) for places in step[1])):
        left &= set().union(*(places.documents.tolist() for places in forms))
    return left


def _stands_in(document: int, steps: list[_Step]) -> bool:
    """Return whether a document has all words of the steps at their offsets from one place."""
    found = [(offset, _places_in(document, forms)) for offset, forms in steps]
    (first, places), *others = sorted(found, key=lambda step: len(step[1]))
    return any(all(_has(where, place - first + offset) for offset, where in others) for place in places)


def _places_in(document: int, forms: list[Postings]) -> list[int]:
    return sorted(place for form in forms for place in form.positions_in(document).tolist())


def _has(places: list[int], place: int) -> bool:
    row = bisect_left(places, place)
    return row < len(places) and places[row] == place
