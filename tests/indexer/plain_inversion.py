"""Pages turned round one word at a time, as a textbook has it: what is done with arrays must come to the same."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from indexer.analysis.tokenizer import cached_terms, raw_tokens
from indexer.writing.documents import document_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urls.records import Page

Inverted = dict[tuple[str, str], dict[int, list[int]]]  # (field, word): page: positions


def positions(*texts: str) -> tuple[dict[str, list[int]], int]:
    """Return where each word stands in a field of these texts, and the field's length."""
    found: dict[str, list[int]] = {}
    place = length = 0
    for text in texts:
        start = place
        for raw in raw_tokens(text):
            words, width = cached_terms(raw)
            for word, offset in words:
                found.setdefault(word, []).append(place + offset)
            place += width
        length += place - start
        place += 1
    return {word: sorted(places) for word, places in found.items()}, length


def plain_inversion(pages: Sequence[Page]) -> tuple[Inverted, dict[tuple[str, int], int]]:
    """Return the postings of pages, and the length of each field of each page."""
    inverted: Inverted = defaultdict(dict)
    lengths: dict[tuple[str, int], int] = defaultdict(int)
    for number, page in enumerate(pages):
        for field, texts in document_of(page).texts.items():
            found, lengths[field.value, number] = positions(*texts)
            for word, places in found.items():
                inverted[field.value, word][number] = places
    return dict(inverted), lengths
