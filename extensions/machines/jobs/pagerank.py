"""How does each page stand by the links of all parts? PageRank over the whole graph, put back into every part's index.

Here one process holds the graph, as it does for one crawl: some 100 bytes a link. `spark_pagerank.py` is for what no
machine can hold. A part whose graph changes later has its own ranks again, until this is done once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from crawldb.database import CrawlDatabase
from crawldb.tables.link_rows import read_part_links
from extensions.machines.jobs.each_part import ask_each, change_each
from extensions.machines.jobs.joined_links import joined_links
from extensions.machines.tasks.places import PartChange
from indexer import open_writer
from indexer.links import DAMPING, link_ranks, pagerank, web_graph
from indexer.segments.link_ranks import GraphState

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from crawldb.tables.link_rows import PartLinks
    from extensions.machines.engines.staged import TaskRunner
    from extensions.machines.tasks.places import PartsPlace
    from indexer.segments.link_ranks import LinkRanks


@dataclass(frozen=True, slots=True)
class RankedPages:
    """What PageRank was computed over."""

    pages: int  # that link, are linked, or are seeds; several names of a page are one
    links: int
    linking_sites: int  # that link to another one


def rank_all(place: PartsPlace, damping: float = DAMPING, runner: TaskRunner | None = None) -> RankedPages:
    """Compute PageRank over all parts, and put each part's share into its index.

    Raises `PartsFailed`: where a part can't be read, nothing is changed.
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
    """Return what the part in a folder knows of the graph."""
    with CrawlDatabase(folder, readonly=True) as database:
        return read_part_links(database)


def put_ranks(folder: Path, ranks: LinkRanks) -> None:
    """Let the index of the part in a folder have these ranks."""
    with open_writer(folder) as writer:
        writer.put_ranks(ranks)
