"""Which pages do the links of a crawl favour?

The whole graph is ranked by the code that ranks it for the index. The values are multiples of the mean over all pages.
They use the links as they are now; `why URL` shows the values in the index.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from crawldb.pages.feed import read_link_rows
from indexer.links import DAMPING, hubs_and_authorities, pagerank, web_graph
from reports.wording import Row, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
            "links", f"{counted(self.links, 'link')} between {counted(self.pages, 'URL')}, damping {self.damping:g}"
        )
        columns = "PageRank, hub and authority (mean of all URLs: 1), URLs that link to it, URLs to which it links"
        yield Row("", f"{columns}; copies are merged:")
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
    return LinkReport(web.graph.pages, len(web.graph.sources), damping, web.linked_pages(map(int, foremost)))


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

    def linked_pages(self, nodes: Iterable[int]) -> tuple[LinkedPage, ...]:
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
