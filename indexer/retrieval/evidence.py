"""Where do the words of the query stand? The postings of each term, read once, summed over fields and stems.

Term at a time: for each term all its postings, then the next term. Nothing is joined by AND: a page with the rare
word alone may be what was asked for, and of long queries an AND answers almost none.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.segments.document import FIELDS, Field

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indexer.retrieval.query import Term
    from indexer.retrieval.snapshot import Snapshot, View
    from indexer.segments.segment import Postings


@dataclass(frozen=True, slots=True)
class Evidence:
    """One term in one snapshot: for each segment its postings by field, and the weighted frequencies by document."""

    term: Term
    postings: tuple[tuple[tuple[Field, Postings], ...], ...]
    frequencies: tuple[dict[int, float], ...]

    @property
    def pages(self) -> int:
        """Live pages with the term in any field."""
        return sum(map(len, self.frequencies))

    def in_fields(self, segment: int, document: int) -> Iterator[tuple[Field, int]]:
        """Yield the fields of a document in which the term stands, and how often."""
        counts: dict[Field, int] = {}
        for field, found in self.postings[segment]:
            row = bisect_left(found.documents, document)
            if row < len(found.documents) and found.documents[row] == document:
                counts[field] = counts.get(field, 0) + int(found.frequencies[row])
        yield from counts.items()


def gather(term: Term, snapshot: Snapshot, weights: Mapping[Field, float]) -> Evidence:
    """Read everything that the index has on a term."""
    postings = tuple(_postings(term, view, weights) for view in snapshot.views)
    frequencies = tuple(_sum(found, view, weights) for found, view in zip(postings, snapshot.views, strict=True))
    return Evidence(term, postings, frequencies)


def _postings(term: Term, view: View, weights: Mapping[Field, float]) -> tuple[tuple[Field, Postings], ...]:
    return tuple(
        (field, found)
        for field in FIELDS
        if weights[field]
        for stem in term.stems
        if (found := view.file.postings(field, stem)) is not None
    )


def _sum(postings: tuple[tuple[Field, Postings], ...], view: View, weights: Mapping[Field, float]) -> dict[int, float]:
    total: dict[int, float] = {}
    # The longest list first: it is taken over whole, and only the short ones are added posting by posting.
    for field, found in sorted(postings, key=lambda pair: -len(pair[1].documents)):
        weight = weights[field]
        if not total:
            total = {
                document: weight * frequency
                for document, frequency in zip(found.documents, found.frequencies, strict=True)
            }
            continue
        for document, frequency in zip(found.documents, found.frequencies, strict=True):
            total[document] = total.get(document, 0.0) + weight * frequency
    for document in view.deleted if len(view.deleted) < len(total) else tuple(total.keys() & view.deleted):
        total.pop(document, None)
    return total
