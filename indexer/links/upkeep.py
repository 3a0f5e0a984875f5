"""When is PageRank computed anew? When the graph has changed by a share since, and once more when a crawl ends.

Beside a crawl the graph grows with each page. To wait for a quarter more each time costs five times the last computing
in all, however large the crawl becomes. At the end, whatever has changed counts: then the numbers shown are those of
the crawl as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from indexer.links.graph import web_graph
from indexer.links.pagerank import DAMPING, pagerank
from indexer.segments.link_ranks import GraphState, LinkRanks
from indexer.segments.schema import url_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from crawldb.tables.link_rows import LinkRows


@dataclass(frozen=True, slots=True)
class LinkUpkeep:
    """How PageRank is kept up to date: the settings PAGERANK_DAMPING and PAGERANK_CHANGED."""

    damping: float = DAMPING
    changed: float = 0.25  # share of the links that may come or go before a running crawl computes it anew
    follows: bool = True  # False: what is there stays as it is; a person took out a page, and waits for that

    def is_due(self, state: GraphState, changes: int, *, ending: bool) -> bool:
        """Say whether ranks of `state` are to be computed anew, now that `changes` links have come or gone in all."""
        if not state.links:
            return changes != state.changes
        if not self.follows:
            return False
        since = abs(changes - state.changes)  # the database may have been put back to an older copy
        if ending and state.linking_sites is None:
            return True
        return state.damping != self.damping or since > (0 if ending else self.changed * state.links)

    def ranks(self, rows: LinkRows, changes: int) -> LinkRanks:
        """Compute PageRank for all URLs that take part in the graph, after so many links have come or gone."""
        graph = web_graph(rows)
        ranks = pagerank(graph.matrix(), graph.roots, self.damping) * graph.pages
        state = GraphState(changes, len(rows.links), graph.pages, self.damping, graph.linking_sites)
        linked = graph.node >= 0
        node = graph.node[linked]
        counts = graph.inlinks[node], graph.other_sites[node]
        return link_ranks(state, compress(graph.urls, linked), ranks[node], *counts)


def link_ranks(
    state: GraphState,
    urls: Iterable[str],
    ranks: NDArray[np.float64],
    inlinks: NDArray[np.int64],
    other_sites: NDArray[np.int64],
) -> LinkRanks:
    """Return the ranks of n URLs as an index keeps them; `ranks` in times the mean of all pages."""
    keys = np.array([url_key(url) for url in urls], np.uint64)
    order = np.argsort(keys)
    counts = inlinks[order].astype(np.uint32), other_sites[order].astype(np.uint32)
    return LinkRanks(state, keys[order], ranks[order].astype(np.float32), *counts)
