"""What does a search return? Results, each with the reasons for its place; the page that shows them adds nothing.

A program is told the same as one object: `/api/search` and `search --json` have it alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from indexer.retrieval.score import Score
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
    parts: tuple[PartState, ...] = ()  # of a divided crawl
    suggested_sites: tuple[str, ...] = ()  # nothing was found: names for a site that the index does not have


def results_as_dict(results: Results, seconds: float) -> dict[str, Any]:
    """Return a page of results, found in `seconds`, ready for `json.dumps`."""
    told: dict[str, Any] = {
        "query": results.query,
        "total": results.total,
        "took_ms": round(seconds * 1000, 3),
        "generation": results.generation,
        "hits": [_hit_as_dict(hit) for hit in results.hits],
    }
    if not results.parts:
        return told
    for shown, hit in zip(told["hits"], results.hits, strict=True):
        shown["copies"] = list(hit.copies)
    return told | {"parts": parts_as_dicts(results.parts)}


def parts_as_dicts(parts: Iterable[PartState]) -> list[dict[str, Any]]:
    """Return how far the index of each part of a divided crawl is, ready for `json.dumps`."""
    return [
        {
            "part": each.part, "generation": each.generation, "as_of": each.as_of, "documents": each.documents,
            "fault": each.fault or None,
        }
        for each in parts
    ]  # fmt: skip


def _hit_as_dict(hit: Hit) -> dict[str, Any]:
    return {
        "url": hit.url,
        "title": hit.title,
        "snippet": str(hit.snippet),
        "score": hit.score,
        "lang": hit.language,
        "fetched_at": hit.fetched_at,
        "explain": hit.explain().as_dict(),
    }


@dataclass(frozen=True, slots=True)
class PartState:
    """How far the index of one part of a divided crawl is, or why it is not searched."""

    part: str  # "2/3"
    generation: int = 0
    as_of: float = 0.0  # seconds since the epoch: its last commit
    documents: int = 0
    fault: str = ""  # empty: it is searched

    def __str__(self) -> str:
        return f"Part {self.part} is not searched: {self.fault}" if self.fault else f"Part {self.part} is searched"
