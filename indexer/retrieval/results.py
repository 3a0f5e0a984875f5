"""What does a search return? Results, each with the reasons for its place; the page that shows them adds nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.retrieval.score import Score
    from indexer.retrieval.snapshot import Standing
    from indexer.retrieval.snippet import Snippet


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. `fetched_at` is in seconds since the epoch; `archive` says whether a cached copy may be shown."""

    url: str
    title: str
    site: str
    language: str
    fetched_at: float
    archive: bool
    rank: int  # 1 is the first of all results, on whatever page
    _score: Score
    _snippet: Callable[[], Snippet]
    copies: tuple[str, ...] = ()  # pages of other parts of a divided crawl that say the same, and stand aside for it

    @property
    def snippet(self) -> Snippet:
        """The lines that answer best; found when they are asked for, as few of many results are shown."""
        return self._snippet()

    @property
    def score(self) -> float:
        """The score as it is shown: the sum of the parts that `explain` names."""
        return self._score.total

    def explain(self) -> Score:
        """Return what the score is made of."""
        return self._score


@dataclass(frozen=True, slots=True)
class Results:
    """One page of results. `total` counts the pages that answer, but for those met on the way that are not shown.

    That is what was blocked, and of a divided crawl what says the same as a page of another part that stands above it.
    """

    query: str
    total: int
    hits: tuple[Hit, ...]
    page: int
    limit: int
    generation: int
    as_of: float  # seconds since the epoch: the commit that these results show; of several parts the oldest
    parts: tuple[Standing, ...] = ()  # of a divided crawl
    sites_meant: tuple[str, ...] = ()  # nothing was found: names for a site that the index does not have
