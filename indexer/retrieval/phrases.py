"""In which pages do the words stand in a row? Positions of the first word, moved on step by step and intersected."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from indexer.segments.document import FIELDS, Field

if TYPE_CHECKING:
    from collections.abc import Container

    from indexer.retrieval.query import Phrase
    from indexer.segments.segment import SegmentFile


def pages_with(phrase: Phrase, file: SegmentFile) -> set[int]:
    """Return the documents of a segment, deleted ones among them, with the phrase in one of their fields."""
    return {document for field in FIELDS for document in _in_field(phrase, file, field)}


def _in_field(phrase: Phrase, file: SegmentFile, field: Field) -> set[int]:
    starts: dict[int, set[int]] | None = None  # document: where the phrase can begin
    for offset, stems in phrase.steps:
        candidates = None if starts is None else starts.keys()
        here = _starts(file, field, stems, offset, candidates)
        if starts is not None:
            here = {document: both for document, places in here.items() if (both := places & starts[document])}
        if not here:
            return set()
        starts = here
    return set(starts or ())


def _starts(
    file: SegmentFile, field: Field, stems: tuple[str, ...], offset: int, candidates: Container[int] | None
) -> dict[int, set[int]]:
    """Return by document where a phrase begins that has one of the stems at this offset."""
    found: dict[int, set[int]] = {}
    for stem in stems:
        postings = file.postings(field, stem)
        if postings is None:
            continue
        for document, packed in zip(postings.documents, postings.positions(), strict=True):
            if candidates is None or document in candidates:
                places = array("I")
                places.frombytes(packed)
                found.setdefault(document, set()).update(place - offset for place in places)
    return found
