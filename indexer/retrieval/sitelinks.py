"""What are the main pages of a site? Those that most pages link to; they stand under its first page where that leads.

Who asks for a site by its name wants it, or one of its parts. Menus link to the parts from everywhere, so that the
number of links tells them from other pages. Only pages that are results themselves are named.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.ranking.matching import has_ended
from indexer.segments.schema import SITE
from indexer.snapshot.snapshot import ALONE

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.segments.schema import StoredFields
    from indexer.snapshot.snapshot import SegmentView, Snapshot

MAX_SITELINKS = 6
MIN_INLINKS = 2  # one link is no menu
LOOKED_AT = 30  # pages of a site: some are hidden, or say the same as others


@dataclass(frozen=True, slots=True)
class Sitelink:
    """A main page of a site."""

    url: str
    title: str


def sitelinks(
    snapshot: Snapshot, first: int, is_hidden: Callable[[SegmentView, StoredFields], bool]
) -> tuple[Sitelink, ...]:
    """Return the main pages of the site whose first page is the page `first`; of any other none."""
    site = snapshot.entrances.sites.get(first)
    if site is None:
        return ()
    found: list[Sitelink] = []
    view, document = snapshot.place_of(first)
    titles = {view.file.stored(document).title}
    clusters = {int(snapshot.clusters[first])} - {ALONE}
    for page in _most_linked(snapshot, site):
        (view, document), cluster = snapshot.place_of(page), int(snapshot.clusters[page])
        stored = view.file.stored(document)
        if not stored.title or stored.title in titles or stored.not_fetched or cluster in clusters:
            continue
        if is_hidden(view, stored):
            continue
        titles.add(stored.title)
        clusters |= {cluster} - {ALONE}
        found.append(Sitelink(stored.url, stored.title))
        if len(found) == MAX_SITELINKS:
            break
    return tuple(found)


def _most_linked(snapshot: Snapshot, site: str) -> list[int]:
    """Return the pages of a site that most pages link to; among equals PageRank decides."""
    inlinks = np.concatenate([view.inlinks for view in snapshot.views]).astype(np.int64)
    pageranks = np.concatenate([view.pagerank for view in snapshot.views])
    linked = snapshot.live & (inlinks >= MIN_INLINKS) & ~has_ended(snapshot, time.time()) & ~snapshot.entrances.mask
    pages = snapshot.numbers(SITE, site)
    pages = pages[linked[pages]]
    best: list[int] = pages[np.lexsort((-pageranks[pages], -inlinks[pages]))][:LOOKED_AT].tolist()
    return best
