"""How does PageRank come about? Links get weights by reason, and a random walk over them gives each page a number.

The links of a crawl are one graph. The names of one page (redirects, copies, canonical addresses) are one node, and
several links from one page to another are one link. A link with `nofollow` is left out. The others weigh 1, times

    TEMPLATE    for a link that a site repeats on many of its pages (menus, footers): one decision, made once
    NEAR_COPY   between near copies: they are one page at several addresses, and a page does not recommend itself
    OWN_SITE    within a site, where links also serve navigation; one from another site is a recommendation (Kleinberg,
                "Authoritative Sources in a Hyperlinked Environment", 1999, section 2: intrinsic and transverse links)

The weights of a page's links are relative: a page passes on all that it has. PageRank is

    x = d (x W + x(dangling) v) + (1 - d) v

(Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine", 1998; Page and others, "The PageRank
Citation Ranking", 1999, section 6 for `v`.) W has the weights of the links, each row divided by its sum. With
probability d, the damping, a random reader follows a link. Otherwise, and on a page without links (it dangles), the
reader starts again at a page of the root set `v`. These are the seeds that a person chose. Power iteration: each round
multiplies the error by d at most, so 130 rounds reach 1e-9 with d = .85.

Hubs and authorities are for comparison (docs/labs); the ranking does not use them:

    authority = sum of the hubs that link to it        a = W' h
    hub       = sum of the authorities it links to     h = W a

(Kleinberg, 1999.) With each sum scaled to 1, they converge to the principal eigenvectors of W'W and WW'. PageRank
counts recommendations; a hub is good for what it recommends, also without links to it.

During a crawl PageRank is computed again when a quarter of the links has changed. All computations together then cost
five times the last one, however large the crawl becomes. After the last page it is computed once more, so the numbers
shown are those of the whole crawl.

With PageRank it is counted how many links call a page by a text, since the entry of a page has each text only once. A
text is compared with a query as a whole: its words in their order (`tokenizer.text_key`). One with a section number
before it ("4.2. Sequences") counts without the number, too. The name of a manual page, "git-commit(1)", counts without
the section of the manual, too, and without the program's name before the first hyphen. A page of the same site counts
once for a text, and another site once for all its pages: these are often one decision, such as a menu, or one that was
bought. So many links from few sites bring no more than the number of these sites.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.analysis.tokenizer import text_key
from indexer.segments.link_ranks import GraphState, LinkRanks, LinkTexts
from indexer.segments.schema import url_key
from pages.content.site_template import LEAST_PAGES, LINE_SHARE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from crawldb.pages.feed import LinkRows, LinkTextRows


@dataclass(frozen=True, slots=True)
class LinkMatrix:
    """W of p x p: m entries above 0, each with its row (the source) and its column (the target).

    Only these are kept, those of one row together (compressed sparse rows; Saad, "Iterative Methods for Sparse Linear
    Systems", 2003, 3.4). SciPy has the same, but importing it takes longer than all of this for 100,000 pages.
    """

    sources: NDArray[np.int64]  # m
    targets: NDArray[np.int64]  # m
    weights: NDArray[np.float64]  # m
    pages: int  # p

    @property
    def given(self) -> NDArray[np.float64]:
        """The sum of each row."""
        return np.bincount(self.sources, self.weights, self.pages).astype(np.float64, copy=False)

    def product(self) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        """Return x -> W x: each source gets the weighted sum of the numbers of its targets."""
        return _sums(self.sources, self.targets, self.weights, self.pages)

    def transposed_product(self) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        """Return x -> W' x: each target gets the weighted sum of the numbers of its sources."""
        return _sums(self.targets, self.sources, self.weights, self.pages)


def _sums(
    rows: NDArray[np.int64], columns: NDArray[np.int64], weights: NDArray[np.float64], pages: int
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    order = np.argsort(rows, kind="stable")
    filled, begins = np.unique(rows[order], return_index=True)
    taken, weighed = columns[order], weights[order]

    def product(values: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = np.zeros(pages)
        if len(taken):  # `reduceat` takes no empty list
            sums[filled] = np.add.reduceat(values[taken] * weighed, begins)
        return sums

    return product


def components(pairs: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return for each of `count` numbers the least one that a chain of `pairs` (n x 2) joins it with.

    Each round attaches the greater end of each pair to the lesser, then follows all attachments to their end (pointer
    jumping).
    """
    least = np.arange(count)
    one, other = pairs.T
    while True:
        before = least.copy()
        lesser = np.minimum(before[one], before[other])
        np.minimum.at(least, before[one], lesser)
        np.minimum.at(least, before[other], lesser)
        while (least[least] != least).any():
            least = least[least]
        if (least == before).all():
            return least


Numbers = Any  # an int, or an array of them for many links at once

TEMPLATE, NEAR_COPY, OWN_SITE = 0.1, 0.1, 0.5


def link_weight(own_site: Numbers, near_copy: Numbers, times: Numbers, linking: Numbers) -> Numbers:
    """Return the weight of a link, a float for each; `own_site` and `near_copy` are 0 or 1."""
    return OWN_SITE**own_site * NEAR_COPY**near_copy * TEMPLATE ** is_template(times, linking)


def is_template(times: Numbers, linking: Numbers) -> Numbers:
    """Return whether its site repeats a link, 0 or 1.

    `times` counts the pages of the site that have it, `linking` those that have any link.
    """
    return 1 * ((times >= LEAST_PAGES) & (times >= LINE_SHARE * linking))


@dataclass(frozen=True, slots=True)
class WebGraph:
    """Pages and their links: p nodes, m links. `node` has the page of each URL; -1: the URL has no link."""

    urls: tuple[str, ...]
    node: NDArray[np.int64]
    sources: NDArray[np.int64]  # m, with `targets` each pair of nodes once
    targets: NDArray[np.int64]
    weights: NDArray[np.float64]  # m, above 0
    roots: NDArray[np.bool_]  # p
    sites: NDArray[np.int64]  # p

    @property
    def pages(self) -> int:
        """The number of pages that link, are linked, or are in the root set."""
        return len(self.roots)

    @property
    def inlinks(self) -> NDArray[np.int64]:
        """The number of other pages that link to each page, whatever the weights."""
        return np.bincount(self.targets, minlength=self.pages)

    @property
    def other_sites(self) -> NDArray[np.int64]:
        """The number of other sites that link to each page, whatever the weights."""
        _, targets = np.divmod(np.unique(self._between[0] * self.pages + self._between[1]), max(self.pages, 1))
        return np.bincount(targets, minlength=self.pages)

    @property
    def linking_sites(self) -> int:
        """The number of sites that link to another one."""
        return len(np.unique(self._between[0]))

    @property
    def _between(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The links between sites: the site and the page of each."""
        sources = self.sites[self.sources]
        elsewhere = sources != self.sites[self.targets]
        return sources[elsewhere], self.targets[elsewhere]

    def matrix(self) -> LinkMatrix:
        """Return the weights as a matrix of p x p, a row each source."""
        return LinkMatrix(self.sources, self.targets, self.weights, self.pages)


@dataclass(frozen=True, slots=True)
class MergedNames:
    """Which of n URLs are names of one page?

    `name` has the index of the first name of each URL's page; the other arrays have their values there.
    """

    name: NDArray[np.int64]  # n
    sites: NDArray[np.int64]  # n
    clusters: NDArray[np.int64]  # n; 0: none
    roots: NDArray[np.bool_]  # n

    @classmethod
    def of(cls, rows: LinkRows) -> MergedNames:
        """Merge the names of each page."""
        count = len(rows.ids)
        name = components(np.searchsorted(rows.ids, rows.names), count)
        site, cluster, roots = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.bool_)
        site[name[::-1]] = rows.sites[::-1]
        cluster[name[np.searchsorted(rows.ids, rows.clusters[:, 0])]] = rows.clusters[:, 1]
        roots[name[rows.roots]] = True
        return cls(name, site, cluster, roots)


def web_graph(rows: LinkRows) -> WebGraph:
    """Return the weighted link graph of a crawl."""
    count = len(rows.ids)
    merged = MergedNames.of(rows)
    name = merged.name
    source, target = name[np.searchsorted(rows.ids, rows.links)].T
    stays = source != target  # a link to itself recommends nothing
    pairs = np.unique(source[stays] * count + target[stays])
    source, target = np.divmod(pairs, max(count, 1))
    taking_part = merged.roots.copy()
    taking_part[source] = taking_part[target] = True
    number = np.cumsum(taking_part) - 1  # of a page among those that take part
    return WebGraph(
        rows.urls,
        np.where(taking_part[name], number[name], -1) if count else name,
        number[source],
        number[target],
        _weights(source, target, merged.sites, merged.clusters),
        merged.roots[taking_part],
        merged.sites[taking_part],
    )


def _weights(
    source: NDArray[np.int64], target: NDArray[np.int64], site: NDArray[np.int64], cluster: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the weight of each link between two pages."""
    if not len(source):
        return np.ones(0)
    _, which, times = np.unique(site[source] * len(site) + target, return_inverse=True, return_counts=True)
    linking = np.bincount(site[np.unique(source)])  # pages of each site that have links
    near = (cluster[source] != 0) & (cluster[source] == cluster[target])
    weights: NDArray[np.float64] = link_weight(site[source] == site[target], near, times[which], linking[site[source]])
    return weights


DAMPING = 0.85  # of the first paper
TOLERANCE = 1e-9  # sum of what all pages change by in a round
MAX_ROUNDS = 1_000  # more are needed for a damping above .98 alone


def pagerank(
    links: LinkMatrix, roots: NDArray[np.bool_] | None = None, damping: float = DAMPING
) -> NDArray[np.float64]:
    """Return the PageRank of p pages; the sum is 1. `links` has the weight of each link in its source's row.

    Without `roots`, or where no page is a root, the reader starts again at any page.
    """
    for rank in pagerank_rounds(links, roots, damping):
        last = rank
    return np.asarray(last / max(last.sum(), np.finfo(float).tiny))


def pagerank_rounds(
    links: LinkMatrix, roots: NDArray[np.bool_] | None = None, damping: float = DAMPING
) -> Iterator[NDArray[np.float64]]:
    """Yield the probability of each page before the first round and after each, until nothing changes any more."""
    start = np.ones(links.pages) if roots is None or not roots.any() else roots.astype(np.float64)
    start /= max(start.sum(), 1.0)
    given = links.given
    dangling = given == 0
    onward = replace(links, weights=links.weights / given[links.sources]).transposed_product()
    rank = start
    yield rank
    for _ in range(MAX_ROUNDS):
        following = damping * (onward(rank) + rank[dangling].sum() * start) + (1 - damping) * start
        change = np.abs(following - rank).sum()
        rank = following
        yield rank
        if change < TOLERANCE:
            break


def hubs_and_authorities(links: LinkMatrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return hub and authority scores of p pages; the sum of each is 1, or 0 without links."""
    hubs = np.ones(links.pages)
    authorities = hubs
    forward, backward = links.product(), links.transposed_product()
    for _ in range(MAX_ROUNDS):
        before = hubs
        authorities = _shared(backward(hubs))
        hubs = _shared(forward(authorities))
        if np.abs(hubs - before).sum() < TOLERANCE:
            break
    return hubs, authorities


def _shared(values: NDArray[np.float64]) -> NDArray[np.float64]:
    total = values.sum()
    return values / total if total else values


CHANGED_SHARE = 0.25  # share of the links that may come or go before a running crawl computes PageRank again


@dataclass(frozen=True, slots=True)
class PageRankSchedule:
    """When PageRank is computed: the settings PAGERANK_DAMPING and PAGERANK_CHANGED."""

    damping: float = DAMPING
    changed: float = CHANGED_SHARE
    follows: bool = True  # False: ranks stay, as a person who removed a page is waiting

    def is_due(self, state: GraphState, changes: int, *, ending: bool) -> bool:
        """Return whether ranks of `state` are to be computed again after `changes` added or removed links in all."""
        if not state.links:
            return changes != state.changes
        if not self.follows:
            return False
        since = abs(changes - state.changes)  # the database may have been put back to an older copy
        if ending and None in {state.linking_sites, state.link_texts}:
            return True
        return state.damping != self.damping or since > (0 if ending else self.changed * state.links)

    def ranks(self, rows: LinkRows, changes: int) -> LinkRanks:
        """Compute PageRank for all URLs in the graph, after so many added or removed links."""
        graph = web_graph(rows)
        ranks = pagerank(graph.matrix(), graph.roots, self.damping) * graph.pages
        state = GraphState(changes, len(rows.links), graph.pages, self.damping, graph.linking_sites)
        linked = graph.node >= 0
        node = graph.node[linked]
        counts = graph.inlinks[node], graph.other_sites[node]
        return link_ranks(state, compress(graph.urls, linked), ranks[node], *counts)


def link_ranks(
    state: GraphState,
    urls: Iterable[str],
    ranks: NDArray[np.float64],
    inlinks: NDArray[np.int64],
    other_sites: NDArray[np.int64],
) -> LinkRanks:
    """Return the ranks of n URLs as an index keeps them; `ranks` are multiples of the mean of all pages."""
    keys = np.array([url_key(url) for url in urls], np.uint64)
    order = np.argsort(keys)
    counts = inlinks[order].astype(np.uint32), other_sites[order].astype(np.uint32)
    return LinkRanks(state, keys[order], ranks[order].astype(np.float32), *counts)


_SHORTER = (  # patterns in a text, each with what a person types instead
    (re.compile(r"\A\s*(?:\d+(?:\.\d+)*\.?|[A-Z](?:\.\d+)*\.|[A-Z](?:\.\d+)+)\s+"), ""),  # "4.2.", "B.1" or "C."
    (re.compile(r"\A([^\s()]+) ?\([1-9][a-z]*\)\Z"), r"\1"),  # "git-commit(1)" in a manual: "git-commit"
    (re.compile(r"\A[^\s()-]+-([^\s()]+) ?\([1-9][a-z]*\)\Z"), r"\1"),  # and "commit"
)


def with_link_texts(ranks: LinkRanks, rows: LinkTextRows) -> LinkRanks:
    """Return the ranks, and how many links have each text, for the URLs that have a rank."""
    anchor, target, linking = rows.links.T
    urls = np.array([url_key(url) for url in rows.targets.values()], np.uint64)
    places, known = ranks.places(urls)
    place = _values(target, dict(zip(rows.targets, np.where(known, places, -1).tolist(), strict=True)))
    names = [rows.texts]
    for pattern, typed in _SHORTER:
        names.append({at: name for at, text in rows.texts.items() if (name := pattern.sub(typed, text)) != text})
    keys = [_values(anchor, {at: text_key(name) for at, name in each.items()}) for each in names]
    every = [np.stack([key, place, linking], axis=1)[(key > 0) & (place >= 0)] for key in keys]
    distinct, _ = _distinct(np.concatenate(every))
    pairs, links = _distinct(distinct[:, :2])
    texts = LinkTexts(pairs[:, 0].astype(np.uint64), pairs[:, 1].astype(np.uint32), links.astype(np.uint32))
    return replace(ranks, state=replace(ranks.state, link_texts=len(texts.keys)), texts=texts)


def _values(ids: NDArray[np.int64], known: dict[int, int]) -> NDArray[np.int64]:
    """Return the value of each id; -1 for an unknown one."""
    found = np.array(sorted(known.items()) or [(0, -1)], np.int64)
    row = np.minimum(np.searchsorted(found[:, 0], ids), len(found) - 1)
    return np.where(found[row, 0] == ids, found[row, 1], -1)


def _distinct(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct rows, ascending, and how often each is there. `np.unique` takes twice as long for this."""
    rows = rows[np.lexsort(rows.T[::-1])]
    is_new = np.ones(len(rows), np.bool_)
    is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    firsts = np.flatnonzero(is_new)
    return rows[firsts], np.diff(firsts, append=len(rows))
