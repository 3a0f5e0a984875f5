"""By what can results be narrowed, where not all of them are at hand? OpenSearch counts, as facets.py does.

Of pages that say nearly the same, one result is shown: those of one cluster count once. Each part of a divided crawl
has clusters of its own. OpenSearch counts different values exactly up to some 40,000, and nearly so beyond.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.faults import IndexFault
from indexer.retrieval.facets import MAX_VALUES, YEAR, Facet, FacetValue

if TYPE_CHECKING:
    from extensions.machines.opensearch.retrieval.asking import Clause
    from extensions.machines.opensearch.retrieval.collection import Collection

EXACT_TO = 40_000  # different values
_KINDS = {"kinds": {"cardinality": {"field": "cluster", "precision_threshold": EXACT_TO}}}
_PARTS = {"parts": {"terms": {"field": "part", "size": 5_000, "missing": ""}, "aggs": _KINDS}}
NEAR: dict[str, Any] = {"near": {"filter": {"exists": {"field": "cluster"}}, "aggs": _PARTS}}
_FIELDS = {"site": "site", "language": "languages", "file_type": "file_types", YEAR: "year"}


def folded_in(told: dict[str, Any]) -> int:
    """Return how many pages stand under another one, from what NEAR has counted."""
    near = told["near"]
    return int(near["doc_count"]) - sum(int(part["kinds"]["value"]) for part in near["parts"]["buckets"])


def narrowings(collection: Collection, query: Clause) -> tuple[Facet, ...]:
    """Count what the pages have that a query finds; nothing where the index has gone since it was asked."""
    aggs: dict[str, Any] = {}
    for name, field in _FIELDS.items():
        aggs[name] = {"terms": {"field": field, "size": 2 * MAX_VALUES}, "aggs": NEAR}
        aggs[f"{name}s"] = {"cardinality": {"field": field, "precision_threshold": EXACT_TO}}
    body = {"size": 0, "query": {"bool": {"filter": [query]}}, "aggs": aggs, "track_total_hits": False}
    try:
        told = collection.ask(body)["aggregations"]
    except IndexFault:
        return ()
    return tuple(_facet(name, told[name]["buckets"], int(told[f"{name}s"]["value"])) for name in _FIELDS)


def _facet(name: str, buckets: list[dict[str, Any]], values: int) -> Facet:
    found = [(str(one["key"]), int(one["doc_count"]) - folded_in(one)) for one in buckets if one["key"] != ""]
    shown = sorted(found, key=lambda one: (-one[1], one[0]))[:MAX_VALUES]
    if name == YEAR:
        shown.sort(reverse=True)
    unknown = sum(one["key"] == "" for one in buckets)
    return Facet(name, tuple(FacetValue(*one) for one in shown), max(values - unknown - len(shown), 0))
