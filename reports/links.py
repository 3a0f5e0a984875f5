"""Which pages do the links of a crawl favour, who links to a page, and how does PageRank converge?

The whole graph is ranked by the code that ranks it for the index. The values are multiples of the mean over all pages.
They use the links as they are now; `why URL` shows the values in the index.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from crawldb.tables.link_rows import read_link_rows, site_ids
from indexer.links import DAMPING, hubs_and_authorities, pagerank, pagerank_rounds, web_graph
from reports.wording import Row, counted
from urls.canonical import UnusableUrl, canonicalize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from crawldb.database import CrawlDatabase
    from indexer.links import WebGraph

FOREMOST = 10


@dataclass(frozen=True, slots=True)
class LinkedPage:
    """A page among the links. The three are in times the mean of all pages: 1 is neither much nor little."""

    url: str  # of several names the one that was met first
    pagerank: float
    hub: float
    authority: float
    inlinks: int  # other pages that link to it
    outlinks: int


@dataclass(frozen=True, slots=True)
class LinkReport:
    """The number of pages and links, and the top pages."""

    pages: int
    links: int
    damping: float
    foremost: tuple[LinkedPage, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return asdict(self)

    def rows(self) -> Iterator[Row]:
        """Yield it for a person."""
        yield Row(
            "links", f"{counted(self.links, 'link')} between {counted(self.pages, 'page')}, damping {self.damping:g}"
        )
        yield Row("", "PageRank, hub and authority (mean of all pages: 1), links to the page, links on it:")
        for number, page in enumerate(self.foremost, 1):
            values = (
                f"{page.pagerank:8.2f}  {page.hub:6.2f}  {page.authority:6.2f}  {page.inlinks:5,}  {page.outlinks:5,}"
            )
            yield Row(f"  {number}", f"{values}  {page.url}")


def link_report(database: CrawlDatabase, damping: float = DAMPING) -> LinkReport:
    """Weigh the links of a crawl, and rank its pages by them."""
    web = LinkedWeb(web_graph(read_link_rows(database)), damping)
    ranks = web.ranks
    foremost = np.lexsort((np.arange(web.graph.pages), -ranks))[:FOREMOST]
    return LinkReport(web.graph.pages, len(web.graph.sources), damping, web.told(map(int, foremost)))


class LinkedWeb:
    """The graph of a crawl, with what the three ways of counting links say of each of its p pages."""

    def __init__(self, graph: WebGraph, damping: float = DAMPING) -> None:
        self.graph = graph
        self.matrix = matrix = graph.matrix()
        self.ranks = pagerank(matrix, graph.roots, damping)  # p
        self._hubs, self._authorities = hubs_and_authorities(matrix)
        self._outlinks = np.bincount(graph.sources, minlength=graph.pages)
        self._inlinks = graph.inlinks
        self._names = {int(node): url for url, node in zip(reversed(graph.urls), reversed(graph.node), strict=True)}

    def told(self, nodes: Iterable[int]) -> tuple[LinkedPage, ...]:
        """Return the values of some pages, in their order."""
        pages = self.graph.pages
        return tuple(
            LinkedPage(
                self._names[node],
                round(float(self.ranks[node] * pages), 4),
                round(float(self._hubs[node] * pages), 4),
                round(float(self._authorities[node] * pages), 4),
                int(self._inlinks[node]),
                int(self._outlinks[node]),
            )
            for node in nodes
        )


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
    [page] = graph.web.told([node])
    return Neighbourhood(
        page,
        graph.web.told(linking[:NEIGHBOURS_TOLD]),
        graph.web.told(linked[:NEIGHBOURS_TOLD]),
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
    return DrawnLinks(graph.web.told(nodes), edges, *_rounds(graph, nodes, damping))


def _rounds(graph: CrawlGraph, nodes: list[int], damping: float) -> tuple[NDArray[np.float64], tuple[float, ...]]:
    chosen, changes = [], []
    before: NDArray[np.float64] | None = None
    for rank in pagerank_rounds(graph.web.matrix, graph.web.graph.roots, damping):
        if before is not None:
            changes.append(float(np.abs(rank - before).sum()) * graph.web.graph.pages)
        before = rank
        chosen.append(rank[nodes] * graph.web.graph.pages)
    return np.array(chosen), tuple(changes)
