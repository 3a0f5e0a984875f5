"""A segment is a part of the index, written once and never changed: a dictionary of terms with postings.

A posting records that a word is in a field of a document, how often, and at which positions. The dictionary has words
as they were written; the forms lead to them from a shared stem. Columns hold a number for each document: field lengths,
expiry, cluster. `writing/segment_writer.py` writes segments, and `writing/builder.py` merges them.

A generation has a small table of contents: its segments, and which documents of each are deleted.

A segment may be damaged, or somebody may have forged it. The reader checks each value before it uses it. A check, or a
writer before it merges, reads every bit of all segments.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from itertools import count, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.faults import CorruptIndex
from indexer.segments.cache import LeastRecentlyUsed
from indexer.segments.dictionary import BEFORE_FIELD, Dictionary, Forms, term_key
from indexer.segments.directory import CompoundFile
from indexer.segments.generation import (
    CURRENT_FILE,
    SEGMENT_NAME,
    Generation,
    check_files,
    contents_name,
    index_folder,
    read_generation,
)
from indexer.segments.postings import PackedLists, PackedPositions, Postings, unpack_lists, unpack_positions
from indexer.segments.schema import COLUMNS, FIELD_KEYS, StoredFields, url_key

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.segments.dictionary import DictionaryBlock, TermEntry
    from indexer.segments.directory import Directory
    from indexer.segments.generation import Generation
    from indexer.segments.postings import Numbers, Places
    from indexer.segments.schema import IndexField


READ_BLOCKS = 64  # of the dictionary at a time where all of it is read: some four thousand terms
RECORD_END = np.dtype("<u8")  # where the record of a document ends; these stand behind all records
DOCUMENT_BITS = np.uint64(32)  # behind the number of a document, for a position in it
SECTION_PLACE = np.dtype("<u4")
CACHED_BYTES = 32 * 1024 * 1024  # of unpacked records in a process: some 2,000 pages of a manual
RECORD_BYTES = 6_000  # of a record apart from its texts: its most frequent words, its checkpoints
NO_POSITIONS = np.empty(0, np.uint32)
_READERS = count()


@dataclass(slots=True, eq=False)
class Segment:
    """A segment as a generation lists it: name, number of documents, and which of them are deleted.

    `born` is the first generation that has it (0: unknown). `merged_from` lists the segments it was merged from, each
    with the documents that it contributed. `area` is the area that has all its pages and is kept apart; "": none.
    """

    name: str
    count: int
    deleted: set[int] = field(default_factory=set)
    born: int = 0
    merged_from: tuple[tuple[str, int], ...] = ()
    area: str = ""

    @property
    def file_name(self) -> str:
        """The name of its file."""
        return f"{self.name}.seg"


class _Checked:
    """Raises any fault inside as what `damage` makes of it: random bytes make numpy and the parsers raise anything.

    (A query enters it some hundred times, and one of `contextlib.contextmanager` takes five times as long.)
    """

    __slots__ = ("_damage",)

    def __init__(self, damage: Callable[[Exception], CorruptIndex]) -> None:
        self._damage = damage

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception):
            raise self._damage(error) from error


class SegmentReader:
    """One segment, open for reading; threads may share it. Every fault in it is raised as CorruptIndex.

    `root` is the checksum that the whole segment should have. `is_damaged` is True after a fault: its holder should
    then open it again, as somebody may have repaired the file.
    """

    def __init__(self, folder: Path, segment: Segment, root: int | None = None) -> None:
        self.index_folder = folder.parent
        self.name, self.count = segment.name, segment.count
        self.born, self.merged_from, self.area = segment.born, segment.merged_from, segment.area
        self.is_damaged = False
        self._file = CompoundFile(folder / segment.file_name)
        self.root, self.size = self._file.root, self._file.size  # checksum of the whole segment; bytes
        self._columns: dict[str, NDArray[Any]] = {}
        self._number = next(_READERS)  # no other open segment has it
        with self._checked():
            self._dictionary = Dictionary(self._file.part("terms"))
            self._postings, self._positions = self._file.part("postings"), self._file.part("positions")
            if root is not None and root != self.root:
                raise ValueError(f"it is another segment than {CURRENT_FILE} names")

    def _checked(self) -> _Checked:
        """Raise CorruptIndex for any fault of what is read inside."""
        return _Checked(self._damage)

    def _damage(self, error: Exception) -> CorruptIndex:
        self.is_damaged = True
        if isinstance(error, CorruptIndex):
            return error
        return CorruptIndex(self.index_folder, f"{self.name}: {type(error).__name__}: {error}")

    def postings(self, field: str, term: str) -> Postings | None:
        """Return the postings of a word as it was written, or of a term of an exact field; None: there are none."""
        with self._checked():
            entry = self._dictionary.entry(term_key(field, term))
            if entry is None:
                return None
            if entry.last >= self.count:
                raise ValueError(f"postings of document {entry.last} of {self.count}")
            content = self._postings.read(*entry.list_extent)
            extent = np.array([[entry.count], [entry.first], [entry.last]])
            documents, frequencies = unpack_lists([content], *extent)
            return Postings(documents.astype(np.uint32), frequencies, partial(self._read_positions, entry, frequencies))

    def _read_positions(self, entry: TermEntry, frequencies: Numbers, rows: NDArray[np.int64] | None) -> Numbers:
        if not entry.positions_extent[1]:
            return NO_POSITIONS  # of an exact field
        with self._checked():
            content = self._positions.read(*entry.positions_extent)
            if rows is None:
                return unpack_positions(content, frequencies)
            return PackedPositions(content, frequencies).of(rows)

    def entries(self, word: str) -> tuple[tuple[IndexField, TermEntry], ...]:
        """Return the dictionary entries of a word as it was written, one for each field that has it, in their order."""
        with self._checked():
            return self._dictionary.entries(word)

    def word_lists(self, words: Iterable[str]) -> list[tuple[int, IndexField, TermEntry, bytes]]:
        """Return the packed postings of words, one list for each field that has one: with the number of the word."""
        with self._checked():
            rows = [(number, *row) for number, word in enumerate(words) for row in self._dictionary.entries(word)]
            if any(entry.last >= self.count for _, _, entry in rows):
                raise ValueError(f"postings of a document beyond {self.count}")
            contents = self._postings.read_each([entry.list_extent for _, _, entry in rows])
        return [(*row, content) for row, content in zip(rows, contents, strict=True)]

    def packed_positions(self, entries: Sequence[TermEntry]) -> list[bytes]:
        """Return the packed positions of each list."""
        with self._checked():
            return self._positions.read_each([entry.positions_extent for entry in entries])

    def documents(self, field: str, term: str) -> list[int]:
        """Return the numbers of the documents with a term, including deleted ones."""
        found = self.postings(field, term)
        return found.documents.tolist() if found else []

    def terms(self, field: str, prefix: str = "", endings: Sequence[str] = ("",)) -> list[str]:
        """Return the distinct terms of an exact field (languages, sites, URLs of a site) that begin and end so."""
        with self._checked():
            return list(self._dictionary.exact_terms(field, prefix, endings))

    def words(self, fields: Collection[IndexField], prefix: str = "") -> Iterator[tuple[str, int]]:
        """Yield the words of some fields that begin with a prefix, ascending, with their largest document frequency.

        The frequency is that of the field where most documents have the word, and includes deleted documents.
        """
        with self._checked():
            yield from self._dictionary.words(fields, prefix)

    def known_words(self, words: Sequence[str]) -> set[str]:
        """Return those of many words, ascending, that the segment has, in whatever field."""
        with self._checked():
            return self._dictionary.known(words)

    def words_near(self, word: str, most: int) -> tuple[list[str], list[str]]:
        """Return the words before a word in the dictionary and those after it, in whatever field, ascending."""
        with self._checked():
            return self._dictionary.words_near(word, most)

    def count_of(self, field: str, term: str) -> int:
        """Return the document frequency of a term, including deleted documents."""
        with self._checked():
            entry = self._dictionary.entry(term_key(field, term))
        return 0 if entry is None else entry.count

    def bytes_of(self, part: str) -> int:
        """Return how many bytes a part of the file has."""
        return self._file.part(part).length

    def forms(self, key: str) -> tuple[str, ...]:
        """Return the words of this segment that have a form; `analysis.stemming.form_keys` makes its key."""
        with self._checked():
            return self._forms.words(key)

    def form_rows(self) -> Iterator[bytes]:
        """Yield the rows of the forms, ascending."""
        with self._checked():
            yield from self._forms.rows()

    @cached_property
    def _forms(self) -> Forms:
        return Forms(self._file.part("forms"))

    def lengths(self, field: IndexField) -> NDArray[np.uint32]:
        """Return the length of a field in positions, by document number."""
        return self.column(f"{field}_length")

    def url_keys(self) -> NDArray[np.uint64]:
        """Return the number that represents the URL of each document (`schema.url_key`)."""
        return self.column("url_key")

    def has(self, word: str, fields: Collection[IndexField]) -> bool:
        """Return whether a document has a word in one of these fields, as it was written."""
        return any(field in fields for field, _ in self.entries(word))

    def may_have(self, url: str) -> bool:
        """Return whether a document can have this URL. This is faster than the dictionary."""
        return url_key(url) in self._url_key_set

    @cached_property
    def _url_key_set(self) -> frozenset[int]:
        return frozenset(self.url_keys().tolist())

    def column(self, name: str) -> NDArray[Any]:
        """Return a column: a number for each document (`schema.COLUMNS`)."""
        if name not in self._columns:
            with self._checked():
                found = np.frombuffer(self._file.part(name).read(), COLUMNS[name])
                if len(found) != self.count:
                    raise ValueError(f"{len(found)} numbers in the column {name} of {self.count} documents")
                self._columns[name] = found
        return self._columns[name]

    @cached_property
    def section_places(self) -> NDArray[np.uint32]:
        """Where the sections of the documents are in their bodies, document after document: a row for each section.

        A row has the position of the first word of its heading, and that of the first word after the heading.
        """
        with self._checked():
            found = np.frombuffer(self._file.part("section_places").read(), SECTION_PLACE).reshape(-1, 2)
            if len(found) != self.column("sections").sum(dtype=np.int64):
                raise ValueError(f"the places of {len(found)} sections, which is not their number")
            return found

    @cached_property
    def heading_places(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]:
        """Where each heading begins and ends, as document << 32 | position, and the first heading of each document."""
        counts = self.column("sections").astype(np.int64)
        documents = np.repeat(np.arange(self.count, dtype=np.uint64), counts) << DOCUMENT_BITS
        places = self.section_places.astype(np.uint64)
        return documents | places[:, 0], documents | places[:, 1], counts.cumsum() - counts

    @cached_property
    def _record_ends(self) -> NDArray[np.uint64]:
        part = self._file.part("record")
        return np.frombuffer(part.read(part.length - self.count * RECORD_END.itemsize), RECORD_END)

    def record(self, number: int) -> bytes:
        """Return the packed record of a document."""
        with self._checked():
            start, end = int(self._record_ends[number - 1]) if number else 0, int(self._record_ends[number])
            return self._file.part("record").read(start, end - start)

    def stored(self, number: int) -> StoredFields:
        """Return the record of a document."""
        found = RECORD_CACHE.get((self._number, number))
        if found is None:
            with self._checked():
                found = StoredFields.unpack(self.record(number))
            RECORD_CACHE.put((self._number, number), found)
        return found

    def dictionary_blocks(self, key: bytes = b"") -> Iterator[DictionaryBlock]:
        """Yield the blocks of the dictionary, ascending, from the one that can have a key."""
        with self._checked():
            yield from self._dictionary.blocks(key)

    def packed_lists(self, blocks: Sequence[DictionaryBlock], base: int) -> PackedLists:
        """Return the lists of consecutive blocks, with `base` added to their document numbers."""
        counts, firsts, spans, sizes, position_sizes = np.concatenate([block.columns for block in blocks], axis=1)
        with self._checked():
            postings = self._postings.read(blocks[0].start, int(sizes.sum()))
            positions = self._positions.read(blocks[0].positions_start, int(position_sizes.sum()))
        firsts = firsts + base
        return PackedLists(counts, firsts, firsts + spans, sizes, position_sizes, postings, positions)

    def lists_of(self, fields: Collection[IndexField]) -> Iterator[tuple[list[bytes], PackedLists]]:
        """Yield the keys of the words in some fields, ascending, with their lists: some thousands at a time."""
        suffixes = {BEFORE_FIELD + FIELD_KEYS[field] for field in fields}
        blocks = self.dictionary_blocks()
        while some := list(islice(blocks, READ_BLOCKS)):
            keys = [key for block in some for key in block.keys]
            rows = [row for row, key in enumerate(keys) if key[-2:] in suffixes]
            yield [keys[row] for row in rows], self.packed_lists(some, 0).taken(rows)

    def lists_in(self, field: IndexField, words: Sequence[str], most: int) -> tuple[list[str], PackedLists]:
        """Return those of some words that a field has, and their lists, until their positions have `most` bytes."""
        entries = [(word, entry) for word in words for name, entry in self.entries(word) if name is field]
        ends = np.array([entry.positions_extent[1] for _, entry in entries], np.int64).cumsum()
        kept = entries[: int(ends.searchsorted(most, side="right"))]
        rows = [
            (entry.count, entry.first, entry.last, entry.list_extent[1], entry.positions_extent[1]) for _, entry in kept
        ]
        counts, firsts, lasts, sizes, position_sizes = np.array(rows, np.int64).reshape(-1, 5).T
        with self._checked():
            if (lasts >= self.count).any():
                raise ValueError(f"postings of a document beyond {self.count}")
            postings = b"".join(self._postings.read_each([entry.list_extent for _, entry in kept]))
            positions = b"".join(self._positions.read_each([entry.positions_extent for _, entry in kept]))
        return [word for word, _ in kept], PackedLists(
            counts, firsts, lasts, sizes, position_sizes, postings, positions
        )

    def unpacked(self, lists: PackedLists) -> tuple[Places, Numbers, Numbers]:
        """Return the documents and frequencies of lists, list after list, and the positions, posting after posting."""
        with self._checked():
            return lists.unpacked()

    def unpacked_postings(self, lists: PackedLists) -> tuple[Places, Numbers]:
        """Return the documents and frequencies of lists, list after list."""
        with self._checked():
            return lists.unpacked_postings()

    def check(self) -> None:
        """Read everything once. Raises CorruptIndex for a block that is not as it was written."""
        with self._checked():
            self._file.check()


def size_of_record(record: StoredFields) -> int:
    """Return some bytes more than a record takes in memory."""
    return RECORD_BYTES + sys.getsizeof(record.text) + sys.getsizeof(record.description)


# By segment and document. Unpacking ten records takes a tenth of the time of a page of results.
RECORD_CACHE: LeastRecentlyUsed[tuple[int, int], StoredFields] = LeastRecentlyUsed(CACHED_BYTES, size_of_record)


def write_contents(storage: Directory, segments: Sequence[Segment], generation: int) -> None:
    """Write the segments of a generation, each with its deleted documents."""
    for one in segments:
        one.born = one.born or generation
    rows = [asdict(one) | {"deleted": sorted(one.deleted)} for one in segments]
    for row in rows:
        if not row["area"]:
            del row["area"]  # few indexes keep anything apart
    content = {"generation": generation, "byte_order": sys.byteorder, "segments": rows}
    storage.write(contents_name(generation), json.dumps(content).encode())


def read_contents(folder: Path, generation: Generation) -> list[Segment]:
    """Return the segments of a generation in a build's folder. Raises CorruptIndex for an invalid table."""
    name = contents_name(generation.number)
    try:
        return _segments_in(json.loads((folder / name).read_bytes()), generation)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CorruptIndex(folder.parent, f"{folder.name}/{name} is no table of contents: {error}") from error


def _segments_in(content: Any, generation: Generation) -> list[Segment]:
    if (content["generation"], content["byte_order"]) != (generation.number, sys.byteorder):
        raise ValueError("it is of another generation, or of a machine with another byte order")
    found = [_segment_in(row) for row in content["segments"]]
    if not all(map(_is_sound, found)) or {one.file_name for one in found} != generation.files.keys():
        raise ValueError("it names what is not there")
    return found


def _segment_in(row: Any) -> Segment:
    merged_from = tuple((name, count) for name, count in row.get("merged_from", ()))
    return Segment(row["name"], row["count"], set(row["deleted"]), row.get("born", 0), merged_from, row.get("area", ""))


def _is_sound(segment: Segment) -> bool:
    numbers = [segment.count, segment.born, *segment.deleted, *(count for _, count in segment.merged_from)]
    return (
        isinstance(segment.area, str)
        and all(SEGMENT_NAME.fullmatch(name) for name in (segment.name, *(name for name, _ in segment.merged_from)))
        and all(type(number) is int and number >= 0 for number in numbers)
        and max(segment.deleted, default=-1) < segment.count
    )


def read_segments(folder: Path, generation: Generation) -> tuple[list[Segment], dict[str, SegmentReader]]:
    """Read every bit of a generation, so a merge copies no damage. Raises CorruptIndex."""
    build = folder / generation.build
    try:
        check_files(folder, generation)
        segments = read_contents(build, generation)
        files = {one.name: SegmentReader(build, one, generation.sums[one.file_name]) for one in segments}
    except FileNotFoundError as error:
        raise CorruptIndex(folder, f"{error.filename} is missing") from error
    for file in files.values():
        file.check()
    return segments, files


def check_index_files(data_dir: Path) -> None:
    """Read every bit of an index. Raises NoIndex, CorruptIndex."""
    folder = index_folder(data_dir)
    read_segments(folder, read_generation(folder))
