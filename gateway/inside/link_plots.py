"""How are links and ranks drawn? Pages as circles, and a line for each of the foremost on its way to its PageRank."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import crawldb.tables.link_rows
import gateway.plots.graph
import indexer.links.graph
import indexer.links.hits
import indexer.links.pagerank
import reports.site_links
from gateway.inside.source_files import computed_by
from gateway.plots import Node, Plot, graph_plot, line_plot

if TYPE_CHECKING:
    from reports.site_links import DrawnLinks

RANKS_DRAWN = 6  # lines that can be told apart
ROUNDS_DRAWN = 30
SOURCES = computed_by(
    indexer.links.graph, indexer.links.pagerank, indexer.links.hits, crawldb.tables.link_rows, reports.site_links,
    gateway.plots.graph,
)  # fmt: skip


def picture(drawn: DrawnLinks, around: bool) -> Plot:
    """Draw pages and the links between them, each as large as its PageRank."""
    nodes = [
        Node(page.url, float(rank), f"/inside/links?url={quote(page.url, safe='')}")
        for page, rank in zip(drawn.pages, drawn.rounds[-1], strict=True)
    ]
    title = "The page, which is number 1, and its neighbours" if around else "The most linked pages"
    return graph_plot(nodes, drawn.edges, title=title, name="page", unit="PageRank")


def foremost(drawn: DrawnLinks) -> list[int]:
    """Return the places of the pages with the highest PageRank."""
    return sorted(range(len(drawn.pages)), key=lambda place: -drawn.rounds[-1, place])[:RANKS_DRAWN]


def rounds(drawn: DrawnLinks) -> Plot:
    """Draw how the foremost pages come to their ranks."""
    lines = {
        f"{place + 1}: {drawn.pages[place].url}": [
            (float(number), float(rank)) for number, rank in enumerate(drawn.rounds[: ROUNDS_DRAWN + 1, place])
        ]
        for place in foremost(drawn)
    }
    return line_plot(lines, title="PageRank, round by round", x="rounds", y="times the mean of all pages")
