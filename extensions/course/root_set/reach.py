"""Which pages are reachable from which seed, and which would be lost without it?

*HTTP: The Definitive Guide*, 9.1.1: no page leads to all others, so a crawl needs several seeds, its root set. A page
here is a node of the link graph: redirects, copies and canonical addresses of a page are one node (indexer/links.py).
A way leads along links, redirects, refreshes, sitemaps and feeds, as the crawl stored them. Links with nofollow are
none. Limits such as MAX_DEPTH are not applied: a page that a long way reaches counts as reachable.

Pages that link to each other in a circle are reached by the same seeds. So the circles (strongly connected components)
are found first. Between them no way leads back, and one pass over their ways finds what every seed reaches.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from indexer.links import MergedNames

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from extensions.course.root_set.tables import WayRows

MAX_SEEDS = 200  # each is looked at; those after them are one more start together


class WayGraph:
    """The pages of a crawl and the ways between them. n URLs are p nodes, and each site with sitemaps is one more."""

    def __init__(self, rows: WayRows) -> None:
        self.urls = rows.links.urls
        merged = MergedNames.of(rows.links)
        names, self.node = np.unique(merged.name, return_inverse=True)  # n: the node of each URL
        self.first = names.copy()  # p: the place of a URL of each node: the first that is stored, or else the first
        self.site = rows.links.sites  # n
        self._ids = rows.links.ids
        pages = len(names)
        stored = np.searchsorted(self._ids, rows.stored)
        self.first[self.node[stored[::-1]]] = stored[::-1]
        self.stored = np.zeros(pages, np.bool_)
        self.stored[self.node[stored]] = True
        seeds = np.searchsorted(rows.links.ids, rows.seeds).tolist()
        self.seeds: dict[int, list[int]] = {}  # by node, the places of the seeds that are its names
        for place in seeds:
            self.seeds.setdefault(int(self.node[place]), []).append(place)
        self.handed_over = np.unique(self.nodes_of(rows.handed_over))
        self.sources, self.targets, self.size = self._ways(rows, pages)

    def nodes_of(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the nodes of URLs by their ids."""
        return np.asarray(self.node[np.searchsorted(self._ids, ids)])

    def _ways(self, rows: WayRows, pages: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        pairs = np.concatenate([rows.links.links, rows.others])
        sources, targets = self.nodes_of(pairs.T[0]), self.nodes_of(pairs.T[1])
        with_sitemaps, place = np.unique(rows.sitemaps.T[0], return_inverse=True)
        there = np.flatnonzero(np.isin(self.site, with_sitemaps))
        into = pages + np.searchsorted(with_sitemaps, self.site[there])
        return (
            np.concatenate([sources, self.node[there], pages + place]),
            np.concatenate([targets, into, self.nodes_of(rows.sitemaps.T[1])]),
            pages + len(with_sitemaps),
        )

    def node_of(self, url: str) -> int | None:
        """Return the node of a canonical URL; None where the crawl does not know it."""
        return int(self.node[self._place[url]]) if url in self._place else None

    @cached_property
    def _place(self) -> dict[str, int]:
        return {url: place for place, url in enumerate(self.urls)}

    def name(self, node: int) -> str:
        """Return the URL of a node: of its stored names the first, or else of all."""
        return str(self.urls[self.first[node]])

    def reached(self, starts: Collection[int], without: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """Return whether each of p nodes is reached from any of some nodes, on ways around the nodes of `without`."""
        pages = len(self.first)
        closed = np.zeros(self.size, np.bool_)
        if without is not None:
            closed[:pages] = without
        begin = np.array([node for node in starts if not closed[node]], np.int64)
        open_ways = ~(closed[self.sources] | closed[self.targets])
        sources = np.concatenate([self.sources[open_ways], np.full(len(begin), self.size)])
        found = _walk(_matrix(sources, np.concatenate([self.targets[open_ways], begin]), self.size + 1), self.size)
        return found[:pages]

    @cached_property
    def pages_stored(self) -> int:
        """The number of stored pages, a page with several names once."""
        return int(self.stored.sum())


def _matrix(sources: NDArray[np.int64], targets: NDArray[np.int64], size: int) -> csr_array:
    return csr_array((np.ones(len(sources)), (sources, targets)), shape=(size, size))


def _walk(ways: csr_array, start: int) -> NDArray[np.bool_]:
    found = np.zeros(ways.shape[0], np.bool_)
    found[breadth_first_order(ways, start, return_predecessors=False)] = True
    return found


@dataclass(frozen=True, slots=True)
class Seed:
    """A seed with the stored pages that it reaches, and those that no other start reaches."""

    node: int
    url: str
    pages: int
    alone: int


@dataclass(frozen=True, slots=True)
class CoverStep:
    """A seed of the cover: the pages that it adds, and how many are reached then."""

    seed: int  # its place in `RootSetReach.seeds`
    adds: int
    reached: int


@dataclass(frozen=True, slots=True)
class LinkedPart:
    """The stored pages that the same seeds reach: places in `RootSetReach.seeds`; `url` is one of the pages."""

    seeds: tuple[int, ...]
    pages: int
    url: str


@dataclass(frozen=True, slots=True)
class RootSetReach:
    """The seeds of a crawl with what each reaches: s seeds, the most pages first, and p nodes."""

    graph: WayGraph
    seeds: tuple[Seed, ...]
    by_number: dict[int, int]  # stored pages by the number of these seeds that reach them
    cover: tuple[CoverStep, ...]
    parts: tuple[LinkedPart, ...]  # the largest first
    part_ways: tuple[tuple[int, int], ...]  # places of two parts, where a page of one leads to a page of the other
    others: int  # further seeds, which count together as one start outside
    outside: int  # stored pages that a start outside reaches: further seeds, and other parts of a divided crawl
    reached_by: NDArray[np.bool_]  # (p, s)

    def reaching(self, node: int) -> tuple[int, ...]:
        """Return the places of the seeds that reach a node."""
        return tuple(np.flatnonzero(self.reached_by[node]).tolist())


def root_set(graph: WayGraph) -> RootSetReach:
    """Return what each seed reaches."""
    every = list(graph.seeds)
    nodes = every[:MAX_SEEDS]
    reached_by = _reached_by(graph, nodes)
    further = [*every[MAX_SEEDS:], *graph.handed_over.tolist()]
    outside = graph.reached(further) if further else np.zeros(len(graph.first), np.bool_)
    counts = reached_by[graph.stored].sum(axis=0)
    order = np.lexsort((np.arange(len(nodes)), -counts))
    reached_by, counts = np.ascontiguousarray(reached_by[:, order]), counts[order]
    number = reached_by.sum(axis=1, dtype=np.int64)
    alone = reached_by[graph.stored & (number == 1) & ~outside].sum(axis=0)
    seeds = tuple(
        Seed(nodes[place], graph.urls[graph.seeds[nodes[place]][0]], int(count), int(only))
        for place, count, only in zip(order, counts, alone, strict=True)
    )
    numbers = zip(*np.unique(number[graph.stored], return_counts=True), strict=True)
    parts, ways = _parts(graph, reached_by)
    return RootSetReach(
        graph,
        seeds,
        {int(each): int(count) for each, count in numbers},
        _cover(reached_by[graph.stored], outside[graph.stored]),
        parts,
        ways,
        len(every[MAX_SEEDS:]),
        int((outside & graph.stored).sum()),
        reached_by,
    )


def _reached_by(graph: WayGraph, nodes: Collection[int]) -> NDArray[np.bool_]:
    """Return for each node of the graph which of s nodes reach it: (p, s).

    A circle passes its starts on when all circles before it have passed on theirs (Kahn, "Topological Sorting of Large
    Networks", 1962). The starts of a circle are the bits of one number.
    """
    count, circle = connected_components(
        _matrix(graph.sources, graph.targets, graph.size), directed=True, connection="strong"
    )
    sources, targets = circle[graph.sources].astype(np.int64), circle[graph.targets].astype(np.int64)
    pairs = np.sort((sources * count + targets)[sources != targets])
    sources, targets = np.divmod(pairs[np.diff(pairs, prepend=-1) > 0], max(count, 1))
    begins = np.searchsorted(sources, np.arange(count + 1)).tolist()  # of the ways from each circle, and their end
    before, onward = np.bincount(targets, minlength=count).tolist(), targets.tolist()
    bits = [0] * count
    for place, node in enumerate(nodes):
        bits[circle[node]] |= 1 << place
    ready = [each for each in range(count) if not before[each]]
    while ready:
        source = ready.pop()
        for target in onward[begins[source] : begins[source + 1]]:
            bits[target] |= bits[source]
            before[target] -= 1
            if not before[target]:
                ready.append(target)
    octets = len(nodes) // 8 + 1
    packed = np.frombuffer(b"".join(each.to_bytes(octets, "little") for each in bits), np.uint8).reshape(count, octets)
    unpacked = np.unpackbits(packed, axis=1, count=len(nodes), bitorder="little").astype(np.bool_)
    return np.asarray(unpacked[circle[: len(graph.first)]])


def _cover(reached_by: NDArray[np.bool_], outside: NDArray[np.bool_]) -> tuple[CoverStep, ...]:
    """Choose seeds until their pages are those of all seeds: each time the seed that adds the most (a greedy cover).

    The smallest such set is hard to find (set cover is NP-hard). The greedy one may be larger, by a factor of ln n + 1
    for n pages at most (Chvátal, "A Greedy Heuristic for the Set-Covering Problem", 1979).
    """
    gains = reached_by[~outside].sum(axis=0)
    covered = outside.copy()
    steps: list[CoverStep] = []
    while len(gains) and gains.max():
        best = int(gains.argmax())
        fresh = reached_by[:, best] & ~covered
        covered |= fresh
        steps.append(CoverStep(best, int(gains[best]), int(covered.sum())))
        gains = gains - reached_by[fresh].sum(axis=0)
    return tuple(steps)


def _parts(
    graph: WayGraph, reached_by: NDArray[np.bool_]
) -> tuple[tuple[LinkedPart, ...], tuple[tuple[int, int], ...]]:
    """Group the stored pages by the seeds that reach them."""
    stored = np.flatnonzero(graph.stored)
    if not len(stored):
        return (), ()
    marks = np.packbits(reached_by[stored], axis=1)  # a row each page, a bit each seed
    _, first, which, sizes = np.unique(marks, axis=0, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    part = np.full(graph.size, -1)
    part[stored] = rank[which]
    parts = tuple(
        LinkedPart(
            tuple(np.flatnonzero(reached_by[stored[first[each]]]).tolist()),
            int(sizes[each]),
            graph.name(int(stored[first[each]])),
        )
        for each in order
    )
    ends = part[graph.sources], part[graph.targets]
    between = (ends[0] >= 0) & (ends[1] >= 0) & (ends[0] != ends[1])
    pairs = np.unique(ends[0][between] * len(parts) + ends[1][between])
    return parts, tuple((int(pair) // len(parts), int(pair) % len(parts)) for pair in pairs)


@dataclass(frozen=True, slots=True)
class Loss:
    """The stored pages that a crawl without a seed does not reach, as nodes.

    `by_ways`: no other start leads there. `by_scope`: further ones, as the site of the seed is out of scope then.
    """

    by_ways: NDArray[np.int64]
    by_scope: NDArray[np.int64]


def loss_without(found: RootSetReach, seed: int, out_of_scope: NDArray[np.bool_]) -> Loss:
    """Return what is lost without a seed, by its place; `out_of_scope` has the URLs (n) whose site is left then."""
    graph = found.graph
    starts = [*(node for node in graph.seeds if node != found.seeds[seed].node), *graph.handed_over.tolist()]
    of_seed = graph.stored & found.reached_by[:, seed]
    rest = graph.reached(starts)
    in_scope = np.zeros(len(graph.first), np.bool_)
    in_scope[graph.node[~out_of_scope]] = True
    kept = graph.reached(starts, without=~in_scope) if out_of_scope.any() else rest
    by_ways = of_seed & ~rest
    all_of_them = graph.stored & ~kept & (rest | of_seed)
    return Loss(np.flatnonzero(by_ways), np.flatnonzero(all_of_them & ~by_ways))
