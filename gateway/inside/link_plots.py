"""How are links and ranks drawn? Pages as circles, and a line for each of the foremost on its way to its PageRank."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from urllib.parse import quote

import crawldb.tables.link_rows
import gateway.plots.graph
import indexer.links
import reports.links
from gateway.inside.source_files import computed_by
from gateway.plots import Node, Plot, graph_plot, line_plot

if TYPE_CHECKING:
    from reports.links import DrawnLinks

RANKS_DRAWN = 6  # lines that can be told apart
ROUNDS_DRAWN = 30
SOURCES = computed_by(
    indexer.links, crawldb.tables.link_rows, reports.links,
    gateway.plots.graph,
)  # fmt: skip


def picture(drawn: DrawnLinks, around: bool) -> Plot:
    """Draw pages and the links between them, each as large as its PageRank."""
    nodes = [
        Node(page.url, float(rank), f"/inside/links?url={quote(page.url, safe='')}")
        for page, rank in zip(drawn.pages, drawn.rounds[-1], strict=True)
    ]
    title = "The page, number 1, and its foremost neighbours" if around else "The most linked pages"
    return graph_plot(nodes, drawn.edges, title=title, name="page", unit="PageRank")


def foremost(drawn: DrawnLinks) -> list[int]:
    """Return the places of the pages with the highest PageRank."""
    return sorted(range(len(drawn.pages)), key=lambda place: -drawn.rounds[-1, place])[:RANKS_DRAWN]


def rounds(drawn: DrawnLinks) -> Plot:
    """Draw how the foremost pages come to their ranks; before the first round the seeds have all, which dwarfs it."""
    lines = {
        f"{place + 1}: {drawn.pages[place].url}": [
            (float(number), float(rank)) for number, rank in enumerate(drawn.rounds[1 : ROUNDS_DRAWN + 1, place], 1)
        ]
        for place in foremost(drawn)
    }
    return line_plot(lines, title="PageRank, from the first round on", x="rounds", y="times the mean of all pages")


def shrinking(drawn: DrawnLinks) -> Plot:
    """Draw how the rounds come to rest: each changes by the damping times what the one before did, at most."""
    points = [(float(number), math.log10(change)) for number, change in enumerate(drawn.changes, 1) if change > 0]
    return line_plot(
        {"change": points},
        title="What a round still changes",
        x="rounds",
        y="sum over all pages, as a power of ten",
        nothing="The first round changes nothing.",
    )
