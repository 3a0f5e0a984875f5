"""What is a segment? A part of the index that is written once and never changed: a dictionary of words with postings.

A posting says that a word stands in a field of a document, how often and where. Words are kept as they were written;
`forms` lead to them from what they have in common with others (a stem). Beside the dictionary stand columns, which have
a number for each document: its lengths, when it ends, its cluster. All numbers are read as arrays. Segments are written
in `inversion.py`, and made from others in `merging.py`.

Whatever a segment says is looked at before it is believed: it may be damaged, or made by somebody who means harm.

[[ Which records were read last? They are kept unpacked: the pages that answer one question answer many others.

To unpack the records of ten results takes a tenth of a page of results. What is kept is bounded in bytes, for all
segments that a process has open together; what was not asked for longest goes first. A segment never changes, so that
what is kept of it stays right. ]]
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import count, islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from indexer.faults import CorruptIndex
from indexer.segments.dictionary import BEFORE_FIELD, Dictionary, Forms, term_key
from indexer.segments.directory import CompoundFile
from indexer.segments.generation import CURRENT_FILE
from indexer.segments.postings import PackedLists, Postings, unpack_list, unpack_positions, unpack_some_positions
from indexer.segments.schema import COLUMNS, FIELD_KEYS, StoredFields, url_key

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.segments.dictionary import DictionaryBlock, TermEntry
    from indexer.segments.postings import Numbers, Places
    from indexer.segments.schema import IndexField

READ_BLOCKS = 64  # of the dictionary at a time, where all of it is read: some four thousand terms
RECORD_END = "<u8"  # where a document's record ends in the part with all records
NO_POSITIONS = np.empty(0, np.uint32)
Found = TypeVar("Found")


@dataclass(slots=True, eq=False)
class Segment:
    """What a generation says of a segment: its name, its documents, and which of them are deleted.

    `born` is the first generation that has it, 0: not noted; `merged_from` are the segments that it was made of, each
    with the documents that it brought.
    """

    name: str
    count: int
    deleted: set[int] = field(default_factory=set)
    born: int = 0
    merged_from: tuple[tuple[str, int], ...] = ()

    @property
    def file_name(self) -> str:
        """The name of its file."""
        return f"{self.name}.seg"


class SegmentReader:
    """One segment, open for reading; threads may share it. Whatever is wrong with it is raised as CorruptIndex.

    `root` is the checksum over all that it should have. `is_damaged` tells that something was wrong: who keeps it open
    should open it again, as the file may be mended.
    """

    def __init__(self, folder: Path, segment: Segment, root: int | None = None) -> None:
        self.index_folder = folder.parent
        self.name, self.count = segment.name, segment.count
        self.born, self.merged_from = segment.born, segment.merged_from
        self.is_damaged = False
        self._file = CompoundFile(folder / segment.file_name)
        self.root, self.size = self._file.root, self._file.size  # checksum over all; bytes
        self._dictionary = self._told(lambda: Dictionary(self._file.part("terms")))
        self._postings = self._told(lambda: self._file.part("postings"))
        self._positions = self._told(lambda: self._file.part("positions"))
        self._columns: dict[str, NDArray[Any]] = {}
        self._number = segment_number()
        if root is not None and root != self.root:
            raise self._damage(ValueError(f"it is another segment than {CURRENT_FILE} names"))

    def _told(self, read: Callable[[], Found]) -> Found:
        try:
            return read()
        except Exception as error:  # bytes that mean nothing make numpy or a parser raise anything
            raise self._damage(error) from error

    def _damage(self, error: Exception) -> CorruptIndex:
        self.is_damaged = True
        if isinstance(error, CorruptIndex):
            return error
        return CorruptIndex(self.index_folder, f"{self.name}: {type(error).__name__}: {error}")

    def postings(self, field: str, term: str) -> Postings | None:
        """Return the postings of a word as it was written, or of a term of an exact field; None: it is not there."""
        entry = self._told(lambda: self._dictionary.entry(term_key(field, term)))
        return None if entry is None else self._told(lambda: self._read(entry))

    def entries(self, word: str) -> tuple[tuple[IndexField, TermEntry], ...]:
        """Return where the postings of a word as it was written are, by the fields that have it, in their order."""
        return self._told(lambda: self._dictionary.entries(word))

    def word_lists(self, word: str) -> list[tuple[IndexField, TermEntry, bytes]]:
        """Return the lists of a word as they are written, by the fields that have it: they are read at once."""
        return self._told(lambda: list(self._word_lists(word)))

    def _word_lists(self, word: str) -> Iterator[tuple[IndexField, TermEntry, bytes]]:
        entries = self._dictionary.entries(word)
        if not entries:
            return
        if any(entry.last >= self.count for _, entry in entries):
            raise ValueError(f"postings of a document beyond {self.count}")
        begin, (end, size) = entries[0][1].list_extent[0], entries[-1][1].list_extent
        content = self._postings.read(begin, end + size - begin)
        for name, entry in entries:
            start, size = entry.list_extent
            yield name, entry, content[start - begin : start - begin + size]

    def packed_positions(self, entry: TermEntry) -> bytes:
        """Return the positions of a list as they are written."""
        return self._told(lambda: self._positions.read(*entry.positions_extent))

    def _read(self, entry: TermEntry) -> Postings:
        if entry.last >= self.count:
            raise ValueError(f"postings of document {entry.last} of {self.count}")
        content = self._postings.read(*entry.list_extent)
        documents, frequencies = unpack_list(content, entry.count, entry.first, entry.last)
        return Postings(documents, frequencies, partial(self._read_positions, entry, frequencies))

    def _read_positions(self, entry: TermEntry, frequencies: Numbers, rows: NDArray[np.int64] | None) -> Numbers:
        place, size = entry.positions_extent
        if not size:
            return NO_POSITIONS  # of an exact field
        if rows is None:
            return self._told(lambda: unpack_positions(self._positions.read(place, size), frequencies))
        return self._told(lambda: unpack_some_positions(self._positions.read(place, size), frequencies, rows))

    def documents(self, field: str, term: str) -> list[int]:
        """Return the numbers of the documents with a term, deleted ones among them."""
        found = self.postings(field, term)
        return found.documents.tolist() if found else []

    def terms(self, field: str, beginning: str = "") -> list[str]:
        """Return the distinct terms of an exact field (languages, sites, the addresses of a site) that begin so."""
        return self._told(lambda: list(self._dictionary.exact_terms(field, beginning)))

    def words(self, fields: Collection[IndexField], beginning: str = "") -> Iterator[tuple[str, int]]:
        """Yield the words of some fields that begin so, in order, with the documents of the field where most have it.

        Deleted documents are counted, too.
        """
        try:
            yield from self._dictionary.words(fields, beginning)
        except Exception as error:  # as above
            raise self._damage(error) from error

    def words_beside(self, word: str, most: int) -> tuple[list[str], list[str]]:
        """Return the words that stand before one in the dictionary, in whatever field, and those after it, in order."""
        return self._told(lambda: self._dictionary.words_beside(word, most))

    def count_of(self, field: str, term: str) -> int:
        """Return in how many documents a term is, deleted ones among them."""
        entry = self._told(lambda: self._dictionary.entry(term_key(field, term)))
        return 0 if entry is None else entry.count

    def bytes_of(self, part: str) -> int:
        """Return how many bytes a part of the file has."""
        return self._told(lambda: self._file.part(part).length)

    def forms(self, key: str) -> tuple[str, ...]:
        """Return the words of this segment that have a form, by a key of `indexer.analysis.stemming.form_keys`."""
        return self._told(lambda: self._forms.words(key))

    @cached_property
    def _forms(self) -> Forms:
        return Forms(self._file.part("forms"))

    def lengths(self, field: IndexField) -> NDArray[np.uint32]:
        """Return the length of a field in positions, by document number."""
        return self.column(f"{field}_length")

    def expiries(self) -> NDArray[np.float64]:
        """Return when each document ends, in seconds since the epoch; 0: never."""
        return self.column("expires")

    def dates(self) -> NDArray[np.float64]:
        """Return when each document is from (`StoredFields.dated`)."""
        return self.column("dated")

    def signals(self) -> NDArray[np.uint64]:
        """Return of each document how strong its signals of spoofing are (`signal_column.strengths_in`); 0: none."""
        return self.column("signals")

    def clusters(self) -> NDArray[np.int64]:
        """Return the cluster of each document; 0: it was not compared."""
        return self.column("cluster")

    def url_keys(self) -> NDArray[np.uint64]:
        """Return the number that stands for the URL of each document (`schema.url_key`)."""
        return self.column("url_key")

    def has(self, word: str, fields: Collection[IndexField]) -> bool:
        """Return whether a document has a word in one of these fields, as it was written."""
        return any(field in fields for field, _ in self.entries(word))

    def may_have(self, url: str) -> bool:
        """Return whether a document can have this URL: a set of numbers answers sooner than the dictionary."""
        return url_key(url) in self._url_key_set

    @cached_property
    def _url_key_set(self) -> frozenset[int]:
        return frozenset(self.url_keys().tolist())

    def column(self, name: str) -> NDArray[Any]:
        """Return a column: a number for each document."""

        def read() -> NDArray[Any]:
            found = np.frombuffer(self._file.part(name).read(), COLUMNS[name])
            if len(found) != self.count:
                raise ValueError(f"{len(found)} numbers in the column {name} of {self.count} documents")
            return found

        if name not in self._columns:
            self._columns[name] = self._told(read)
        return self._columns[name]

    @cached_property
    def _record_ends(self) -> list[int]:
        return [0, *np.frombuffer(self._file.part("record_ends").read(), RECORD_END).tolist()]

    def record(self, number: int) -> bytes:
        """Return the packed record of a document."""
        return self._told(lambda: self._record(number))

    def _record(self, number: int) -> bytes:
        start, end = self._record_ends[number : number + 2]
        return self._file.part("records").read(start, end - start)

    def stored(self, number: int) -> StoredFields:
        """Return the record of a document."""
        found = RECENT_RECORDS.get(self._number, number)
        if found is None:
            found = self._told(lambda: StoredFields.unpack(self._record(number)))
            RECENT_RECORDS.put(self._number, number, found)
        return found

    def dictionary_blocks(self, key: bytes = b"") -> Iterator[DictionaryBlock]:
        """Yield the dictionary in order, from the block on that can have a key."""
        try:
            yield from self._dictionary.blocks(key)
        except Exception as error:  # as above
            raise self._damage(error) from error

    def packed_lists(self, blocks: Sequence[DictionaryBlock], base: int) -> PackedLists:
        """Return the lists of blocks that follow on each other, their documents counted from `base` on."""
        counts, firsts, spans, sizes, position_sizes = np.concatenate([block.columns for block in blocks], axis=1)
        postings = self._told(lambda: self._postings.read(blocks[0].start, int(sizes.sum())))
        positions = self._told(lambda: self._positions.read(blocks[0].positions_start, int(position_sizes.sum())))
        firsts = firsts + base
        return PackedLists(counts, firsts, firsts + spans, sizes, position_sizes, postings, positions)

    def lists_of(self, fields: Collection[IndexField]) -> Iterator[tuple[list[bytes], PackedLists]]:
        """Yield the keys that words have in some fields, in order, with their lists: some thousands at a time."""
        endings = {BEFORE_FIELD + FIELD_KEYS[field] for field in fields}
        blocks = self.dictionary_blocks()
        while some := list(islice(blocks, READ_BLOCKS)):
            keys = [key for block in some for key in block.keys]
            rows = [row for row, key in enumerate(keys) if key[-2:] in endings]
            yield [keys[row] for row in rows], self.packed_lists(some, 0).taken(rows)

    def unpacked(self, lists: PackedLists) -> tuple[Places, Numbers, Numbers]:
        """Return the documents and frequencies of lists, list after list, and the positions, posting after posting."""
        return self._told(lists.unpacked)

    def unpacked_postings(self, lists: PackedLists) -> tuple[Places, Numbers]:
        """Return the documents and frequencies of lists, list after list."""
        return self._told(lists.unpacked_postings)

    def form_rows(self) -> Iterator[bytes]:
        """Yield the rows of the forms in order."""
        try:
            yield from self._forms.rows()
        except Exception as error:  # as above
            raise self._damage(error) from error

    def check(self) -> None:
        """Read everything once. Raises CorruptIndex for a block that is not as it was written."""
        self._told(self._file.check)


KEPT_BYTES = 32 * 1024 * 1024  # the records of some 2,000 pages of a manual
RECORD_BYTES = 6_000  # of one beside its texts: its most frequent words, its landmarks
_NUMBERS = count()


class RecentRecords:
    """Records by segment and document; threads may share it."""

    def __init__(self, most: int = KEPT_BYTES) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[int, int], StoredFields] = OrderedDict()  # as they were last asked for
        self._bytes = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, segment: int, document: int) -> StoredFields | None:
        """Return the record of a document, if it is kept."""
        with self._lock:
            found = self._kept.get((segment, document))
            if found is not None:
                self._kept.move_to_end((segment, document))
            return found

    def put(self, segment: int, document: int, record: StoredFields) -> None:
        """Keep a record, unless it is too large, and forget others where there is no room."""
        size = _size(record)
        if size > self._most:
            return
        with self._lock:
            if (segment, document) in self._kept:
                return  # another thread has read it meanwhile
            self._kept[segment, document] = record
            self._bytes += size
            while self._bytes > self._most:
                self._bytes -= _size(self._kept.popitem(last=False)[1])


RECENT_RECORDS = RecentRecords()


def segment_number() -> int:
    """Return a number that no other open segment has."""
    return next(_NUMBERS)


def _size(record: StoredFields) -> int:
    return RECORD_BYTES + sys.getsizeof(record.text) + sys.getsizeof(record.description)
