"""How are links and PageRank drawn? Pages as circles, links as tapering lines, and PageRank as lines over iterations.

A line is wide at the linking page and ends in a point at the linked one. Tapering shows the direction better than arrow
heads (Holten and van Wijk, "A User Study on Visualizing Directed Edges in Graphs", 2009). Circles have numbers, which
the table explains, because URLs would overlap. Forces place the circles: all repel each other, and a line pulls its two
ends together (Fruchterman and Reingold, "Graph Drawing by Force-Directed Placement", 1991). The start is a circle, so
the same links always give the same picture.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np

import crawldb.pages.feed
import extensions.course.inside.site_links
import gateway.plots
import indexer.links
from gateway.plots import WIDTH, Plot, drawing, element, empty_plot, line_plot, name_link, text
from gateway.source_files import source_files_of
from urls.wording import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from extensions.course.inside.site_links import DrawnLinks


MAX_NODES = 60  # more can't be told apart
MANY_EDGES = 100  # more are drawn fainter
ROUNDS = 150  # of the layout
HEIGHT = 300
LEAST, MOST = 7.0, 16.0  # radius of a circle, units
BORDER = MOST + 2
MIN_LENGTH = 1e-9  # shorter lines have no direction


@dataclass(frozen=True, slots=True)
class Node:
    """A circle: its name, its relative size, and the link of its row in the table."""

    name: str
    weight: float = 1.0
    href: str = ""


def graph_plot(
    nodes: Sequence[Node], edges: Collection[tuple[int, int]], *, title: str, name: str, unit: str, nothing: str = ""
) -> Plot:
    """Return a picture of at most MAX_NODES nodes; an edge (a, b) leads from the a-th node to the b-th.

    `name` and `unit` are the table heads for a node and for its weight. Raises ValueError for more nodes, for an
    edge of a node that is not there, and for a weight that is below 0 or not finite.
    """
    if not nodes:
        return empty_plot(title, nothing or "No numbers yet.")
    if len(nodes) > MAX_NODES:
        raise ValueError(f"{len(nodes)} nodes: a picture has at most {MAX_NODES}")
    if any(not (math.isfinite(node.weight) and node.weight >= 0) for node in nodes):
        raise ValueError("a weight must be a finite number, 0 or more")
    if any(not 0 <= end < len(nodes) for edge in edges for end in edge):
        raise ValueError(f"an edge has a node that does not exist: {len(nodes)} nodes")
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
    description = f"{len(nodes)} nodes, numbered as in the table, and {len(links)} edges between them."
    picture = drawing(title, description, HEIGHT, *parts)
    onward: list[list[str]] = [[] for _ in nodes]
    for source, target in links:
        onward[source].append(str(target + 1))
    rows = [
        (str(number + 1), name_link(node.name, node.href), plain(node.weight, 4), ", ".join(onward[number]))
        for number, node in enumerate(nodes)
    ]
    return Plot(title, picture, ("number", name, unit, "links to"), rows)


def layout(nodes: int, edges: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Return a position in the picture for each node (n x 2). The same edges give the same positions."""
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
        move -= place * wanted  # to the middle: nodes without edges would drift away
        length = np.maximum(np.linalg.norm(move, axis=1, keepdims=True), MIN_LENGTH)
        place = place + move / length * np.minimum(length, heat)
    low, high = place.min(axis=0), place.max(axis=0)
    flat = high - low < MIN_LENGTH  # a single node is in the middle
    share = np.where(flat, 0.5, (place - low) / np.where(flat, 1.0, high - low))
    return _apart(BORDER + share * (np.array([WIDTH, HEIGHT]) - 2 * BORDER))


def _apart(place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Push overlapping circles apart: pages that all link to each other end close together."""
    for _ in range(ROUNDS):
        way = place[:, None, :] - place[None, :, :]
        distance = np.maximum(np.linalg.norm(way, axis=2), MIN_LENGTH)
        over = np.where(distance < 2 * MOST, 2 * MOST - distance, 0.0)
        np.fill_diagonal(over, 0.0)
        place = place + 0.25 * (way / distance[:, :, None] * over[:, :, None]).sum(axis=1)
        place = np.clip(place, BORDER, np.array([WIDTH, HEIGHT]) - BORDER)
    return place


def _taper(start: NDArray[np.float64], end: NDArray[np.float64], radius: float) -> str:
    """Return the outline of an edge, which ends at the circle of its target."""
    way = end - start
    length = max(float(np.linalg.norm(way)), 0.01)
    aside = np.array([-way[1], way[0]]) / length * 2.5
    tip = end - way / length * min(radius, length)
    (ax, ay), (bx, by), (cx, cy) = (start + aside).tolist(), (start - aside).tolist(), tip.tolist()
    return f"M{ax:.1f} {ay:.1f}L{bx:.1f} {by:.1f}L{cx:.1f} {cy:.1f}Z"


RANKS_DRAWN = 6  # lines with different colours
ROUNDS_DRAWN = 30
SOURCES = source_files_of(
    indexer.links, crawldb.pages.feed, extensions.course.inside.site_links,
    gateway.plots,
)  # fmt: skip


def picture(drawn: DrawnLinks, around: bool) -> Plot:
    """Draw pages and the links between them; the size is the PageRank."""
    nodes = [
        Node(page.url, float(rank), f"/inside/links?url={quote(page.url, safe='')}")
        for page, rank in zip(drawn.pages, drawn.rounds[-1], strict=True)
    ]
    title = (
        "The page (number 1) and its neighbours with the highest PageRank"
        if around
        else "The pages with the most inlinks"
    )
    return graph_plot(nodes, drawn.edges, title=title, name="page", unit="PageRank")


def top_pages(drawn: DrawnLinks) -> list[int]:
    """Return the positions of the pages with the highest PageRank."""
    return sorted(range(len(drawn.pages)), key=lambda place: -drawn.rounds[-1, place])[:RANKS_DRAWN]


def rounds(drawn: DrawnLinks) -> Plot:
    """Draw the PageRank of the top pages by iteration, without the start, where the seeds have all of it."""
    lines = {
        f"{place + 1}: {drawn.pages[place].url}": [
            (float(number), float(rank)) for number, rank in enumerate(drawn.rounds[1 : ROUNDS_DRAWN + 1, place], 1)
        ]
        for place in top_pages(drawn)
    }
    return line_plot(lines, title="PageRank by iteration", x="iteration", y="PageRank (the mean is 1)")


def convergence(drawn: DrawnLinks) -> Plot:
    """Draw the change of each iteration: at most the damping times that of the one before."""
    points = [(float(number), math.log10(change)) for number, change in enumerate(drawn.changes, 1) if change > 0]
    return line_plot(
        {"change": points},
        title="Change in each iteration",
        x="iteration",
        y="sum over all pages, as a power of ten",
        nothing="The first iteration changes nothing.",
    )
