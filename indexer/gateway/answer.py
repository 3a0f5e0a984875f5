"""How is an answer told to a program? As one object: `/api/search` and `search --json` have the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.retrieval.results import Hit, Results
    from indexer.retrieval.snapshot import Standing


def answer(results: Results, seconds: float) -> dict[str, Any]:
    """Return a page of results, found in `seconds`, ready for `json.dumps`."""
    told: dict[str, Any] = {
        "query": results.query,
        "total": results.total,
        "took_ms": round(seconds * 1000, 3),
        "generation": results.generation,
        "hits": [_hit(hit) for hit in results.hits],
    }
    if not results.parts:
        return told
    for shown, hit in zip(told["hits"], results.hits, strict=True):
        shown["copies"] = list(hit.copies)
    return told | {"parts": standings(results.parts)}


def standings(parts: Iterable[Standing]) -> list[dict[str, Any]]:
    """Return how far the index of each part of a divided crawl is, ready for `json.dumps`."""
    return [
        {
            "part": str(each.part), "generation": each.generation, "as_of": each.as_of, "documents": each.documents,
            "fault": each.fault or None,
        }
        for each in parts
    ]  # fmt: skip


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
