"""How do pages become postings? Inverted in memory, a segment at a time: from (page: its words) to (word: its pages).

Whoosh's own writer sorts each single posting through temporary files. A segment of ours is small enough for memory,
where the postings of a term come in the order of the pages by themselves, so that only the terms are sorted.
"""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from array import array
from heapq import merge as merge_sorted
from itertools import groupby
from operator import itemgetter
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from whoosh.codec.whoosh3 import W3Codec
from whoosh.columns import NumericColumn

from indexer.segments.schema import INDEX_FIELDS, LANGUAGE, SITE, URL, Document, IndexField, schema
from indexer.segments.segment import INDEX_NAME, RECORD_COLUMN, Postings, SegmentFile, term_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from indexer.segments.storage import DurableStorage

COMPRESSION = 1  # zlib level of posting blocks: as small as at 3, and the writer takes a tenth less CPU
_LENGTH = NumericColumn("I", default=0)
_EXPIRES = NumericColumn("d", default=0.0)
_Posting = tuple[int, float, bytes]  # document, frequency, packed positions


class _SegmentWriter:
    """Writes one segment: documents first, then postings field by field and term by term, both in order."""

    def __init__(self, storage: DurableStorage) -> None:
        codec = W3Codec(compression=COMPRESSION)
        self._storage = storage
        self._schema = schema()
        self._segment = codec.new_segment(storage, INDEX_NAME)
        self._segment.segid = token_hex(8)  # Whoosh draws from `random`: a program that seeds it would get one twice
        self._documents = codec.per_document_writer(storage, self._segment)
        self._fields = codec.field_writer(storage, self._segment)
        self.count = 0

    def add_document(self, record: bytes, lengths: Iterable[tuple[IndexField, int]], expires: float) -> int:
        number = self.count
        self._documents.start_doc(number)
        self._documents.add_column_value("record", RECORD_COLUMN, record)
        for field, length in lengths:
            self._documents.add_column_value(f"{field}_length", _LENGTH, length)
        if expires:
            self._documents.add_column_value("expires", _EXPIRES, expires)
        self._documents.finish_doc()
        self.count += 1
        return number

    def add_postings(self, rows: Iterable[tuple[str, bytes, Iterable[_Posting]]]) -> None:
        fields = self._fields
        for field, terms in groupby(rows, key=itemgetter(0)):
            fields.start_field(field, self._schema[field])
            for _, term, postings in terms:
                fields.start_term(term)
                for number, frequency, packed in postings:
                    fields.add(number, frequency, packed, None)
                fields.finish_term()
            fields.finish_field()

    def finish(self) -> Any:
        self._segment.set_doc_count(self.count)
        self._documents.close()
        self._fields.close()
        self._segment.create_compound_file(self._storage)
        return self._segment


def write_segment(storage: DurableStorage, documents: Iterable[Document]) -> Any:
    """Invert documents into a new segment and return Whoosh's description of it."""
    writer = _SegmentWriter(storage)
    inverted: dict[str, dict[str, list[_Posting]]] = {name: {} for name in (*INDEX_FIELDS, LANGUAGE, SITE, URL)}
    for document in documents:
        stored = document.stored
        number = writer.add_document(stored.pack(), document.lengths.items(), stored.expires)
        for field, postings in document.postings.items():
            terms = inverted[field]
            for term, places in postings.items():
                posting = (number, float(len(places)), array("I", places).tobytes())
                if term in terms:
                    terms[term].append(posting)
                else:
                    terms[term] = [posting]
        for name, value in ((LANGUAGE, stored.language), (SITE, stored.site), (URL, stored.url)):
            inverted[name].setdefault(value, []).append((number, 1.0, b""))
    writer.add_postings(
        (field, term_bytes(term), inverted[field][term])
        for field in sorted(inverted)
        for term in sorted(inverted[field])
    )
    return writer.finish()


def merge_segments(storage: DurableStorage, sources: Sequence[tuple[SegmentFile, set[int]]]) -> Any:
    """Write one segment from several, leaving out each one's deleted documents. At least one must be left."""
    writer = _SegmentWriter(storage)
    numbers: list[dict[int, int]] = []
    for file, deleted in sources:
        lengths = [(field, file.lengths(field)) for field in INDEX_FIELDS]
        expiries = file.expiries()
        kept = [number for number in range(file.count) if number not in deleted]
        numbers.append(
            {
                old: writer.add_document(
                    file.record(old),
                    [(field, found[old]) for field, found in lengths],
                    expiries.get(old, 0.0),
                )
                for old in kept
            }
        )
    writer.add_postings(_merged([file for file, _ in sources], numbers))
    return writer.finish()


def _merged(files: Sequence[SegmentFile], numbers: Sequence[dict[int, int]]) -> Iterator[tuple[str, bytes, Any]]:
    streams = [_entries(file, place) for place, file in enumerate(files)]
    for (field, term), rows in groupby(merge_sorted(*streams, key=itemgetter(0, 1, 2)), key=itemgetter(0, 1)):
        postings = [
            (numbers[place][old], frequency, value)
            for _, _, place, info in rows
            for old, frequency, value in _rows(files[place].postings_at(field, info))
            if old in numbers[place]
        ]
        if postings:
            yield field, term, postings


def _rows(postings: Postings) -> Iterator[_Posting]:
    return zip(postings.documents, postings.frequencies, postings.positions(), strict=True)


def _entries(file: SegmentFile, place: int) -> Iterator[tuple[str, bytes, int, Any]]:
    return ((field, term, place, info) for (field, term), info in file.items())
