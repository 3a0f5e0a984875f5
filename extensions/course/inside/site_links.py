"""Which pages of a site, or around a page, do links favour, and how does their PageRank converge?

The whole graph is ranked by the code that ranks it for the index. The values are multiples of the mean over all pages.
They use the links as they are now; `why URL` shows the values in the index.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crawldb.pages.feed import read_link_rows, site_ids
from indexer.links import DAMPING, pagerank_rounds, web_graph
from reports.links import LinkedWeb
from urls.canonical import UnusableUrl, canonicalize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crawldb.database import CrawlDatabase
    from reports.links import LinkedPage

MAX_LINKS = 1_000_000  # that are read for a page: some seconds
DRAWN = 30  # pages of a site
NEIGHBOURS_DRAWN = 12  # that link to a page, and that it links to
NEIGHBOURS_TOLD = 25


@dataclass(frozen=True, slots=True)
class CrawlGraph:
    """The links of a crawl as they stood at one moment."""

    web: LinkedWeb
    sites: dict[str, int]  # their ids
    site: NDArray[np.int64]  # of each page, the id; p
    urls: int  # that were known


@dataclass(frozen=True, slots=True)
class DrawnLinks:
    """Some pages, the links between them, and how their PageRank comes about in r rounds."""

    pages: tuple[LinkedPage, ...]
    edges: tuple[tuple[int, int], ...]  # from and to, by place in `pages`
    rounds: NDArray[np.float64]  # (r + 1, as many pages): before the first round, and after each
    changes: tuple[float, ...]  # r: by how much a round changed the ranks of all pages of the graph, added up


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A page, those that link to it and those that it links to, the highest PageRank first; NEIGHBOURS_TOLD each."""

    page: LinkedPage
    linking: tuple[LinkedPage, ...]
    linked: tuple[LinkedPage, ...]
    drawn: DrawnLinks


def crawl_graph(database: CrawlDatabase) -> CrawlGraph:
    """Read the graph of a crawl and weigh it; a million links take some seconds."""
    with database.one_state():
        rows = read_link_rows(database)
        sites = site_ids(database)
    web = LinkedWeb(web_graph(rows))
    site = np.zeros(web.graph.pages, np.int64)
    taking_part = web.graph.node >= 0
    site[web.graph.node[taking_part][::-1]] = rows.sites[taking_part][::-1]  # that of the name which was met first
    return CrawlGraph(web, sites, site, len(rows.urls))


def site_links(graph: CrawlGraph, site: str, damping: float = DAMPING) -> DrawnLinks:
    """Return the most linked pages of a site, or ("") of all; none where no site of that name has links."""
    of_site = np.flatnonzero(graph.site == graph.sites.get(site, 0)) if site else np.arange(graph.web.graph.pages)
    inlinks = graph.web.graph.inlinks[of_site]
    most = of_site[np.lexsort((of_site, -graph.web.ranks[of_site], -inlinks))][:DRAWN]
    return _drawn(graph, most.tolist(), damping)


def neighbourhood(graph: CrawlGraph, url: str, damping: float = DAMPING) -> Neighbourhood | None:
    """Return the pages around a URL; None where it has no part in the graph."""
    try:
        node = int(graph.web.graph.node[graph.web.graph.urls.index(canonicalize(url))])
    except (UnusableUrl, ValueError):
        return None
    if node < 0:
        return None
    links = graph.web.graph
    linking = _by_rank(graph, links.sources[links.targets == node])
    linked = _by_rank(graph, links.targets[links.sources == node])
    near = dict.fromkeys([node, *linking[:NEIGHBOURS_DRAWN], *linked[:NEIGHBOURS_DRAWN]])
    [page] = graph.web.linked_pages([node])
    return Neighbourhood(
        page,
        graph.web.linked_pages(linking[:NEIGHBOURS_TOLD]),
        graph.web.linked_pages(linked[:NEIGHBOURS_TOLD]),
        _drawn(graph, list(near), damping),
    )


def _by_rank(graph: CrawlGraph, nodes: NDArray[np.int64]) -> list[int]:
    found: list[int] = nodes[np.lexsort((nodes, -graph.web.ranks[nodes]))].tolist()
    return found


def _drawn(graph: CrawlGraph, nodes: list[int], damping: float) -> DrawnLinks:
    links = graph.web.graph
    place = {node: number for number, node in enumerate(nodes)}
    between = np.isin(links.sources, nodes) & np.isin(links.targets, nodes)
    pairs = zip(links.sources[between].tolist(), links.targets[between].tolist(), strict=True)
    edges = tuple(sorted((place[source], place[target]) for source, target in pairs))
    return DrawnLinks(graph.web.linked_pages(nodes), edges, *_rounds(graph, nodes, damping))


def _rounds(graph: CrawlGraph, nodes: list[int], damping: float) -> tuple[NDArray[np.float64], tuple[float, ...]]:
    chosen, changes = [], []
    before: NDArray[np.float64] | None = None
    for rank in pagerank_rounds(graph.web.matrix, graph.web.graph.roots, damping):
        if before is not None:
            changes.append(float(np.abs(rank - before).sum()) * graph.web.graph.pages)
        before = rank
        chosen.append(rank[nodes] * graph.web.graph.pages)
    return np.array(chosen), tuple(changes)
