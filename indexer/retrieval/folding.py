"""Which results say nearly the same? Of each cluster the page that answers best is shown, and stands for the others.

A page's cluster is a column of the index (crawldb/pages/clusters.py puts pages into clusters). Folding comes after the
ranking: which member answers best depends on what is asked. A page that may not be shown stands for nobody; the next of
its cluster does. Each part of a divided crawl has clusters of its own; those that were joined over parts have one
number, below 0, in all of them (by a job over all parts).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indexer.segments.schema import URL
from indexer.snapshot.snapshot import ALONE

if TYPE_CHECKING:
    from indexer.ranking.candidates import Ranking
    from indexer.snapshot.snapshot import ClusterNumbers, Snapshot


class Folding:
    """Which of the pages that answer stand under another one. With `unfolded`, none does."""

    def __init__(self, ranking: Ranking, *, unfolded: bool = False) -> None:
        self._clusters: ClusterNumbers | None = None if unfolded else ranking.snapshot.clusters
        answering = np.zeros(0, np.int64)
        if self._clusters is not None:
            clustered = ranking.snapshot.clustered
            answering = self._clusters[clustered[ranking.answers[clustered]]]
        numbers, counts = np.unique(answering, return_counts=True)
        self._answering: dict[int, int] = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
        whole = ranking.snapshot.whole
        known = whole.answering if whole and not unfolded else None
        self.folded = known.folded if known else int(counts.sum()) - len(counts)  # pages that stand under another one
        self._heads: dict[int, tuple[int, str]] = {}

    def cluster_of(self, page: int) -> int | None:
        """Return the cluster of a page that answers, if it says nearly what another one says."""
        found = ALONE if self._clusters is None else int(self._clusters[page])
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
    """Return what answers in the cluster of a page: of one that is alone the page itself, of an unknown one nothing.

    Without a page, it is all that answers.
    """
    if not url:
        return ranking
    snapshot = ranking.snapshot
    members = np.zeros(snapshot.size, dtype=np.bool_)
    if (place := place_in_index(snapshot, url)) is not None:
        page = snapshot.starts[place[0]] + place[1]
        cluster = snapshot.clusters[page]
        if cluster != ALONE:
            members = snapshot.clusters == cluster
        members[page] = True
    return replace(ranking, answers=ranking.answers & members)


def place_in_index(snapshot: Snapshot, url: str) -> tuple[int, int] | None:
    """Return segment and document of a page, None where the index does not have it."""
    for segment, view in enumerate(snapshot.views):
        for document in view.file.documents(URL, url):
            if document not in view.deleted:
                return segment, document
    return None
