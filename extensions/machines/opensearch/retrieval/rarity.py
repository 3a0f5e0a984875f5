"""How rare does OpenSearch take a word for? It counts in its own way: so each word is asked for with a boost.

    boost    = our idf / (their idf x (1 + k1))            then what a field gives is our idf x saturation, or near it

It scores all forms of a word as one term, as the ranking here does, but takes it for as rare as the most common of
them, on its own shard, with what was deleted ("created" has 600 pages, "create" 1,500, and both together 3,100).
And its BM25 is multiplied by 1 + k1. (Lucene, SynonymQuery and BM25Similarity; OpenSearch, LegacyBM25Similarity.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from extensions.machines.opensearch.documents import slot_of, spelt
from indexer.ranking.score import inverse_document_frequency

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MAX_KNOWN = 100_000  # words of fields whose numbers are kept


class Rarities:
    """What OpenSearch counts of words by itself. `ask` gets the term vectors of a document that is made up."""

    def __init__(self, ask: Callable[[dict[str, Any]], Any]) -> None:
        self._ask = ask
        self._pages: dict[str, int] = {}  # that have a field at all, on the shard that answered
        self._having: dict[tuple[str, str], int] = {}  # pages by field and word

    def look_up(self, words: Iterable[str], fields: Iterable[str]) -> None:
        """Ask for all of these that are not known yet."""
        if len(self._having) > MAX_KNOWN:
            self._having = {}
        several = list(words)
        new = {field: [word for word in several if (field, word) not in self._having] for field in fields}
        made_up = {field: " ".join(slot_of([word]) for word in some) for field, some in new.items() if some}
        if not made_up:
            return
        wanted = {"term_statistics": True, "positions": False, "offsets": False}
        told = self._ask({"doc": made_up, "fields": list(made_up), **wanted})["term_vectors"]
        for field in made_up:
            found = told.get(field, {})
            self._pages[field] = int(found.get("field_statistics", {}).get("doc_count", 0))
            terms = found.get("terms", {})
            known = {word: int(terms.get(spelt(word), {}).get("doc_freq", 0)) for word in new[field]}
            self._having |= {(field, word): pages for word, pages in known.items()}

    def idf(self, words: Sequence[str], field: str) -> float | None:
        """Return how much OpenSearch takes these words to say in a field, as one; None where that was not asked for."""
        if not words or any((field, word) not in self._having for word in words):
            return None
        most = max(self._having[field, word] for word in words)
        return inverse_document_frequency(max(self._pages[field], most), most)
