"""By what can results be narrowed? Their sites, languages, file types and years, each with how many results it leaves.

What a page can be asked for by is kept as columns, a number of its value for each document, so that counting over all
pages that answer is one `bincount`. Of pages that say nearly the same, one result is shown (folding.py), and they
count once for each value; so the number of a value is that of the results which the narrowed question has.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.question.narrowing import YEARS
from indexer.retrieval.folding import ALONE
from indexer.segments.schema import FILE_TYPE, LANGUAGE, SITE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.ranking.phrases import Mask
    from indexer.retrieval.snapshot import Snapshot
    from indexer.segments.segment import SegmentFile

    Column = NDArray[np.intp]  # by document: the number of a value, from 1; 0: it has none
    Rows = NDArray[np.intp]  # numbers of documents, or of their clusters

MAX_VALUES = 8  # of a facet are shown, those with most results
YEAR = "year"
_SECONDS = -31_000_000_000.0, 253_402_300_799.0  # since the epoch: from the year 987 to the end of 9999
_FIELDS = {"site": SITE, "language": LANGUAGE, "file_type": FILE_TYPE}


@dataclass(frozen=True, slots=True)
class FacetValue:
    """What a question can be narrowed to, and how many results it then has."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class Facet:
    """`name` is a key of Narrowing; `others` counts the values that are not told. Years come newest first."""

    name: str
    values: tuple[FacetValue, ...]
    others: int = 0


class FacetTable:
    """The values of a snapshot's pages, and which page has which."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._values = [_Values(snapshot, name) for name in (*_FIELDS, YEAR)]

    def facets(self, answers: Sequence[Mask], *, folded: bool) -> tuple[Facet, ...]:
        """Count what the pages that answer have; where they are `folded`, those of one cluster once for each value."""
        rows = [np.flatnonzero(mask) for mask in answers]
        if not folded:
            return tuple(each.facet(rows, [documents[:0] for documents in rows]) for each in self._values)
        near = [found[documents] != ALONE for found, documents in zip(self.snapshot.clusters, rows, strict=True)]
        alone = [documents[~clustered] for documents, clustered in zip(rows, near, strict=True)]
        clustered = [documents[clustered] for documents, clustered in zip(rows, near, strict=True)]
        return tuple(each.facet(alone, clustered) for each in self._values)


class _Values:
    """The values of one facet. A pair is a cluster and a value that a page of it has; the first pair is of none."""

    def __init__(self, snapshot: Snapshot, name: str) -> None:
        numbers: dict[str, int] = {}
        self._name = name
        self._columns = [_columns(view.file, name, numbers) for view in snapshot.views]
        self._names = list(numbers)
        width = len(numbers) + 1
        keys = [
            np.where((found == ALONE) | (column == 0), 0, (found + 1) * width + column)
            for found, columns in zip(snapshot.clusters, self._columns, strict=True)
            for column in columns
        ]
        pairs, places = np.unique(np.concatenate([np.zeros(1, np.int64), *keys]), return_inverse=True)
        parts = iter(np.split(places[1:], np.cumsum([len(one) for one in keys])))
        self._pairs = [[next(parts) for _ in columns] for columns in self._columns]
        self._value_of_pair = pairs % width

    def facet(self, alone: Sequence[Rows], clustered: Sequence[Rows]) -> Facet:
        """Count pages that stand for themselves, and pairs."""
        width = len(self._names) + 1
        counts = np.zeros(width, np.int64)
        met = np.zeros(len(self._value_of_pair), np.bool_)
        for columns, pairs, singles, others in zip(self._columns, self._pairs, alone, clustered, strict=True):
            for column, pair in zip(columns, pairs, strict=True):
                counts += np.bincount(column[singles], minlength=width)
                met[pair[others]] = True
        counts += np.bincount(self._value_of_pair[met], minlength=width)
        return _most(self._name, zip(self._names, counts[1:].tolist(), strict=True))


def _most(name: str, counted: Iterable[tuple[str, int]]) -> Facet:
    found = [(value, count) for value, count in counted if count]
    shown = sorted(found, key=lambda one: (-one[1], one[0]))[:MAX_VALUES]
    if name == YEAR:
        shown.sort(reverse=True)
    return Facet(name, tuple(FacetValue(*one) for one in shown), len(found) - len(shown))


class FacetTables:
    """Keeps the table of the snapshot that is searched; threads share it."""

    def __init__(self) -> None:
        self._making = threading.Lock()
        self._table: FacetTable | None = None

    def of(self, snapshot: Snapshot) -> FacetTable:
        """Return the table of a snapshot, made when it is first asked for."""
        with self._making:
            if self._table is None or self._table.snapshot is not snapshot:
                self._table = FacetTable(snapshot)
            return self._table


def _columns(file: SegmentFile, name: str, numbers: dict[str, int]) -> list[Column]:
    """Return the values of a segment's pages, and number those that have none yet."""
    columns: list[Column] = []
    for value, documents in _pages_by_value(file, name):
        number = numbers.setdefault(value, len(numbers) + 1)
        left = documents
        for column in columns:
            free = column[left] == 0
            column[left[free]] = number
            left = left[~free]
        if len(left):
            columns.append(np.zeros(file.count, np.intp))
            columns[-1][left] = number
    return columns


def _pages_by_value(file: SegmentFile, name: str) -> Iterator[tuple[str, Rows]]:
    if name == YEAR:
        dates = np.nan_to_num(file.dates()).clip(_SECONDS[0], _SECONDS[1])
        years = dates.astype("datetime64[s]").astype("datetime64[Y]").astype(np.int64) + 1970
        years[dates == 0] = 0  # never fetched, and no word of its own on when it is from
        yield from ((str(year), np.flatnonzero(years == year)) for year in np.unique(years).tolist() if year in YEARS)
        return
    for value in filter(None, file.terms(_FIELDS[name])):  # pages of unknown language can't be asked for by it
        found = file.postings(_FIELDS[name], value)
        if found is not None:
            yield value, found.documents.astype(np.intp)
