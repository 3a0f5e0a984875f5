"""Which clusters may a page belong to? Those that share a band with it: a table in memory, from stored signatures.

    neighbours = Neighbours(bands=25, rows=3)
    neighbours.add(17, signature)
    neighbours.nearest(signature)            # [(17, 1.0)]: the most similar first

The newest CHUNK signatures are compared one by one, which numpy does in microseconds. Older ones are in runs: each run
has all bands of its signatures in one sorted array, where bisection finds a band. Runs of one size are merged, so there
are few. Nothing is ever removed. A result is only a hint, and the database says whether it still holds
(crawldb/pages/clusters.py). So a crash, a rollback or another process can't make it wrong, only less useful.

A flood of pages that share a band, and are no copies, must not make each new page dearer. So MAX_BUCKET signatures of a
band are looked at, and MAX_CANDIDATES of a run are compared, those with most bands in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pages.content.similarity import ORDERS, agreeing_at, resemblance_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Numbers = NDArray[np.uint64]

CHUNK = 512  # signatures that are compared one by one before they become a run: 64 KB
MAX_RUN = 65_536  # signatures of a run: a merge takes 0.2 s at most
MAX_BUCKET = 50  # signatures of one run that share one band
MAX_CANDIDATES = 50  # signatures of one run that are compared
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: Knuth's multiplicative hash
_HALF = np.uint64(32)
_ROW = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class _Run:
    """Signatures in the order in which they came, the cluster of each, and their bands: hash and place, sorted."""

    signatures: Bytes
    clusters: NDArray[np.int64]
    bands: Numbers


class Neighbours:
    """Signatures, among which those similar to a given one are found. `bands` bands have `rows` bytes each."""

    def __init__(self, bands: int, rows: int) -> None:
        self._bands, self._rows = bands, rows
        self._runs: list[_Run] = []
        self._newest = np.zeros((CHUNK, ORDERS), np.uint8)
        self._newest_clusters: list[int] = []

    def __len__(self) -> int:
        """Return how many signatures were added."""
        return sum(len(run.clusters) for run in self._runs) + len(self._newest_clusters)

    @property
    def size(self) -> int:
        """Bytes of memory."""
        arrays = [array for run in self._runs for array in (run.signatures, run.clusters, run.bands)]
        return sum(array.nbytes for array in arrays) + self._newest.nbytes

    def add_all(self, rows: Iterable[tuple[int, bytes]]) -> None:
        """Add the signatures of many clusters."""
        for cluster, signature in rows:
            self.add(cluster, signature)

    def add(self, cluster: int, signature: bytes) -> None:
        """Add the signature of a cluster."""
        self._newest[len(self._newest_clusters)] = np.frombuffer(signature, np.uint8)
        self._newest_clusters.append(cluster)
        if len(self._newest_clusters) == CHUNK:
            self._runs.append(self._run(self._newest.copy(), np.array(self._newest_clusters, np.int64)))
            self._newest_clusters.clear()
            self._merge()

    def nearest(self, signature: bytes, least: float = 0.0) -> list[tuple[int, float]]:
        """Return clusters that share a band with a signature, each with the estimate, the most alike first.

        Those with an estimate below `least` are left out.
        """
        own = np.frombuffer(signature, np.uint8)
        keys = band_keys(own[np.newaxis], self._bands, self._rows)[0] << _HALF
        found: list[tuple[int, int]] = []
        enough = agreeing_at(least)
        for run in self._runs:
            places = _sharing(run, keys)
            if len(places):
                found += compared(own, run.signatures[places], run.clusters[places].tolist(), enough)
        found += compared(own, self._newest[: len(self._newest_clusters)], self._newest_clusters, enough)
        return [
            (cluster, resemblance_of(agreeing))
            for agreeing, cluster in sorted(found, key=lambda each: (-each[0], each[1]))
        ]

    def _run(self, signatures: Bytes, clusters: NDArray[np.int64]) -> _Run:
        places = np.arange(len(signatures), dtype=np.uint64)[:, np.newaxis]
        bands = ((band_keys(signatures, self._bands, self._rows) << _HALF) | places).ravel()
        bands.sort()
        return _Run(signatures, clusters, bands)

    def _merge(self) -> None:
        """Make one run of the two newest, as long as they are of one size."""
        while len(self._runs) > 1 and len(self._runs[-1].clusters) == len(self._runs[-2].clusters) <= MAX_RUN // 2:
            newer, older = self._runs.pop(), self._runs.pop()
            signatures = np.concatenate((older.signatures, newer.signatures))
            self._runs.append(self._run(signatures, np.concatenate((older.clusters, newer.clusters))))


def band_keys(signatures: Bytes, bands: int, rows: int) -> Numbers:
    """Return a 32-bit number for each band of each signature, an array of (signatures, bands)."""
    cut = signatures[:, : bands * rows].reshape(len(signatures), bands, rows)
    keys = np.broadcast_to(np.arange(bands, dtype=np.uint64), cut.shape[:2]).copy()
    for row in range(rows):
        keys = (keys * np.uint64(257) + cut[:, :, row]) * _MIX
        keys ^= keys >> _HALF
    return keys & _ROW


def _sharing(run: _Run, keys: Numbers) -> NDArray[np.intp]:
    """Return the places of signatures that share a band, those that share most of them first."""
    begins, ends = np.searchsorted(run.bands, keys), np.searchsorted(run.bands, keys | _ROW, side="right")
    met = [
        run.bands[begin : min(end, begin + MAX_BUCKET)] for begin, end in zip(begins, ends, strict=True) if begin < end
    ]
    if not met:
        return np.empty(0, np.intp)
    places, shared = np.unique(np.concatenate(met) & _ROW, return_counts=True)
    best: NDArray[np.intp] = places[np.argsort(-shared, kind="stable")[:MAX_CANDIDATES]].astype(np.intp)
    return best


def compared(own: Bytes, others: Bytes, clusters: list[int], enough: int) -> list[tuple[int, int]]:
    """Return in how many orders each of the others agrees with a signature, if in enough of them, and its cluster."""
    agreeing = np.add.reduce((others == own).view(np.uint8), axis=1, dtype=np.uint8)  # at most ORDERS: it fits
    return [(int(agreeing[place]), clusters[place]) for place in np.flatnonzero(agreeing >= enough).tolist()]
