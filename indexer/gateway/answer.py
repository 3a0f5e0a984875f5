"""How is an answer told to a program? As one object: `/api/search` and `search --json` have the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from indexer.retrieval.results import Hit, Results


def answer(results: Results, seconds: float) -> dict[str, Any]:
    """Return a page of results, found in `seconds`, ready for `json.dumps`."""
    return {
        "query": results.query,
        "total": results.total,
        "took_ms": round(seconds * 1000, 3),
        "generation": results.generation,
        "hits": [_hit(hit) for hit in results.hits],
    }


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "url": hit.url,
        "title": hit.title,
        "snippet": str(hit.snippet),
        "score": hit.score,
        "lang": hit.language,
        "fetched_at": hit.fetched_at,
        "explain": hit.explain().as_dict(),
    }
