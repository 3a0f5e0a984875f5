"""Which fields does OpenSearch get of a page? Exact values, its words with positions, and the records that we rank by.

    url site languages file_types cluster dated year …      exact values and numbers, to filter by and to count
    anchors body description headings reading template title url_words    words; copied into `said` and `called`
    record, forward                                         bytes that OpenSearch keeps and never reads

OpenSearch gets words as our analysis cuts them, so both engines see the same. A field is a line of slots separated by
blanks, one slot a position. Words at the same position have SHARED between them; a position without a word has EMPTY. A
dictionary index next to it has each word with its forms, once for each language of its pages.
"""

from __future__ import annotations

from base64 import b64encode
from collections import defaultdict
from dataclasses import replace
from hashlib import blake2b
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from extensions.machines.opensearch.forward import packed_forward
from indexer.analysis.words import form_keys
from indexer.query.lexicon import PREFIX_FIELDS
from indexer.query.syntax import YEARS
from indexer.retrieval.facets import years_of
from indexer.segments.dictionary import term_key
from indexer.segments.postings import pack_lists
from indexer.segments.schema import INDEX_FIELDS, IndexField, url_key
from indexer.segments.snapshot import home_page_depth, labels_of
from indexer.spelling.segment_terms import SPELLING_FIELDS
from indexer.spelling.spellchecker import can_be_misspelt
from indexer.spelling.suggester import NAME_FIELDS
from indexer.writing.inversion import FIELDS, TokenTexts, columns_of, invert, section_places

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.segments.schema import StoredFields
    from indexer.writing.documents import Document
    from indexer.writing.inversion import InvertedPages, Vocabulary

SHARED, EMPTY = "\x1f", "\x1e"
MAX_NAMES = 200  # words of a page's names for completions, and as many pairs of them
_SLOTS = str.maketrans({" ": "_", SHARED: "_", EMPTY: "_"})  # no word of the analysis should contain them
Source = dict[str, Any]


def page_documents(
    documents: Iterable[Document], vocabulary: Vocabulary
) -> Iterator[tuple[str, Source, list[tuple[str, Source]]]]:
    """Yield the id and the document of each page; the last one comes with the dictionary rows of all pages.

    A dictionary row is an id and the flags of a word; a flag missing here may come from another page.
    """
    texts, pages = TokenTexts(vocabulary), list(documents)
    for page in pages:
        texts.add(page)
    if not pages:
        return
    inverted = invert(texts)
    texts.settle()
    stored = [
        replace(page.stored, terms=terms, checkpoints=checkpoints)
        for page, terms, checkpoints in zip(pages, inverted.most_frequent(), texts.checkpoints.of_pages(), strict=True)
    ]
    columns = columns_of(stored, inverted.lengths)
    parts = zip(stored, _words_by_page(inverted, len(pages)), texts.sections.of_pages(), strict=True)
    for number, (one, words, cuts) in enumerate(parts):
        row = {name: column[number] for name, column in columns.items()}
        rows = list(_dictionary_rows(inverted, stored)) if number == len(pages) - 1 else []
        yield document_name(one.url), _source(one, words, words.forward(row, section_places(one, cuts)), row), rows


def document_name(url: str) -> str:
    """Return the id of a page's document."""
    return blake2b(spelt(url).encode(), digest_size=16).hexdigest()  # two URLs may have the same 64 bits


def slot_of(words: Iterable[str]) -> str:
    """Return the slot of a position with these words."""
    return SHARED.join(spelt(word).translate(_SLOTS) for word in words)


def spelt(word: str) -> str:
    """Return a text as OpenSearch gets it: characters that UTF-8 can't encode are escaped."""
    return word.encode("utf-8", "backslashreplace").decode()


class _PageTerms:
    """The postings of one page: words, their fields, frequencies and positions."""

    def __init__(self, words: list[str], terms: Any, frequencies: Any, positions: Any) -> None:
        self._known, self._terms, self._frequencies, self._positions = words, terms, frequencies, positions

    def forward(self, row: dict[str, float], sections: NDArray[np.uint32]) -> bytes:
        """Return the record that our ranking reads."""
        count = len(self._terms)
        keys = [term_key(INDEX_FIELDS[term % FIELDS], self._known[term // FIELDS]) for term in self._terms.tolist()]
        lists = pack_lists(np.arange(count), np.zeros(count, np.uint32), self._frequencies, self._positions)
        return packed_forward(row, keys, lists, sections)

    def fields(self) -> dict[IndexField, list[tuple[str, ...]]]:
        """Return the words at each position, by field; an empty tuple at a position without a word."""
        found: dict[IndexField, list[tuple[str, ...]]] = {}
        terms = np.repeat(self._terms, self._frequencies)
        for place, field in enumerate(INDEX_FIELDS):
            rows = np.flatnonzero(terms % FIELDS == place)
            if len(rows):
                slots: list[tuple[str, ...]] = [()] * (int(self._positions[rows].max()) + 1)
                for word, at in zip((terms[rows] // FIELDS).tolist(), self._positions[rows].tolist(), strict=True):
                    slots[at] += (self._known[word],)
                found[field] = slots
        return found


def _words_by_page(inverted: InvertedPages, pages: int) -> Iterator[_PageTerms]:
    """Yield the postings of each page, in dictionary order."""
    terms = np.repeat(inverted.terms, np.diff(inverted.starts, append=len(inverted.documents)))
    order = np.argsort(inverted.documents, kind="stable")
    terms, frequencies = terms[order], inverted.frequencies[order]
    begun = (np.cumsum(inverted.frequencies, dtype=np.int64) - inverted.frequencies)[order]
    reached = np.cumsum(frequencies, dtype=np.int64)
    positions = inverted.positions[
        np.repeat(begun - reached + frequencies, frequencies) + np.arange(len(inverted.positions))
    ]
    ends = np.searchsorted(inverted.documents[order], np.arange(pages), side="right").tolist()
    for start, end in pairwise([0, *ends]):
        first, last = (int(reached[at - 1]) if at else 0 for at in (start, end))
        yield _PageTerms(inverted.words, terms[start:end], frequencies[start:end], positions[first:last])


def _source(stored: StoredFields, words: _PageTerms, forward: bytes, row: dict[str, float]) -> Source:
    fields = words.fields()
    depth, year = home_page_depth(stored.url, stored.site), int(years_of(np.array([stored.dated]))[0])
    names = dict.fromkeys(pair for field in NAME_FIELDS for pair in _neighbours(fields.get(field, [])))
    source: Source = {
        "url": spelt(stored.url),
        "url_key": f"{url_key(stored.url):016x}",
        "site": spelt(stored.site),
        "languages": [*map(spelt, stored.languages)],
        "file_types": [*map(spelt, stored.file_types)],
        "record": b64encode(stored.pack()).decode(),
        "forward": b64encode(forward).decode(),
    }
    document: Source = {
        "dated": stored.dated if isfinite(stored.dated) else 0,
        "year": str(year) if year in YEARS else "",
        "expires": stored.expires if isfinite(stored.expires) else 0,
        "cluster": stored.cluster,
        "not_fetched": bool(stored.not_fetched),
        "home": depth,
        "entrance": depth == 0,
        "labels": sorted(labels_of(stored.site)) if depth == 0 else [],
        "pairs": [f"{first} {second}" for first, second in names if second][:MAX_NAMES],
        "names": list(dict.fromkeys(spelt(word) for pair in names for word in pair if word))[:MAX_NAMES],
    }
    document |= {f"{field}_length": int(row[f"{field}_length"]) for field in INDEX_FIELDS}
    source |= {name: value for name, value in document.items() if value or (name == "home" and value == 0)}
    return source | {field.value: " ".join(slot_of(slot) or EMPTY for slot in slots) for field, slots in fields.items()}


def _neighbours(slots: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of neighbouring words; the last word has "" after it."""
    for here, there in pairwise([*slots, ()]):
        yield from ((first, second) for first in here for second in there or ("",))


def _dictionary_rows(inverted: InvertedPages, stored: Sequence[StoredFields]) -> Iterator[tuple[str, Source]]:
    """Yield the rows of all words of some pages: one for each language of the pages that have the word."""
    standing: dict[int, set[str]] = defaultdict(set)
    for term in inverted.terms.tolist():
        standing[term // FIELDS].add(INDEX_FIELDS[term % FIELDS])
    spoken = inverted.languages([one.languages for one in stored])
    for number, fields in standing.items():
        word = inverted.words[number]
        can_be = can_be_misspelt(word) and not fields.isdisjoint(SPELLING_FIELDS)
        flags = {
            "said": fields != {IndexField.TEMPLATE},
            "begun": not fields.isdisjoint(PREFIX_FIELDS),
            "spelt": can_be,
            "letters": sorted(set(word)) if can_be else [],
        }
        set_flags = {name: value for name, value in flags.items() if value}
        for language in spoken[number]:
            forms = list(form_keys(word, {language}))
            size = len(spelt(word).encode())
            name = blake2b(f"{language}\0{spelt(word)}".encode(), digest_size=16).hexdigest()
            yield name, {"word": spelt(word), "forms": forms, "size": size, **set_flags}
