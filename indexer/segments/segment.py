"""What is a segment? A part of the index that is written once and never changed: a dictionary of terms with postings.

A posting says that a term stands in a field of a document, how often and where. The dictionary is a hash table of
Whoosh's whose keys are in order: field and term lead to all postings at once. Beside it stand columns: of each document
its record, its lengths, when it ends, and its cluster. Segments are written in `inversion.py`.

Whatever a segment says is looked at before it is believed: it may be damaged, or made by somebody who means harm.
"""
# mypy: disable-error-code="no-untyped-call,no-untyped-def,misc,import-untyped,no-any-return"

from __future__ import annotations

import json
import struct
import sys
import zlib
from array import array
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from whoosh.columns import VarBytesColumn
from whoosh.filedb.filetables import OrderedHashReader

from indexer.faults import CorruptIndex
from indexer.segments.blocks import BlockFile
from indexer.segments.generation import CURRENT_FILE, SEGMENT_NAME, contents_name
from indexer.segments.postings import Postings
from indexer.segments.schema import FIELD_KEYS, IndexField, StoredFields
from indexer.segments.storage import PartReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.segments.generation import Generation
    from indexer.segments.storage import DurableStorage

RECORD_COLUMN = VarBytesColumn()  # StoredFields, packed
POSITION_BYTES = array("I").itemsize
HEAD = struct.Struct("<IB")  # of a list of postings: how many, flags
PACKED, REPEATED = 1, 2  # flags: zlib follows; frequencies are given, as not all are 1
COMPRESSION = 1  # zlib level: as small as at 3, and the writer takes a tenth less CPU
MIN_PACKED_BYTES = 80  # less only grows by it
MAX_LIST_BYTES = 1 << 30  # of one term's postings, unpacked: a word that stands 250 million times
Found = TypeVar("Found")


@dataclass(slots=True, eq=False)
class Segment:
    """What a generation says of a segment: its name, its documents, and which of them are deleted."""

    name: str
    count: int
    deleted: set[int] = field(default_factory=set)

    @property
    def file_name(self) -> str:
        """The name of its file."""
        return f"{self.name}.seg"


def dump_postings(rows: Iterable[tuple[int, int, bytes]]) -> bytes:
    """Return postings as bytes: documents as steps, frequencies, positions."""
    documents, frequencies, places = zip(*rows, strict=True)
    steps = array("I", documents[:1])
    steps.extend(after - before for before, after in pairwise(documents))
    repeated = any(frequency != 1 for frequency in frequencies)
    content = b"".join((steps.tobytes(), array("I", frequencies).tobytes() if repeated else b"", *places))
    flags = REPEATED * repeated
    if len(content) >= MIN_PACKED_BYTES:
        content, flags = zlib.compress(content, COMPRESSION), flags | PACKED
    return HEAD.pack(len(documents), flags) + content


def load_postings(content: bytes, count: int) -> Postings:
    """Read what `dump_postings` wrote. Raises ValueError and others for what can't be postings of `count` documents."""
    postings, flags = HEAD.unpack_from(content)
    content = content[HEAD.size :]
    if flags & PACKED:
        content = unpacked(content, MAX_LIST_BYTES)
    numbers = np.frombuffer(content[: len(content) // POSITION_BYTES * POSITION_BYTES], np.uint32)
    documents = np.cumsum(numbers[:postings], dtype=np.uint64)
    if not postings or len(documents) != postings or documents[-1] >= count or not numbers[1:postings].all():
        raise ValueError("postings of documents that are not there")
    if flags & REPEATED:
        frequencies, positions = numbers[postings : 2 * postings], numbers[2 * postings :]
    else:
        frequencies, positions = np.ones(postings, np.uint32), numbers[postings:]
    if len(frequencies) != postings or (len(positions) and len(positions) != frequencies.sum(dtype=np.uint64)):
        raise ValueError("postings without their frequencies or positions")
    return Postings(documents.astype(np.uint32), frequencies, lambda: positions)


def posting_rows(found: Postings) -> Iterator[tuple[int, int, bytes]]:
    """Yield document, frequency and packed positions of each posting."""
    packed = found.positions.tobytes()
    for document, frequency, end in zip(
        found.documents.tolist(), found.frequencies.tolist(), found.ends.tolist(), strict=True
    ):
        yield document, frequency, packed[(end - frequency) * POSITION_BYTES : end * POSITION_BYTES]


def unpacked(content: bytes, most: int) -> bytes:
    """Return what zlib has packed. Raises ValueError where that is more than `most` bytes, or not all is there."""
    stream = zlib.decompressobj()
    found = stream.decompress(content, most)
    if not stream.eof:
        raise ValueError(f"packed content that is cut short, or has more than {most} bytes")
    return found


class SegmentFile:
    """One segment, open for reading; threads may share it. Whatever is wrong with it is raised as CorruptIndex.

    `root` is the checksum over all that it should have. `is_damaged` tells that something was wrong: who keeps it open
    should open it again, as the file may be mended.
    """

    def __init__(self, folder: Path, segment: Segment, root: int | None = None) -> None:
        self.index_folder = folder.parent
        self.name, self.count = segment.name, segment.count
        self.is_damaged = False
        self._file = BlockFile(folder / segment.file_name)
        self.root, self.size = self._file.root, self._file.size  # checksum over all; bytes
        self._terms = self._told(lambda: OrderedHashReader(*self._part("terms")))
        self._columns: dict[str, NDArray[Any]] = {}
        if root is not None and root != self.root:
            raise self._damage(ValueError(f"it is another segment than {CURRENT_FILE} names"))

    def _part(self, name: str) -> tuple[PartReader, int]:
        part = PartReader(self._file, name)
        return part, part.length

    def _told(self, read: Callable[[], Found]) -> Found:
        try:
            return read()
        except Exception as error:  # bytes that mean nothing make Whoosh raise whatever they lead it to
            raise self._damage(error) from error

    def _damage(self, error: Exception) -> CorruptIndex:
        self.is_damaged = True
        if isinstance(error, CorruptIndex):
            return error
        return CorruptIndex(self.index_folder, f"{self.name}: {type(error).__name__}: {error}")

    def postings(self, field: str, term: str) -> Postings | None:
        """Return the postings of a term, or None where it does not stand in this segment."""
        try:
            content = self._terms.get(term_key(field, term))
            return None if content is None else load_postings(content, self.count)
        except Exception as error:  # as above
            raise self._damage(error) from error

    def documents(self, field: str, term: str) -> list[int]:
        """Return the numbers of the documents with a term, deleted ones among them."""
        found = self.postings(field, term)
        return found.documents.tolist() if found else []

    def terms(self, field: str) -> list[str]:
        """Return the distinct terms of a small field (languages, sites)."""
        return self._told(lambda: list(self._terms_of(FIELD_KEYS[field])))

    def _terms_of(self, key: bytes) -> Iterator[str]:
        for found in self._terms.keys_from(key):
            if not found.startswith(key):
                break
            yield found[len(key) :].decode()

    def words(self, field: IndexField, beginning: str = "") -> Iterator[tuple[str, int]]:
        """Yield the words of a field that begin so, in order, each with the number of documents that have it."""
        start, key = FIELD_KEYS[field], term_key(field, beginning)
        try:
            for found, content in self._terms.items_from(key):
                if not found.startswith(key):
                    break
                yield found[len(start) :].decode(), HEAD.unpack_from(content)[0]
        except Exception as error:  # as above
            raise self._damage(error) from error

    def lengths(self, field: IndexField) -> NDArray[np.uint32]:
        """Return the length of a field in positions, by document number."""
        return self._column(f"{field}_length", np.uint32)

    def expiries(self) -> NDArray[np.float64]:
        """Return when each document ends, in seconds since the epoch; 0: never."""
        return self._column("expires", np.float64)

    def dates(self) -> NDArray[np.float64]:
        """Return when each document is from (`StoredFields.dated`)."""
        return self._column("dated", np.float64)

    def signals(self) -> NDArray[np.uint64]:
        """Return of each document how strong its signals of spoofing are (`signal_column.strengths_in`); 0: none."""
        return self._column("signals", np.uint64)

    def clusters(self) -> NDArray[np.int64]:
        """Return the cluster of each document; 0: it was not compared."""
        return self._column("cluster", np.int64)

    def _column(self, name: str, kind: type[np.generic]) -> NDArray[Any]:
        def read() -> NDArray[Any]:
            part, length = self._part(name)
            found = np.frombuffer(part.get(0, length), kind)
            if len(found) != self.count:
                raise ValueError(f"{len(found)} numbers in the column {name} of {self.count} documents")
            return found

        if name not in self._columns:
            self._columns[name] = self._told(read)
        return self._columns[name]

    @cached_property
    def _records(self) -> Any:
        part, length = self._part("record")
        return RECORD_COLUMN.reader(part, 0, length, self.count)

    def record(self, number: int) -> bytes:
        """Return the packed record of a document."""
        return self._told(lambda: self._records[number])

    def stored(self, number: int) -> StoredFields:
        """Return the record of a document."""
        return self._told(lambda: StoredFields.unpack(self._records[number]))

    def items(self) -> Iterator[tuple[bytes, Postings]]:
        """Yield (key, postings) in the order of the keys."""
        try:
            for key, content in self._terms.items():
                yield key, load_postings(content, self.count)
        except Exception as error:  # as above
            raise self._damage(error) from error

    def check(self) -> None:
        """Read everything once. Raises CorruptIndex for a block that is not as it was written."""
        self._told(self._file.check)


def write_contents(storage: DurableStorage, segments: Sequence[Segment], generation: int) -> None:
    """Write which segments a generation has, and which of their documents are deleted."""
    rows = [{"name": one.name, "count": one.count, "deleted": sorted(one.deleted)} for one in segments]
    content = {"generation": generation, "byte_order": sys.byteorder, "segments": rows}
    storage.write(contents_name(generation), json.dumps(content).encode())


def read_contents(folder: Path, generation: Generation) -> list[Segment]:
    """Return the segments of a generation in a build's folder. Raises CorruptIndex for what can't be its contents."""
    name = contents_name(generation.number)
    try:
        return _segments_in(json.loads((folder / name).read_bytes()), generation)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CorruptIndex(folder.parent, f"{folder.name}/{name} is no table of contents: {error}") from error


def _segments_in(content: Any, generation: Generation) -> list[Segment]:
    if (content["generation"], content["byte_order"]) != (generation.number, sys.byteorder):
        raise ValueError("it is of another generation, or of a machine with another order of bytes")
    found = [Segment(row["name"], row["count"], set(row["deleted"])) for row in content["segments"]]
    if not all(map(_is_sound, found)) or {one.file_name for one in found} != generation.files.keys():
        raise ValueError("it names what is not there")
    return found


def _is_sound(segment: Segment) -> bool:
    numbers = [segment.count, *segment.deleted]
    return (
        bool(SEGMENT_NAME.fullmatch(segment.name))
        and all(type(number) is int and number >= 0 for number in numbers)
        and max(segment.deleted, default=-1) < segment.count
    )


def term_key(field: str, term: str) -> bytes:
    """Return the key of a term in the dictionary."""
    return FIELD_KEYS[field] + term.encode("utf-8", "backslashreplace")
