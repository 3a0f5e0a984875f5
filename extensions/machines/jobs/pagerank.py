"""PageRank over the links of all parts. The ranks are written into the index of each part.

One process holds the graph, as for a single crawl: some 100 bytes a link. `spark_pagerank.py` serves graphs that no
machine can hold. A part whose links change later uses its own ranks again, until this job runs once more.

To join the graphs, pages get new numbers. The part of its target stores a link between parts, with the source page's
URL; that page has a number in its own part. Pages of several parts with the same content are one page, as in a single
crawl; the first of them counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import numpy as np

from crawldb.database import CrawlDatabase
from crawldb.pages.feed import LinkRows, read_link_texts, read_part_links
from extensions.machines.jobs.each_part import ask_each, change_each
from extensions.machines.tasks.places import PartChange
from indexer import open_writer
from indexer.links import DAMPING, link_ranks, pagerank, web_graph, with_link_texts
from indexer.segments.link_ranks import GraphState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from crawldb.pages.feed import PartLinks
    from extensions.machines.engines.staged import TaskRunner
    from extensions.machines.tasks.places import PartsPlace
    from indexer.segments.link_ranks import LinkRanks


@dataclass(frozen=True, slots=True)
class RankedPages:
    """The size of the graph that PageRank was computed over."""

    pages: int  # that link, are linked, or are seeds; several URLs of a page count once
    links: int
    linking_sites: int  # that link to another site


def rank_all(place: PartsPlace, damping: float = DAMPING, runner: TaskRunner | None = None) -> RankedPages:
    """Compute PageRank over all parts, and put each part's share into its index.

    Raises `PartsFailed`, and changes nothing, if a part can't be read.
    """
    parts = ask_each(place, links_in, runner)
    ranked, shares = shared_ranks(list(parts.values()), damping)
    changes = (PartChange(index=partial(put_ranks, ranks=share)) for share in shares)
    change_each(place, dict(zip(parts, changes, strict=True)), runner)
    return ranked


def shared_ranks(parts: Sequence[PartLinks], damping: float = DAMPING) -> tuple[RankedPages, list[LinkRanks]]:
    """Return the ranks of each part's URLs in the graph of all parts."""
    graph = web_graph(joined_links(parts))
    ranks = pagerank(graph.matrix(), graph.roots, damping) * graph.pages
    inlinks, other_sites = graph.inlinks, graph.other_sites
    ends = list(accumulate(len(part.rows.ids) for part in parts))
    shares = []
    for part, node in zip(parts, np.split(graph.node, ends[:-1]), strict=True):
        state = GraphState(part.changes, len(part.rows.links), graph.pages, damping, graph.linking_sites)
        linked = node >= 0
        counts = inlinks[node[linked]], other_sites[node[linked]]
        urls = (part.rows.urls[place] for place in np.flatnonzero(linked))
        shares.append(link_ranks(state, urls, ranks[node[linked]], *counts))
    return RankedPages(graph.pages, len(graph.sources), graph.linking_sites), shares


def links_in(folder: Path) -> PartLinks:
    """Return the links and URLs that the part in a folder knows."""
    with CrawlDatabase(folder, readonly=True) as database:
        return read_part_links(database)


def put_ranks(folder: Path, ranks: LinkRanks) -> None:
    """Write these ranks into the index of the part in a folder. It has all texts of links to its own pages."""
    with CrawlDatabase(folder, readonly=True) as database:
        ranks = with_link_texts(ranks, read_link_texts(database))
    with open_writer(folder) as writer:
        writer.put_ranks(ranks)


def joined_links(parts: Sequence[PartLinks]) -> LinkRows:
    """Return the graph of all parts. Its URLs come part after part; each URL's number is its place among all."""
    begins = (0, *accumulate(len(part.rows.ids) for part in parts))
    placed = [_Places(part, begin) for part, begin in zip(parts, begins, strict=False)]
    return LinkRows(
        tuple(chain.from_iterable(part.rows.urls for part in parts)),
        np.arange(begins[-1]),
        _numbered([part.rows.sites for part in parts]),
        np.concatenate([part.rows.roots for part in parts]),
        _stacked(
            chain(
                (part.of(part.part.rows.links) for part in placed), [_between(placed, [part.foreign for part in parts])]
            )
        ),
        _stacked(
            chain(
                (part.of(part.part.rows.names) for part in placed),
                [_copies(placed), _between(placed, [part.named for part in parts])],
            )
        ),
        _clusters(placed),
    )


class _Places:
    """Maps the URL ids of a part to places among the URLs of all parts."""

    def __init__(self, part: PartLinks, begin: int) -> None:
        self.part = part
        self.begin = begin

    def of(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(self.part.rows.ids, ids) + self.begin


def _stacked(pairs: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(list(pairs)).reshape(-1, 2)


def _numbered(several: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Number the sites of all parts from 0 up. No site is in two parts: each host belongs to one part."""
    found = []
    begin = 0
    for sites in several:
        names, own = np.unique(sites, return_inverse=True)
        found.append(own + begin)
        begin += len(names)
    return np.concatenate(found)


def _between(parts: Sequence[_Places], pairs: Sequence[Sequence[tuple[str, int]]]) -> NDArray[np.int64]:
    """Return the places of pairs: a URL of another part, and one of the part's own."""
    wanted = {url for some in pairs for url, _ in some}
    place = {url: one.begin + number for one in parts for number, url in enumerate(one.part.rows.urls) if url in wanted}
    found = [
        (place[url], int(one.of(np.array(own))))
        for one, some in zip(parts, pairs, strict=True)
        for url, own in some
        if url in place
    ]
    return np.array(found, np.int64).reshape(-1, 2)


def _copies(parts: Sequence[_Places]) -> NDArray[np.int64]:
    first: dict[bytes, int] = {}
    pairs = []
    for one in parts:
        for url, mark in one.part.fingerprints:
            place = int(one.of(np.array(url)))
            if first.setdefault(mark, place) < one.begin:
                pairs.append((place, first[mark]))
    return np.array(pairs, np.int64).reshape(-1, 2)


def _clusters(parts: Sequence[_Places]) -> NDArray[np.int64]:
    """Return the cluster of each URL that has one: numbers shared between parts are below 0, the others above."""

    def rows() -> Iterator[NDArray[np.int64]]:
        begin = 0
        for one in parts:
            url, cluster = one.part.rows.clusters.T
            yield np.stack([one.of(url), np.where(cluster > 0, cluster + begin, cluster)], axis=1)
            begin += int(cluster.max(initial=0))

    return _stacked(rows())
