"""How long are the fields of the pages? By powers of two, since lengths of texts spread over five orders of magnitude.

A word counts for less in a field that is longer than the mean: the mean is taken over the pages that have the field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.segments.schema import INDEX_FIELDS

if TYPE_CHECKING:
    from indexer.segments.schema import IndexField
    from indexer.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class FieldLengths:
    """The lengths of one field, in positions. `bins` have the shortest length of each, the longest, and the pages."""

    field: IndexField
    pages: int  # that have the field
    mean: float
    longest: int
    bins: tuple[tuple[int, int, int], ...]


def field_lengths(snapshot: Snapshot) -> list[FieldLengths]:
    """Return the lengths of each field that some page has. Raises CorruptIndex."""
    return [told for field in INDEX_FIELDS if (told := _of(snapshot, field)).pages]


def _of(snapshot: Snapshot, field: IndexField) -> FieldLengths:
    found = [view.lengths(field)[view.live] for view in snapshot.views]
    lengths = np.concatenate([np.empty(0, np.uint32), *found])
    lengths = lengths[lengths > 0]
    longest = int(lengths.max(initial=0))
    counts = np.bincount(np.frexp(lengths.astype(np.float64))[1] - 1, minlength=1) if len(lengths) else np.zeros(0, int)
    bins = tuple((1 << power, (2 << power) - 1, int(count)) for power, count in enumerate(counts.tolist()))
    return FieldLengths(field, len(lengths), snapshot.mean_lengths[field], longest, bins)
