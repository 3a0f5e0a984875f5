"""Which results are on a page of them? Collected from the top of the ranking, without pages that may not be shown.

Near copies are folded: a search shows the best matching page of a cluster. Clusters are a column of the index
(`crawldb/pages/clusters.py`). Folding comes after the ranking, since the best page depends on the query. A hidden page
represents no others; the next page of its cluster does. Each part of a divided crawl has clusters of its own; a job
over all parts joins them under numbers below 0.

Sitelinks are the main pages of a site under its home page: those with the most inlinks, as menus link to them from
everywhere. They are results themselves, too.

The collector unpacks the record of a page only to show it, or to look its state up in a crawl database.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from indexer.ranking.matching import has_ended
from indexer.retrieval.results import Hit
from indexer.segments.schema import SITE, URL, labelled
from indexer.segments.snapshot import ALONE
from indexer.snippets.hit_snippets import HitHighlighter

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.query.deadline import Deadline
    from indexer.ranking.ranker import Ranking
    from indexer.retrieval.corpus import Corpus
    from indexer.segments.schema import StoredFields
    from indexer.segments.snapshot import ClusterNumbers, SegmentView, Snapshot


class Folding:
    """Which of the matching pages are folded under another one. With `unfolded`, none is."""

    def __init__(self, ranking: Ranking, *, unfolded: bool = False) -> None:
        self._clusters: ClusterNumbers | None = None if unfolded else ranking.snapshot.clusters
        answering = np.zeros(0, np.int64)
        if self._clusters is not None:
            clustered = ranking.snapshot.clustered
            answering = self._clusters[clustered[ranking.answers[clustered]]]
        self._answering = Counter[int](answering.tolist())
        whole = ranking.snapshot.whole
        known = whole.answering if whole and not unfolded else None
        self.folded = known.folded if known else len(answering) - len(self._answering)  # pages folded under another one
        self._heads: dict[int, tuple[int, str]] = {}

    def cluster_of(self, page: int) -> int | None:
        """Return the cluster of a matching page; None if it has no near copies."""
        found = ALONE if self._clusters is None else int(self._clusters[page])
        return None if found == ALONE else found

    def head_of(self, cluster: int | None) -> tuple[int, str] | None:
        """Return rank and URL of the result for a cluster, if there is one yet; "" for a URL that does not matter."""
        return None if cluster is None else self._heads.get(cluster)

    def lead(self, cluster: int | None, rank: int, url: str = "") -> int:
        """Make a page the result for its cluster; return the number of other matching pages in it."""
        if cluster is None:
            return 0
        self._heads[cluster] = rank, url
        return self._answering[cluster] - 1

    def hide(self, cluster: int | None) -> int:
        """Leave out a hidden page; return by how much this lowers the number of results: 0 or 1."""
        if cluster is None:
            return 1
        self._answering[cluster] -= 1
        return int(not self._answering[cluster])


def only_similar(ranking: Ranking, url: str) -> Ranking:
    """Return only the matching pages in the cluster of a page: of one without near copies the page itself, else none.

    Without a URL, return all matching pages.
    """
    if not url:
        return ranking
    snapshot = ranking.snapshot
    members = np.zeros(snapshot.size, dtype=np.bool_)
    if (page := snapshot.page_of(url)) is not None:
        cluster = snapshot.clusters[page]
        if cluster != ALONE:
            members = snapshot.clusters == cluster
        members[page] = True
    return replace(ranking, answers=ranking.answers & members)


MAX_SITELINKS = 6
MIN_INLINKS = 2  # a single link is no menu
LOOKED_AT = 30  # pages of a site: some are hidden, or near copies


@dataclass(frozen=True, slots=True)
class Sitelink:
    """A main page of a site."""

    url: str
    title: str


def sitelinks(
    snapshot: Snapshot, first: int, is_hidden: Callable[[SegmentView, StoredFields], bool]
) -> tuple[Sitelink, ...]:
    """Return the main pages of the site whose home page is the page `first`; for other pages none."""
    site = snapshot.home_pages.sites.get(first)
    if site is None:
        return ()
    found: list[Sitelink] = []
    view, document = snapshot.place_of(first)
    titles = {view.file.stored(document).title}
    clusters = {int(snapshot.clusters[first])} - {ALONE}
    for page in _most_linked(snapshot, site):
        (view, document), cluster = snapshot.place_of(page), int(snapshot.clusters[page])
        stored = view.file.stored(document)
        if not stored.title or stored.title in titles or stored.not_fetched or cluster in clusters:
            continue
        if is_hidden(view, stored):
            continue
        titles.add(stored.title)
        clusters |= {cluster} - {ALONE}
        found.append(Sitelink(stored.url, stored.title))
        if len(found) == MAX_SITELINKS:
            break
    return tuple(found)


def _most_linked(snapshot: Snapshot, site: str) -> list[int]:
    """Return the pages of a site with the most inlinks; among equals PageRank decides."""
    inlinks = np.concatenate([view.inlinks for view in snapshot.views]).astype(np.int64)
    pageranks = np.concatenate([view.pagerank for view in snapshot.views])
    linked = snapshot.live & (inlinks >= MIN_INLINKS) & ~has_ended(snapshot, time.time()) & ~snapshot.home_pages.mask
    pages = snapshot.numbers(SITE, site)
    pages = pages[linked[pages]]
    best: list[int] = pages[np.lexsort((-pageranks[pages], -inlinks[pages]))][:LOOKED_AT].tolist()
    return best


Found = TypeVar("Found")


class Lazy(Generic[Found]):
    """Computes a value once, on first use. (A `functools.cache` takes five times as long to make.)"""

    __slots__ = ("_find", "_found")

    def __init__(self, find: Callable[[], Found]) -> None:
        self._find = find

    def __call__(self) -> Found:
        """Return the value."""
        try:
            return self._found
        except AttributeError:
            self._found: Found = self._find()
            return self._found


class HitCollector:
    """Collects the results of one ranking; with `only`, a URL, just its result, or the one above it."""

    def __init__(self, ranking: Ranking, folding: Folding, corpus: Corpus, deadline: Deadline, only: str = "") -> None:
        self._ranking, self._folding, self._corpus, self._deadline = ranking, folding, corpus, deadline
        self._shown: dict[int, StoredFields] = {}
        self._highlighter = Lazy(partial(HitHighlighter, ranking, self._shown, deadline))
        self._only = only
        self.hidden: list[int] = []  # numbers of matching pages that may not be shown, so far
        named = ranking.snapshot.numbers(URL, only).tolist() if only else []
        self._wanted = {number for number in named if ranking.answers[number]}
        self._wanted_clusters = {folding.cluster_of(number) for number in self._wanted} - {None}

    def within(self, window: slice) -> tuple[list[Hit], int]:
        """Return one page of results, and how many before its end are not shown: blocked ones, copies."""
        hits: list[Hit] = []
        above: dict[str, int] = {}
        shown = hidden = 0
        folding, corpus = self._folding, self._corpus
        for number in self._ranking.best() if self._wanted or not self._only else ():
            if shown >= window.stop or (self._only and hits):
                break
            if shown and self._deadline.passed("results further down"):
                break
            cluster = folding.cluster_of(number)
            head = folding.head_of(cluster)
            if head is not None:
                if number in self._wanted:
                    hits.append(self._hit(number, *head))
                continue
            if corpus.shows_all and (shown < window.start or not self._may_be_wanted(number, cluster)):
                shown += 1
                folding.lead(cluster, shown)
                continue
            view, document = self._ranking.snapshot.place_of(number)
            stored = view.file.stored(document)
            twin = next((url for url in corpus.copies(stored.url) if url in above), "")
            if twin:
                hidden += 1
                folding.lead(cluster, above[twin], twin)
                continue
            if corpus.is_hidden(view, stored):
                hidden += folding.hide(cluster)
                self.hidden.append(number)
                continue
            shown = above[stored.url] = shown + 1
            others = folding.lead(cluster, shown, stored.url)
            if shown > window.start and (number in self._wanted or not self._only):
                hits.append(self._hit(number, shown, stored=stored, similar=others))
        return hits, hidden

    def _may_be_wanted(self, number: int, cluster: int | None) -> bool:
        return not self._only or number in self._wanted or cluster in self._wanted_clusters

    def _hit(
        self, number: int, rank: int, under: str = "", *, stored: StoredFields | None = None, similar: int = 0
    ) -> Hit:
        view, document = self._ranking.snapshot.place_of(number)
        main: Callable[[], tuple[Sitelink, ...]] = tuple
        if stored is None:  # it is folded under another one
            stored = view.file.stored(document)
        elif rank == 1:
            main = Lazy(partial(self._corpus.sitelinks, self._ranking.snapshot, number))
        self._shown[number] = stored
        return Hit(
            url=stored.url,
            title=stored.title,
            site=stored.site,
            language=stored.language,
            fetched_at=stored.fetched_at,
            archive=stored.archive,
            nosnippet=stored.snippet == 0,
            rank=rank,
            _explain=Lazy(partial(self._ranking.explain, number)),
            _snippet=Lazy(lambda: self._highlighter().snippet(number, stored)),
            _marked_title=lambda: self._highlighter().title(number, stored),
            copies=self._corpus.copies(stored.url),
            published=stored.published or None,
            modified=stored.modified or None,
            similar=similar,
            under=under,
            lacks=self._ranking.matching.lacks(number),
            not_fetched=stored.not_fetched,
            added_fields=labelled(stored.added_fields),
            inlinks=int(view.inlinks[document]),
            _sitelinks=main,
            _sections=Lazy(lambda: self._highlighter().sections(number, stored)),
            _has_added_parts=bool(self._ranking.added),
        )
