"""How is a segment written? In parts, one after the other, which are packed into one file at the end.

    record                          what a result is shown from, packed, and where the record of each document ends
    terms, postings, positions      the dictionary, and the lists that it leads to
    forms                           which words share a stem
    section_places                  of each section of each document: the positions of its heading, and after it
    columns                         a number for each document

A page with very many words is inverted in slices (`slices.py`), so its terms come some thousands at a time.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack
from dataclasses import replace
from secrets import token_hex
from typing import TYPE_CHECKING, Self

import numpy as np

from indexer.analysis.stemming import form_keys, stem
from indexer.segments.dictionary import ROWS, DictionaryWriter, rows_of_forms, term_key, write_forms
from indexer.segments.postings import PackedLists, pack_lists
from indexer.segments.schema import COLUMNS, FILE_TYPE, LANGUAGE, SITE, URL
from indexer.segments.segment import RECORD_END, SECTION_PLACE, Segment
from indexer.writing.inversion import KEPT_TERMS, columns_of, section_places
from indexer.writing.slices import SlicedTexts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, BinaryIO

    from numpy.typing import NDArray

    from indexer.segments.directory import Directory
    from indexer.segments.schema import StoredFields
    from indexer.writing.documents import Document
    from indexer.writing.inversion import Vocabulary

PARTS = ("record", "terms", "postings", "positions", "forms", "section_places")


class SegmentWriter:
    """Writes one segment. Use it in a `with` block, which closes its files after an error."""

    def __init__(self, storage: Directory) -> None:
        self._storage = storage
        self._name = token_hex(8)
        self._open = ExitStack()
        self._parts = {part: self._create(part) for part in PARTS}
        self._record_sizes: list[int] = []
        self._dictionary = DictionaryWriter(*(self._parts[part] for part in ("terms", "postings", "positions")))

    def _create(self, name: str) -> BinaryIO:
        return self._open.enter_context(self._storage.create_part(f"{self._name}.{name}"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add_record(self, record: bytes) -> None:
        """Add the next document."""
        self._parts["record"].write(record)
        self._record_sizes.append(len(record))

    def add_sections(self, places: NDArray[np.uint32]) -> None:
        """Add the sections of the next documents: the positions at which each begins, and at which its heading ends."""
        self._parts["section_places"].write(np.ascontiguousarray(places, SECTION_PLACE).tobytes())

    def write_columns(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Write all columns, each with one number for each document."""
        for name, kind in COLUMNS.items():
            self._storage.write(f"{self._name}.{name}", np.ascontiguousarray(columns[name], kind).tobytes())

    def add_terms(self, keys: Sequence[bytes], lists: PackedLists) -> None:
        """Add terms with their lists; the terms ascend."""
        self._dictionary.add(keys, lists)

    def write_forms(self, rows: Iterable[bytes]) -> None:
        """Write the forms of the words."""
        write_forms(self._parts["forms"], rows)

    def finish(self) -> Segment:
        """Pack the parts into one file."""
        self._parts["record"].write(np.cumsum(self._record_sizes, dtype=RECORD_END).tobytes())
        self._dictionary.close()
        self._open.close()
        self._storage.pack(self._name, (*PARTS, *COLUMNS))
        return Segment(self._name, len(self._record_sizes))


Counted = tuple[tuple[str, int], ...]


def write_segments(storage: Directory, documents: Iterator[Document], vocabulary: Vocabulary) -> Iterator[Segment]:
    """Write documents into new segments: one, or more where they have very many different words."""
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
    frequent: list[Counted] = [()] * len(stored)
    forms = defaultdict[str, list[str]](list)
    was_full = texts.is_full
    with SegmentWriter(storage) as writer:
        writer.add_terms(*_exact_terms(stored))
        blocks = _WholeBlocks(writer)
        for inverted in texts.inverted():
            for page, some in enumerate(inverted.most_frequent()):
                frequent[page] = _most_frequent(frequent[page], some)
            for keys, lists in inverted.packed():
                blocks.add(keys, lists)
            word_languages = inverted.languages(languages)
            for word, form in zip(inverted.words, map(form_keys, inverted.words, word_languages), strict=True):
                for key in form:
                    forms[key].append(word)
        blocks.finish()
        pages = zip(stored, frequent, texts.checkpoints.of_pages(), texts.sections.of_pages(), strict=True)
        for one, terms, marks, cuts in pages:
            writer.add_record(replace(one, terms=terms, checkpoints=marks).pack())
            writer.add_sections(section_places(one, cuts))
        writer.write_columns(columns_of(stored, texts.lengths))
        writer.write_forms(rows_of_forms(forms))
        texts.finish()
        if was_full:
            stem.cache_clear()  # hundreds of thousands of words, which few other pages have
        return writer.finish()


def _most_frequent(known: Counted, more: Counted) -> Counted:
    """Return the most frequent of both; of equally frequent words the last in alphabetical order comes first."""
    if not known:
        return more
    return tuple(sorted((*known, *more), key=lambda pair: (pair[1], pair[0]), reverse=True)[:KEPT_TERMS])


class _WholeBlocks:
    """Writes terms in blocks of ROWS, however many come at a time, so the dictionary is the same."""

    def __init__(self, writer: SegmentWriter) -> None:
        self._writer = writer
        self._keys: list[bytes] = []
        self._lists = PackedLists.joined([])

    def add(self, keys: list[bytes], lists: PackedLists) -> None:
        """Add terms with their lists; the terms ascend."""
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
