"""What is a segment? A part of the index that is written once and never changed: Whoosh's term dictionary and postings.

A posting says that a term stands in a field of a document, how often and where. Segments are read whole lists at a
time; they are written in `inversion.py`.
"""
# mypy: disable-error-code="no-untyped-call,no-untyped-def,misc,import-untyped,no-any-return"

from __future__ import annotations

import sys
from array import array
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from whoosh.codec.whoosh3 import W3Codec, W3LeafMatcher
from whoosh.columns import VarBytesColumn
from whoosh.filedb.structfile import BufferFile
from whoosh.index import TOC
from whoosh.reading import TermNotFound

from indexer.faults import CorruptIndex
from indexer.segments.schema import IndexField, StoredFields, schema
from indexer.segments.storage import DurableStorage, MappedSegment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

INDEX_NAME = "pages"  # of the index inside its folder
RECORD_COLUMN = VarBytesColumn()  # StoredFields, packed
POSITION_BYTES = array("I").itemsize


@dataclass(frozen=True, slots=True)
class Postings:
    """Where a term stands in a field of one segment: documents in ascending order, frequencies, packed positions."""

    documents: list[int]
    frequencies: list[float]
    packed: bytes  # positions as 32-bit numbers, posting after posting; empty in the exact fields

    def positions(self) -> Iterator[bytes]:
        """Yield the packed positions of each posting."""
        end = 0
        for frequency in self.frequencies:
            start, end = end, end + int(frequency) * POSITION_BYTES
            yield self.packed[start:end]


class SegmentFile:
    """One segment, open for reading; threads may share it."""

    def __init__(self, folder: Path, segment: Any) -> None:
        codec = W3Codec()
        name = segment.make_filename(segment.COMPOUND_EXT)
        self.index_folder = folder.parent
        self.segment_id: str = segment.segment_id()
        self.size = (folder / name).stat().st_size  # bytes
        self.count: int = segment.doc_count_all()
        self._schema = schema()
        self._segment = segment
        self._files = MappedSegment(folder / name)
        self._terms = codec.terms_reader(self._files, segment)
        self._columns = codec.per_document_reader(self._files, segment)
        self._lengths: dict[IndexField, array[int]] = {}
        self._expiries: dict[int, float] | None = None
        self._records: Any = None

    def postings(self, field: str, term: str) -> Postings | None:
        """Return the postings of a term, or None where it does not stand in this segment."""
        try:
            info = self._terms.term_info(field, term_bytes(term))
        except TermNotFound:
            return None
        except Exception as error:  # damaged bytes make Whoosh raise whatever they lead it to
            raise self._damage(error) from error
        return self.postings_at(field, info)

    def postings_at(self, field: str, info: Any) -> Postings:
        """Return the postings to which an entry of the dictionary leads."""
        try:
            return self._read(field, info)
        except Exception as error:  # as above
            raise self._damage(error) from error

    def _damage(self, error: Exception) -> CorruptIndex:
        return CorruptIndex(self.index_folder, f"{self.segment_id}: {type(error).__name__}: {error}")

    def _read(self, field: str, info: Any) -> Postings:
        offset, length = info.extent()
        size = length[0] if isinstance(length, tuple) else length  # the forks differ
        extent = BufferFile(self._terms._postfile.get(offset, size))  # a private copy: no shared place
        leaf: Any = W3LeafMatcher  # Whoosh calls it abstract for a method that nothing here needs
        matcher = leaf(extent, 0, size, self._schema[field].format)
        documents: list[int] = []
        frequencies: list[float] = []
        packed: list[bytes] = []  # one a block
        while matcher.is_active():  # block by block: posting by posting is ten times slower
            matcher._read_data()  # there is no public way to a whole block
            documents.extend(accumulate(matcher._data[0]))  # document numbers are stored as steps
            matcher._read_weights()
            frequencies.extend(matcher._weights)
            packed.append(matcher._data[2] or b"")
            matcher._next_block()
        return Postings(documents, frequencies, b"".join(packed))

    def documents(self, field: str, term: str) -> list[int]:
        """Return the numbers of the documents with a term, deleted ones among them."""
        found = self.postings(field, term)
        return found.documents if found else []

    def terms(self, field: str) -> list[str]:
        """Return the distinct terms of a small field (languages, sites)."""
        found: list[str] = []
        for name, text in self._terms.terms_from(field, b""):
            if name != field:
                break
            found.append(text.decode())
        return found

    def lengths(self, field: IndexField) -> array[int]:
        """Return the length of a field in positions, by document number."""
        if field not in self._lengths:
            self._lengths[field] = self._numbers(f"{field}_length", "I")
        return self._lengths[field]

    def expiries(self) -> dict[int, float]:
        """Return the documents that end, and when, in seconds since the epoch."""
        if self._expiries is None:
            self._expiries = {number: end for number, end in enumerate(self._numbers("expires", "d")) if end}
        return self._expiries

    def _numbers(self, column: str, code: str) -> array[Any]:
        found = array(code)
        name = W3Codec.column_filename(self._segment, column)
        if self._files.file_exists(name):
            length = self._files.file_length(name)
            found.frombytes(self._files.open_file(name).get(0, length))
            if sys.byteorder == "little":
                found.byteswap()  # columns are in network order
        found.extend([0] * (self.count - len(found)))  # trailing defaults are not stored
        return found

    def record(self, number: int) -> bytes:
        """Return the packed record of a document."""
        if self._records is None:
            self._records = self._columns.column_reader("record", RECORD_COLUMN)
        return self._records[number]

    def stored(self, number: int) -> StoredFields:
        """Return the record of a document."""
        try:
            return StoredFields.unpack(self.record(number))
        except Exception as error:  # as above
            raise self._damage(error) from error

    def items(self) -> Iterator[tuple[tuple[str, bytes], Any]]:
        """Yield ((field, term), where its postings lie) in the order in which they were written."""
        return self._terms.items()


def toc_name(generation: int) -> str:
    """Return the file name of a generation's table of contents."""
    return str(TOC._filename(INDEX_NAME, generation))  # the name is all that tells generations apart


def write_toc(storage: DurableStorage, segments: Sequence[Any], generation: int) -> None:
    """Write Whoosh's table of contents for a generation."""
    contents = TOC(schema(), list(segments), generation)
    name = toc_name(generation)
    if storage.file_exists(name):  # of a commit that failed after this step, on a full disk say
        storage.delete_file(name)
    contents.write(storage, INDEX_NAME)


def read_toc(storage: DurableStorage, generation: int) -> list[Any]:
    """Read the segments of a generation. The schema is ours: the pickled one in the file is skipped."""
    return list(TOC.read(storage, INDEX_NAME, gen=generation, schema=schema()).segments)


def term_bytes(term: str) -> bytes:
    """Return a term as it stands in the dictionary."""
    return term.encode("utf-8", "backslashreplace")
