"""How can results be narrowed? By site, language, file type and year, each with its number of results.

Columns hold the number of a value for each page, so one `bincount` counts over all matching pages. Near copies are
folded into one result (`collector.py`), and they count once for each value. So the number of a value is the number of
results of the narrowed query.
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

MAX_VALUES = 8  # shown for a facet: those with most results
YEAR = "year"
_SECONDS = -31_000_000_000.0, 253_402_300_799.0  # since the epoch: from the year 987 to the end of 9999
_FIELDS = {"site": SITE, "language": LANGUAGE, "file_type": FILE_TYPE}


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value to narrow a query to, and the number of results it then has."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class Facet:
    """A filter of queries with its values; `others` counts the values that are not listed. Years: newest first."""

    name: str
    values: tuple[FacetValue, ...]
    others: int = 0


class FacetTable:
    """The values of the pages of a snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._values = [_Values(snapshot, name) for name in (*_FIELDS, YEAR)]

    def facets(self, answers: Mask, *, folded: bool) -> tuple[Facet, ...]:
        """Count the values of matching pages; if results are `folded`, each cluster counts once for each value."""
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
        """Give these pages the newest value, each in the first column in which it has none."""
        for column in self._columns:
            free = column[pages] == 0
            column[pages[free]] = len(self._names)
            pages = pages[~free]
        if len(pages):
            self._columns.append(np.zeros(size, np.intp))
            self._columns[-1][pages] = len(self._names)

    def facet(self, alone: Rows, clustered: Rows) -> Facet:
        """Count pages without a cluster, and pairs."""
        width = len(self._names) + 1
        counts = np.zeros(width, np.int64)
        met = np.zeros(len(self._value_of_pair), np.bool_)
        for column, pair in zip(self._columns, self._pairs, strict=True):
            counts += np.bincount(column[alone], minlength=width)
            met[pair[clustered]] = True
        counts += np.bincount(self._value_of_pair[met], minlength=width)
        return most_frequent(self._name, zip(self._names, counts[1:].tolist(), strict=True))


def most_frequent(name: str, counted: Iterable[tuple[str, int]]) -> Facet:
    """Return the facet of values with the numbers of their pages: the most frequent ones, of years the newest first."""
    found = [(value, count) for value, count in counted if count]
    shown = sorted(found, key=lambda one: (-one[1], one[0]))[:MAX_VALUES]
    if name == YEAR:
        shown.sort(reverse=True)
    return Facet(name, tuple(FacetValue(*one) for one in shown), len(found) - len(shown))


class FacetTables:
    """Keeps the table of the current snapshot; threads share it."""

    def __init__(self) -> None:
        self._making = threading.Lock()
        self._table: FacetTable | None = None

    def of(self, snapshot: Snapshot) -> FacetTable:
        """Return the table of a snapshot, made on first use."""
        with self._making:
            if self._table is None or self._table.snapshot is not snapshot:
                self._table = FacetTable(snapshot)
            return self._table


def years_of(dated: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the years of dates in seconds since the epoch; 0 for 0, which is no date."""
    dates = np.nan_to_num(dated).clip(*_SECONDS)
    years: NDArray[np.int64] = dates.astype("datetime64[s]").astype("datetime64[Y]").astype(np.int64) + 1970
    years[dates == 0] = 0  # never fetched, and without a date of its own
    return years


def _pages_by_value(snapshot: Snapshot, name: str) -> Iterator[tuple[str, Rows]]:
    if name == YEAR:
        years = years_of(snapshot.column("dated"))
        yield from ((str(year), np.flatnonzero(years == year)) for year in np.unique(years).tolist() if year in YEARS)
        return
    for value in dict.fromkeys(value for view in snapshot.views for value in view.file.terms(_FIELDS[name])):
        if value:  # no query can name the unknown language
            yield value, snapshot.numbers(_FIELDS[name], value)
