"""Which results say nearly the same? Of each cluster the page that answers best is shown, and stands for the others.

A page's cluster is a column of the index (crawldb/pages/clusters.py puts pages into clusters). Folding comes after the
ranking: which member answers best depends on what is asked. A page that may not be shown stands for nobody; the next of
its cluster does. Each part of a divided crawl has clusters of its own: near copies in two parts are two results.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.segments.schema import URL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.retrieval.candidates import Ranking
    from indexer.retrieval.snapshot import SegmentView, Snapshot

ClusterNumbers = tuple[dict[int, int], ...]  # for each segment: by document


def clusters_in(views: Sequence[SegmentView]) -> ClusterNumbers:
    """Return the documents that share a cluster with another one, with a number that no other cluster has."""
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
    return tuple({document: numbers[key] for document, key in found if key in numbers} for found in rows)


class Folding:
    """Which of the pages that answer stand under another one. With `unfolded`, none does."""

    def __init__(self, ranking: Ranking, *, unfolded: bool = False) -> None:
        clusters: ClusterNumbers = () if unfolded else ranking.snapshot.clusters
        pairs = zip(clusters, ranking.scores, strict=True) if clusters else ()
        self._clusters = [
            {document: found[document] for document in found.keys() & scores.keys()} for found, scores in pairs
        ]
        self._answering = Counter(cluster for found in self._clusters for cluster in found.values())
        self.folded = sum(self._answering.values()) - len(self._answering)  # pages that stand under another one
        self._heads: dict[int, tuple[int, str]] = {}

    def cluster_of(self, segment: int, document: int) -> int | None:
        """Return the cluster of a page that answers, if it says nearly what another one says that answers as well."""
        return self._clusters[segment].get(document) if self._clusters else None

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
    wanted = place_in_index(snapshot, url)
    if wanted is None:
        return replace(ranking, scores=tuple({} for _ in ranking.scores))
    segment, document = wanted
    cluster = snapshot.clusters[segment].get(document)
    members = [{place for place, number in found.items() if number == cluster} for found in snapshot.clusters]
    members[segment].add(document)
    kept = zip(ranking.scores, members, strict=True)
    return replace(
        ranking, scores=tuple({place: scores[place] for place in scores.keys() & found} for scores, found in kept)
    )


def place_in_index(snapshot: Snapshot, url: str) -> tuple[int, int] | None:
    """Return segment and document of a page, None where the index does not have it."""
    for segment, view in enumerate(snapshot.views):
        for document in view.file.documents(URL, url):
            if document not in view.deleted:
                return segment, document
    return None
