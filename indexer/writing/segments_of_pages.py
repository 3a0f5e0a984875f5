"""How do pages become segments? Their texts are turned round, and everything is written for each word in order.

A page with very many words comes as slices that are merged (`slices.py`): so this takes some thousand words at a time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indexer.analysis.stemming import form_keys, stem
from indexer.segments.dictionary import ROWS, FormRows, term_key
from indexer.segments.packing import PackedLists, pack_lists
from indexer.segments.schema import FILE_TYPE, LANGUAGE, SITE, URL
from indexer.writing.inversion import KEPT_TERMS, columns_of
from indexer.writing.segment_writer import SegmentWriter
from indexer.writing.slices import SlicedTexts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.segments.directory import Directory
    from indexer.segments.schema import Document, StoredFields
    from indexer.segments.segment import Segment
    from indexer.segments.token_numbers import TokenNumbers
    from indexer.writing.inversion import InvertedPages

Counted = tuple[tuple[str, int], ...]


def write_segments(storage: Directory, documents: Iterator[Document], vocabulary: TokenNumbers) -> Iterator[Segment]:
    """Write documents into new segments: one, or more where they have a great many different words."""
    stored: list[StoredFields] = []
    texts = SlicedTexts(vocabulary)
    for document in documents:
        texts.add(document)
        stored.append(document.stored)
        if texts.is_full:
            yield _write(storage, stored, texts)
            stored, texts = [], SlicedTexts(vocabulary)
    if stored:
        yield _write(storage, stored, texts)


def _write(storage: Directory, stored: list[StoredFields], texts: SlicedTexts) -> Segment:
    languages = [one.languages for one in stored]
    frequent, forms = FrequentWords(len(stored)), FormRows()
    was_full = texts.is_full
    with SegmentWriter(storage) as writer:
        writer.add_terms(*_exact_terms(stored))
        blocks = _WholeBlocks(writer)
        for inverted in texts.inverted():
            frequent.add(inverted)
            for keys, lists in inverted.packed():
                blocks.add(keys, lists)
            spoken = inverted.languages(languages)
            forms.add(zip(inverted.words, map(form_keys, inverted.words, spoken), strict=True))
        blocks.finish()
        for one, terms, marks in zip(stored, frequent.of_pages, texts.landmarks.of_pages(), strict=True):
            writer.add_record(replace(one, terms=terms, landmarks=marks).pack())
        writer.write_columns(columns_of(stored, texts.lengths))
        writer.write_forms(forms.rows())
        texts.finish()
        if was_full:
            stem.cache_clear()  # words by the hundred thousand, which few other pages have
        return writer.finish()


class FrequentWords:
    """The most frequent words of each page's body with their counts; of equal ones the last in order come first."""

    def __init__(self, pages: int) -> None:
        self.of_pages: list[Counted] = [()] * pages

    def add(self, inverted: InvertedPages) -> None:
        """Take the words of some more postings."""
        for page, some in enumerate(inverted.most_frequent()):
            known = self.of_pages[page]
            both = sorted((*known, *some), key=lambda pair: (pair[1], pair[0]), reverse=True) if known else some
            self.of_pages[page] = tuple(both[:KEPT_TERMS])


class _WholeBlocks:
    """Writes terms in blocks of ROWS, however many come at a time: so the dictionary is the same."""

    def __init__(self, writer: SegmentWriter) -> None:
        self._writer = writer
        self._keys: list[bytes] = []
        self._lists = PackedLists.joined([])

    def add(self, keys: list[bytes], lists: PackedLists) -> None:
        """Add terms with their lists, in order."""
        if self._keys:
            keys, lists = self._keys + keys, PackedLists.joined([self._lists, lists])
        whole = len(keys) - len(keys) % ROWS
        self._writer.add_terms(keys[:whole], lists.cut(0, whole))
        self._keys, self._lists = keys[whole:], lists.cut(whole, len(keys))

    def finish(self) -> None:
        """Write what is left."""
        self._writer.add_terms(self._keys, self._lists)


def _exact_terms(stored: list[StoredFields]) -> tuple[list[bytes], PackedLists]:
    found: dict[bytes, list[int]] = {}
    for number, one in enumerate(stored):
        exact = [(LANGUAGE, language) for language in one.languages] + [(FILE_TYPE, kind) for kind in one.file_types]
        for field, value in (*exact, (SITE, one.site), (URL, one.url)):
            found.setdefault(term_key(field, value), []).append(number)
    keys = sorted(found)
    documents = np.array([number for key in keys for number in found[key]], np.uint32)
    counts = np.array([len(found[key]) for key in keys], np.int64)
    return keys, pack_lists(np.cumsum(counts) - counts, documents, np.ones(len(documents), np.uint32), None)
