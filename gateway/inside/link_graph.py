"""Which page leads to which? Circles and tapering lines: wide at the page that links, a point at the one it names.

Tapering tells the direction better than arrow heads do (Holten and van Wijk, "A User Study on Visualizing Directed
Edges in Graphs", 2009). Circles have a number, which the table explains: addresses would lie over each other. Where
circles stand is found by forces: all push each other away, and a line pulls its two ends together (Fruchterman and
Reingold, "Graph Drawing by Force-Directed Placement", 1991), from a circle as the start, so that the same links are
the same picture each time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np

import crawldb.tables.link_rows
import gateway.plots
import indexer.links
import reports.links
from gateway.inside.source_files import source_files_of
from gateway.plots import WIDTH, Plot, drawing, element, empty_plot, line_plot, linked, text
from urls.wording import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from reports.links import DrawnLinks


MAX_NODES = 60  # more are a ball of wool
MANY_EDGES = 100  # from which on they are drawn fainter
ROUNDS = 150  # of pushing and pulling
HEIGHT = 300
LEAST, MOST = 7.0, 16.0  # radius of a circle, units
BORDER = MOST + 2
NO_LENGTH = 1e-9  # what is shorter has no direction


@dataclass(frozen=True, slots=True)
class Node:
    """A circle: what it stands for, where its row in the table leads, and how large it is beside the others."""

    name: str
    weight: float = 1.0
    href: str = ""


def graph_plot(
    nodes: Sequence[Node], edges: Collection[tuple[int, int]], *, title: str, name: str, unit: str, nothing: str = ""
) -> Plot:
    """Return a picture of at most MAX_NODES nodes; an edge (a, b) leads from the a-th node to the b-th.

    `name` and `unit` are the words for what a node is, and for its weight. Raises ValueError for more nodes, for an
    edge of a node that is not there, and for a weight that is below 0 or not finite.
    """
    if not nodes:
        return empty_plot(title, nothing or "There is nothing to draw: no numbers yet.")
    if len(nodes) > MAX_NODES:
        raise ValueError(f"{len(nodes)} nodes: a picture has room for {MAX_NODES}")
    if any(not (math.isfinite(node.weight) and node.weight >= 0) for node in nodes):
        raise ValueError("a weight is a finite number from 0 on")
    if any(not 0 <= end < len(nodes) for edge in edges for end in edge):
        raise ValueError(f"an edge leads from or to a node that is not there: {len(nodes)} nodes")
    links = sorted({(source, target) for source, target in edges if source != target})
    places = layout(len(nodes), links)
    most = max(node.weight for node in nodes) or 1.0
    radius = [LEAST + (MOST - LEAST) * math.sqrt(node.weight / most) for node in nodes]
    kind = "edge" if len(links) <= MANY_EDGES else "edge faint"
    parts = [element("path", d=_taper(places[a], places[b], radius[b]), class_=kind) for a, b in links]
    for number, (node, (x, y), r) in enumerate(zip(nodes, places.tolist(), radius, strict=True), 1):
        circle = element("circle", cx=x, cy=y, r=r)
        whole = element("title", f"{number}: {node.name}")
        parts.append(element("g", whole, circle, text(str(number), x, y + 4, "middle", "number"), class_="node"))
    says = f"{len(nodes)} nodes, numbered as in the table, and {len(links)} edges between them."
    picture = drawing(title, says, HEIGHT, *parts)
    onward: list[list[str]] = [[] for _ in nodes]
    for source, target in links:
        onward[source].append(str(target + 1))
    rows = [
        (str(number + 1), linked(node.name, node.href), plain(node.weight, 4), ", ".join(onward[number]))
        for number, node in enumerate(nodes)
    ]
    return Plot(title, picture, ("number", name, unit, "links to"), rows)


def layout(nodes: int, edges: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Return a place inside the picture for each node (n x 2). The same edges give the same places."""
    turns = 2 * np.pi * np.arange(nodes) / max(nodes, 1)
    place = np.column_stack([np.cos(turns), np.sin(turns)]) * (1 + 0.01 * np.arange(nodes)[:, None] / max(nodes, 1))
    wanted = math.sqrt(4 / max(nodes, 1))  # between neighbours, in a square of 2 x 2
    source, target = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    for heat in np.linspace(0.3, 0.005, ROUNDS):
        apart = place[:, None, :] - place[None, :, :]
        distance = np.maximum(np.linalg.norm(apart, axis=2), 0.01)
        move = (apart * (wanted**2 / distance**2)[:, :, None]).sum(axis=1)
        pull = (place[source] - place[target]) * (
            np.linalg.norm(place[source] - place[target], axis=1, keepdims=True) / wanted
        )
        np.subtract.at(move, source, pull)
        np.add.at(move, target, pull)
        move -= place * wanted  # to the middle: what nothing holds would drift away
        length = np.maximum(np.linalg.norm(move, axis=1, keepdims=True), NO_LENGTH)
        place = place + move / length * np.minimum(length, heat)
    low, high = place.min(axis=0), place.max(axis=0)
    flat = high - low < NO_LENGTH  # one node alone, which stands in the middle
    share = np.where(flat, 0.5, (place - low) / np.where(flat, 1.0, high - low))
    return _apart(BORDER + share * (np.array([WIDTH, HEIGHT]) - 2 * BORDER))


def _apart(place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Push circles apart that lie over each other: pages that all link to each other pull themselves into a heap."""
    for _ in range(ROUNDS):
        way = place[:, None, :] - place[None, :, :]
        distance = np.maximum(np.linalg.norm(way, axis=2), NO_LENGTH)
        over = np.where(distance < 2 * MOST, 2 * MOST - distance, 0.0)
        np.fill_diagonal(over, 0.0)
        place = place + 0.25 * (way / distance[:, :, None] * over[:, :, None]).sum(axis=1)
        place = np.clip(place, BORDER, np.array([WIDTH, HEIGHT]) - BORDER)
    return place


def _taper(start: NDArray[np.float64], end: NDArray[np.float64], radius: float) -> str:
    """Return the outline of an edge, which ends where the circle of its target begins."""
    way = end - start
    length = max(float(np.linalg.norm(way)), 0.01)
    aside = np.array([-way[1], way[0]]) / length * 2.5
    tip = end - way / length * min(radius, length)
    (ax, ay), (bx, by), (cx, cy) = (start + aside).tolist(), (start - aside).tolist(), tip.tolist()
    return f"M{ax:.1f} {ay:.1f}L{bx:.1f} {by:.1f}L{cx:.1f} {cy:.1f}Z"


RANKS_DRAWN = 6  # lines that can be told apart
ROUNDS_DRAWN = 30
SOURCES = source_files_of(
    indexer.links, crawldb.tables.link_rows, reports.links,
    gateway.plots,
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
