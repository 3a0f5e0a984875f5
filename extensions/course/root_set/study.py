"""What does the root set of a stored crawl reach? The reach of its seeds, read at most once a minute, and its plots."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

import crawldb.tables.seeds
from crawldb.figures.totals import known_urls, links_counted
from crawldb.tables.seeds import foreign_seed_sites, imported_sites
from extensions.course.inside.link_graph import Node, graph_plot
from extensions.course.inside.links_page import GRAPH_CACHE_SECONDS
from extensions.course.root_set import reach, tables
from extensions.course.root_set.reach import RootSetReach, WayGraph, loss_without, root_set
from extensions.course.root_set.tables import read_ways
from gateway.plots import Plot, bar_plot, line_plot
from gateway.served_crawl import kept_in_app, served_crawl
from gateway.source_files import source_files_of
from urls.canonical import canonical_or_none

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crawldb.database import CrawlDatabase
    from extensions.course.root_set.reach import LinkedPart, Loss

MOST = 1_000_000  # links, and URLs: reading and following them takes some three seconds
PARTS_DRAWN = 20
PAGES_SHOWN = 40  # of those that would be lost
SEEDS_NAMED = 5  # of a part; the others are counted
SOURCES = source_files_of(reach, tables, crawldb.tables.seeds)


@dataclass(frozen=True, slots=True)
class KnownRootSet:
    """What the seeds of a crawl reach, and the ids of the sites by their names."""

    found: RootSetReach
    sites: dict[str, int]


def remembered_root_set(database: CrawlDatabase) -> KnownRootSet | None:
    """Return what the seeds of a crawl, or of a part, reach, at most GRAPH_CACHE_SECONDS old; None: too many links."""
    if max(links_counted(database), known_urls(database)) > MOST:
        return None
    return kept_in_app(f"root_set {database.path}", GRAPH_CACHE_SECONDS, lambda: study(database))


def study(database: CrawlDatabase) -> KnownRootSet:
    """Read the ways of a crawl, and find what each seed reaches."""
    rows = read_ways(database)
    return KnownRootSet(root_set(WayGraph(rows)), rows.sites)


def about_seed(database: CrawlDatabase, studied: KnownRootSet, url: str) -> dict[str, object]:
    """Return what the page says of a crawl without the seed `url`."""
    found = studied.found
    node = found.graph.node_of(canonical_or_none(url) or url)
    places = [place for place, seed in enumerate(found.seeds) if seed.node == node]
    if not places:
        return {"no_seed": True}
    loss = seed_loss(database, studied, places[0])
    return {
        "lost_seed": found.seeds[places[0]],
        "lost": len(loss.by_ways),
        "lost_by_scope": len(loss.by_scope),
        "lost_pages": [found.graph.name(int(page)) for page in [*loss.by_ways, *loss.by_scope][:PAGES_SHOWN]],
        "pages_shown": PAGES_SHOWN,
    }


def seed_loss(database: CrawlDatabase, studied: KnownRootSet, place: int) -> Loss:
    """Return what a crawl would lose without the seed with this place."""
    return loss_without(studied.found, place, _out_of_scope(database, studied, place))


def _out_of_scope(database: CrawlDatabase, studied: KnownRootSet, place: int) -> NDArray[np.bool_]:
    """Return which URLs of the graph would be off site without a seed: the sites of the seeds make up the scope."""
    graph, node = studied.found.graph, studied.found.seeds[place].node
    names = {number: name for name, number in studied.sites.items()}

    def sites_of(places: list[int]) -> set[str]:
        return {names[int(graph.site[each])] for each in places}

    others = {site for each, places in graph.seeds.items() if each != node for site in sites_of(places)}
    left = sites_of(graph.seeds[node]) - others - imported_sites(database) - foreign_seed_sites(database)
    policy = served_crawl().settings.policy_of(database)
    narrower = replace(policy, scope=replace(policy.scope, sites=policy.scope.sites - left))
    outside = [number for name, number in studied.sites.items() if policy.covers(name) and not narrower.covers(name)]
    return np.isin(graph.site, outside)


def about_page(found: RootSetReach, url: str) -> dict[str, object]:
    """Return what the page says of the seeds that reach `url`."""
    node = found.graph.node_of(canonical_or_none(url) or url)
    if node is None:
        return {"unknown": True}
    reaching = [found.seeds[place] for place in found.reaching(node)]
    return {"node": node, "reaching": reaching, "is_stored": bool(found.graph.stored[node])}


def number_plot(found: RootSetReach) -> Plot:
    """Draw how many pages are reached from one seed, from two, and so on."""
    bars = [(str(number), pages) for number, pages in sorted(found.by_number.items())]
    title = "Pages by the number of seeds that reach them"
    return bar_plot(bars, title=title, name="seeds", unit="pages", one="page", nothing="No page is stored yet.")


def cover_plot(found: RootSetReach) -> Plot:
    """Draw how many pages are reached with the first seed of the cover, with two, and so on."""
    points = [(float(number), float(step.reached)) for number, step in enumerate(found.cover, 1)]
    title, nothing = "Pages reached by the greedy cover", "No seed reaches a stored page yet."
    return line_plot({"pages": points} if points else {}, title=title, x="seeds", y="pages", nothing=nothing)


def parts_plot(found: RootSetReach) -> Plot:
    """Draw the parts of the link graph: circles are pages that the same seeds reach, lines are links between them."""
    parts = found.parts[:PARTS_DRAWN]
    nodes = [Node(part_name(part), float(part.pages)) for part in parts]
    ways = [way for way in found.part_ways if max(way) < len(parts)]
    title, nothing = "Parts of the link graph", "No page is stored yet."
    return graph_plot(nodes, ways, title=title, name="part", unit="pages", nothing=nothing)


def part_name(part: LinkedPart) -> str:
    """Return the numbers of the seeds that reach a part, as in the table of seeds."""
    if not part.seeds:
        return "no seed"
    named = ", ".join(str(place + 1) for place in part.seeds[:SEEDS_NAMED])
    more = len(part.seeds) - SEEDS_NAMED
    return f"seed {named}" if len(part.seeds) == 1 else f"seeds {named}" + (f" and {more} more" if more > 0 else "")
