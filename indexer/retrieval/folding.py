"""Which results say nearly the same? Of each cluster the page that answers best is shown, and stands for the others.

A page's cluster is a column of the index (crawldb/pages/clusters.py puts pages into clusters). Folding comes after the
ranking: which member answers best depends on what is asked. A page that may not be shown stands for nobody; the next of
its cluster does. Each part of a divided crawl has clusters of its own: near copies in two parts are two results.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indexer.segments.schema import URL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.ranking.candidates import Ranking
    from indexer.retrieval.snapshot import SegmentView, Snapshot

    ClusterNumbers = tuple[
        NDArray[np.int64], ...
    ]  # for each segment: by document; ALONE: no other page has the cluster

ALONE = -1


def clusters_in(views: Sequence[SegmentView]) -> ClusterNumbers:
    """Return the cluster of each document, as a number that no other cluster has, of whatever part."""
    rows = [
        [
            (document, (str(view.file.index_folder), cluster))
            for document, cluster in enumerate(view.file.clusters().tolist())
            if cluster and document not in view.deleted
        ]
        for view in views
    ]
    pages = Counter(key for found in rows for _, key in found)
    numbers = {key: number for number, (key, count) in enumerate(pages.items()) if count > 1}
    columns = tuple(np.full(view.file.count, ALONE, dtype=np.int64) for view in views)
    for column, found in zip(columns, rows, strict=True):
        for document, key in found:
            column[document] = numbers.get(key, ALONE)
    return columns


class Folding:
    """Which of the pages that answer stand under another one. With `unfolded`, none does."""

    def __init__(self, ranking: Ranking, *, unfolded: bool = False) -> None:
        self._clusters: ClusterNumbers = () if unfolded else ranking.snapshot.clusters
        answering = [
            found[mask & (found != ALONE)] for found, mask in zip(self._clusters, ranking.answers, strict=False)
        ]
        numbers, counts = np.unique(np.concatenate(answering or [np.empty(0, dtype=np.int64)]), return_counts=True)
        self._answering: dict[int, int] = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
        self.folded = int(counts.sum()) - len(counts)  # pages that stand under another one
        self._heads: dict[int, tuple[int, str]] = {}

    def cluster_of(self, segment: int, document: int) -> int | None:
        """Return the cluster of a page that answers, if it says nearly what another one says."""
        found = int(self._clusters[segment][document]) if self._clusters else ALONE
        return None if found == ALONE else found

    def head_of(self, cluster: int | None) -> tuple[int, str] | None:
        """Return place and URL of the result that stands for a cluster, if it has been met; "" for one of no matter."""
        return None if cluster is None else self._heads.get(cluster)

    def lead(self, cluster: int | None, rank: int, url: str = "") -> int:
        """Let a page stand for its cluster; return how many others that answer it stands for."""
        if cluster is None:
            return 0
        self._heads[cluster] = rank, url
        return self._answering[cluster] - 1

    def hide(self, cluster: int | None) -> int:
        """Leave out a page that may not be shown; return how many results there are less by that: 0 or 1."""
        if cluster is None:
            return 1
        self._answering[cluster] -= 1
        return int(not self._answering[cluster])


def only_similar(ranking: Ranking, url: str) -> Ranking:
    """Return what answers in the cluster of a page: of one that is alone the page itself, of an unknown one nothing."""
    snapshot = ranking.snapshot
    members = [np.zeros(len(mask), dtype=np.bool_) for mask in ranking.answers]
    if (place := place_in_index(snapshot, url)) is not None:
        segment, document = place
        cluster = snapshot.clusters[segment][document]
        if cluster != ALONE:
            members = [found == cluster for found in snapshot.clusters]
        members[segment][document] = True
    return replace(ranking, answers=tuple(mask & kept for mask, kept in zip(ranking.answers, members, strict=True)))


def place_in_index(snapshot: Snapshot, url: str) -> tuple[int, int] | None:
    """Return segment and document of a page, None where the index does not have it."""
    for segment, view in enumerate(snapshot.views):
        for document in view.file.documents(URL, url):
            if document not in view.deleted:
                return segment, document
    return None
