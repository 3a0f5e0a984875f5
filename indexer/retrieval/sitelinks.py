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
from indexer.retrieval.folding import ALONE
from indexer.retrieval.snapshot import ENTRANCES
from indexer.segments.schema import SITE

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.retrieval.snapshot import SegmentView, Snapshot
    from indexer.segments.schema import StoredFields

MAX_SITELINKS = 6
MIN_INLINKS = 2  # one link is no menu
LOOKED_AT = 30  # pages of a site: some are hidden, or say the same as others


@dataclass(frozen=True, slots=True)
class Sitelink:
    """A main page of a site."""

    url: str
    title: str


def sitelinks(
    snapshot: Snapshot, place: tuple[int, int], is_hidden: Callable[[SegmentView, StoredFields], bool]
) -> tuple[Sitelink, ...]:
    """Return the main pages of the site whose first page is at `place`, segment and document; of any other none."""
    segment, document = place
    site = snapshot.views[segment].entrances.get(document)
    if site is None:
        return ()
    found: list[Sitelink] = []
    titles = {snapshot.views[segment].file.stored(document).title}
    clusters = {int(snapshot.clusters[segment][document])} - {ALONE}
    for segment, document in _most_linked(snapshot, site):
        view, cluster = snapshot.views[segment], int(snapshot.clusters[segment][document])
        stored = view.file.stored(document)
        if not stored.title or stored.title in titles or stored.not_fetched or cluster in clusters:
            continue
        if is_hidden(view, stored):
            continue
        titles.add(stored.title)
        clusters |= {cluster} - {ALONE}
        found.append(Sitelink(stored.url, stored.title))
    return tuple(found[:MAX_SITELINKS])


def _most_linked(snapshot: Snapshot, site: str) -> list[tuple[int, int]]:
    """Return segment and document of the pages of a site that most link to; among equals PageRank decides."""
    rows: list[tuple[int, float, int, int]] = []
    for segment, view in enumerate(snapshot.views):
        postings = view.file.postings(SITE, site)
        if postings is None:
            continue
        documents = postings.documents.astype(np.intp)
        linked = view.live & (view.inlinks >= MIN_INLINKS) & ~has_ended(view, time.time())
        documents = documents[linked[documents]]
        order = np.lexsort((-view.pagerank[documents], -view.inlinks[documents].astype(np.int64)))
        rows += [
            (-int(view.inlinks[number]), -float(view.pagerank[number]), segment, number)
            for number in documents[order[: LOOKED_AT + len(ENTRANCES)]].tolist()
            if number not in view.entrances
        ]
    return [(segment, number) for *_, segment, number in sorted(rows)[:LOOKED_AT]]
