"""By what can results be narrowed? Their sites, languages, file types and years, each with how many results it leaves.

What a page can be asked for by is kept as columns, a number of its value for each page, so that counting over all
pages that answer is one `bincount`. Of pages that say nearly the same, one result is shown (folding.py), and they
count once for each value; so the number of a value is that of the results which the narrowed question has.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.query.syntax import YEARS
from indexer.segments.schema import FILE_TYPE, LANGUAGE, SITE
from indexer.segments.snapshot import ALONE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from indexer.ranking.matching import Mask
    from indexer.segments.snapshot import Snapshot

    Column = NDArray[np.intp]  # by page: the number of a value, from 1; 0: it has none
    Rows = NDArray[np.intp]  # numbers of pages

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
    """`name` is a key of SearchFilters; `others` counts the values that are not told. Years come newest first."""

    name: str
    values: tuple[FacetValue, ...]
    others: int = 0


class FacetTable:
    """The values of a snapshot's pages, and which page has which."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._values = [_Values(snapshot, name) for name in (*_FIELDS, YEAR)]

    def facets(self, answers: Mask, *, folded: bool) -> tuple[Facet, ...]:
        """Count what the pages that answer have; where they are `folded`, those of one cluster once for each value."""
        clustered = (self.snapshot.clusters != ALONE) & folded
        alone, near = np.flatnonzero(answers & ~clustered), np.flatnonzero(answers & clustered)
        return tuple(each.facet(alone, near) for each in self._values)


class _Values:
    """The values of one facet. A pair is a cluster and a value that a page of it has; the first pair is of none."""

    def __init__(self, snapshot: Snapshot, name: str) -> None:
        self._name = name
        self._names: list[str] = []
        self._columns: list[Column] = []
        for value, pages in _pages_by_value(snapshot, name):
            self._names.append(value)
            self._fill(pages, snapshot.size)
        width, found = len(self._names) + 1, snapshot.clusters
        keys = [np.where((found == ALONE) | (column == 0), 0, (found + 1) * width + column) for column in self._columns]
        pairs, places = np.unique(np.concatenate([np.zeros(1, np.int64), *keys]), return_inverse=True)
        self._pairs = list(places[1:].reshape(len(keys), snapshot.size))
        self._value_of_pair = pairs % width

    def _fill(self, pages: Rows, size: int) -> None:
        """Give these pages the value that was named last, each in the first column in which it has none."""
        for column in self._columns:
            free = column[pages] == 0
            column[pages[free]] = len(self._names)
            pages = pages[~free]
        if len(pages):
            self._columns.append(np.zeros(size, np.intp))
            self._columns[-1][pages] = len(self._names)

    def facet(self, alone: Rows, clustered: Rows) -> Facet:
        """Count pages that stand for themselves, and pairs."""
        width = len(self._names) + 1
        counts = np.zeros(width, np.int64)
        met = np.zeros(len(self._value_of_pair), np.bool_)
        for column, pair in zip(self._columns, self._pairs, strict=True):
            counts += np.bincount(column[alone], minlength=width)
            met[pair[clustered]] = True
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


def years_of(dated: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the years of dates in seconds since the epoch; of 0, which is none, 0."""
    dates = np.nan_to_num(dated).clip(*_SECONDS)
    years: NDArray[np.int64] = dates.astype("datetime64[s]").astype("datetime64[Y]").astype(np.int64) + 1970
    years[dates == 0] = 0  # never fetched, and no word of its own on when it is from
    return years


def _pages_by_value(snapshot: Snapshot, name: str) -> Iterator[tuple[str, Rows]]:
    if name == YEAR:
        years = years_of(snapshot.column("dated"))
        yield from ((str(year), np.flatnonzero(years == year)) for year in np.unique(years).tolist() if year in YEARS)
        return
    for value in dict.fromkeys(value for view in snapshot.views for value in view.file.terms(_FIELDS[name])):
        if value:  # pages of unknown language can't be asked for by it
            yield value, snapshot.numbers(_FIELDS[name], value)
