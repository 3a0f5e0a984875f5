"""Where does a page stand by the links to it? Its PageRank among those of all pages in the index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.segments.link_ranks import MEAN
from urls.wording import counted

if TYPE_CHECKING:
    from indexer.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class LinkStanding:
    """PageRank of a page in times the mean of all pages that links tell of, and its place among `pages` by that."""

    pagerank: float
    inlinks: int  # other pages that link to its page
    place: int  # 1: none has more
    pages: int

    def __str__(self) -> str:
        links = counted(self.inlinks, "page links", "pages link")
        return (
            f"By links it is number {self.place:,} of {self.pages:,}: its PageRank is {self.pagerank:.2f} times the "
            f"mean, and {links} to it, as the index knows them."
        )


def link_standing(snapshot: Snapshot, segment: int, document: int) -> LinkStanding | None:
    """Return where a page stands, None where nothing is known of the links to it yet."""
    view = snapshot.views[segment]
    rank, inlinks = float(view.pagerank[document]), int(view.inlinks[document])
    if rank == MEAN and not inlinks:
        return None
    before = 0
    for each in snapshot.views:
        before += int((each.pagerank > rank).sum() - (each.pagerank[sorted(each.deleted)] > rank).sum())
    return LinkStanding(round(rank, 4), inlinks, before + 1, snapshot.pages)
