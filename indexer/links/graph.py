"""Which links count, and how much? One matrix of all links that the crawl has followed, each with a weight by reason.

The weights and their reasons are in `link_weights.py`. What counts is how the links of one page compare: a page passes
on all that it has. Names of one page (redirects, copies, canonical addresses) are one node, and several links from one
page to another are one link.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.links.link_matrix import LinkMatrix, components
from indexer.links.link_weights import link_weight

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crawldb.tables.link_rows import LinkRows


@dataclass(frozen=True, slots=True)
class WebGraph:
    """Pages and their links: p nodes, m links. `node` leads from the place of a URL to its page, -1: it has no link."""

    urls: tuple[str, ...]
    node: NDArray[np.int64]
    sources: NDArray[np.int64]  # m, with `targets` each pair of nodes once
    targets: NDArray[np.int64]
    weights: NDArray[np.float64]  # m, above 0
    roots: NDArray[np.bool_]  # p
    sites: NDArray[np.int64]  # p

    @property
    def pages(self) -> int:
        """How many pages link, are linked, or are in the root set."""
        return len(self.roots)

    @property
    def inlinks(self) -> NDArray[np.int64]:
        """From how many other pages each page is linked, whatever those links weigh."""
        return np.bincount(self.targets, minlength=self.pages)

    @property
    def other_sites(self) -> NDArray[np.int64]:
        """From how many other sites each page is linked, whatever those links weigh."""
        _, targets = np.divmod(np.unique(self._between[0] * self.pages + self._between[1]), max(self.pages, 1))
        return np.bincount(targets, minlength=self.pages)

    @property
    def linking_sites(self) -> int:
        """How many sites link to another one."""
        return len(np.unique(self._between[0]))

    @property
    def _between(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The links between sites: of each the site that links, and the page."""
        sources = self.sites[self.sources]
        elsewhere = sources != self.sites[self.targets]
        return sources[elsewhere], self.targets[elsewhere]

    def matrix(self) -> LinkMatrix:
        """Return the weights as a matrix of p x p, a row each source."""
        return LinkMatrix(self.sources, self.targets, self.weights, self.pages)


@dataclass(frozen=True, slots=True)
class MergedNames:
    """Which of n URLs are names of one page? Each has the place of the one that was met first: there is all else."""

    name: NDArray[np.int64]  # n
    sites: NDArray[np.int64]  # n
    clusters: NDArray[np.int64]  # n; 0: none
    roots: NDArray[np.bool_]  # n

    @classmethod
    def of(cls, rows: LinkRows) -> MergedNames:
        """Put the names of each page together."""
        count = len(rows.ids)
        name = components(np.searchsorted(rows.ids, rows.names), count)
        site, cluster, roots = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.bool_)
        site[name[::-1]] = rows.sites[::-1]
        cluster[name[np.searchsorted(rows.ids, rows.clusters[:, 0])]] = rows.clusters[:, 1]
        roots[name[rows.roots]] = True
        return cls(name, site, cluster, roots)


def web_graph(rows: LinkRows) -> WebGraph:
    """Weigh the links of a crawl."""
    count = len(rows.ids)
    merged = MergedNames.of(rows)
    name = merged.name
    source, target = name[np.searchsorted(rows.ids, rows.links)].T
    stays = source != target  # nobody vouches for himself
    pairs = np.unique(source[stays] * count + target[stays])
    source, target = np.divmod(pairs, max(count, 1))
    taking_part = merged.roots.copy()
    taking_part[source] = taking_part[target] = True
    number = np.cumsum(taking_part) - 1  # of a page among those that take part
    return WebGraph(
        rows.urls,
        np.where(taking_part[name], number[name], -1) if count else name,
        number[source],
        number[target],
        _weights(source, target, merged.sites, merged.clusters),
        merged.roots[taking_part],
        merged.sites[taking_part],
    )


def _weights(
    source: NDArray[np.int64], target: NDArray[np.int64], site: NDArray[np.int64], cluster: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the weight of each link between two pages."""
    if not len(source):
        return np.ones(0)
    _, which, times = np.unique(site[source] * len(site) + target, return_inverse=True, return_counts=True)
    linking = np.bincount(site[np.unique(source)])  # pages of each site that have links
    near = (cluster[source] != 0) & (cluster[source] == cluster[target])
    weights: NDArray[np.float64] = link_weight(site[source] == site[target], near, times[which], linking[site[source]])
    return weights
