"""Where are the postings of a term? The dictionary says it; the forms list the words that share a stem.

Both are block tables: sorted rows in blocks of ROWS, and an index with the last key of each block.

    block of terms   rows, where its postings and positions begin | zlib: five columns of numbers, then the keys
    block of forms   zlib: rows of  key NUL word NUL word ...
    index            sizes of each block and its last key | the keys
    tail             where the index begins, number of blocks

A row of the dictionary is a term in a field. Its key begins with the word, so one look-up serves all fields. The
columns are document frequency, first document, distance to the last one, bytes of the postings, bytes of the positions.

The index has each word as it was written. The forms record that "running" and "runs" share a stem: once for each word
of a segment, not once for each posting. `analysis/words.py` makes their keys.
"""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, chain, groupby, islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from indexer.segments.schema import EXACT_FIELDS, FIELD_KEYS, INDEX_FIELDS, IndexField

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import BinaryIO

    from numpy.typing import NDArray

    from indexer.segments.directory import Part
    from indexer.segments.postings import PackedLists

ROWS = 64  # of a block
TAIL = struct.Struct("<QI")  # where the index begins, number of blocks
HEAD = struct.Struct("<IQQ")  # rows, where the postings and the positions of the first row begin
COLUMNS = 5  # postings, first document, from there to the last one, bytes of the list, bytes of the positions
AFTER_EXACT = bytes([len(EXACT_FIELDS)])  # the keys of words follow it, those of exact fields precede it
BETWEEN = b"\xff"  # separates two keys: no UTF-8 has it
BEFORE_FIELD = b"\0"  # ends a word in a key: no word has it, and it sorts before all that may follow
WORD_FIELDS = {FIELD_KEYS[field]: field for field in INDEX_FIELDS}
COMPRESSION = 3  # zlib level: at 6 a block takes twice the time and is 3 % smaller
MAX_BLOCK_BYTES = 16_000_000  # unpacked: 64 URLs of 100 KB each have room
CACHED_BLOCKS = 256  # of each open segment, some 8 KB each
CACHED_FORM_BLOCKS = 1024  # of each open segment, some 5 KB each: a word has a form in each language of the pages
CACHED_WORDS = 1024  # of each open segment, some 2 KB each: a query looks up each of its words two or three times

NUL = b"\0"  # separates a key and its words: neither has it
MAX_WORDS = 1_000  # of one form: an attacker could write a word with a million different accents
READ_AHEAD = 8  # at once, where several are read: most are shorter than a block of the file
READ_ROWS = 4_096  # of each table in memory during a merge


def term_key(field: str, term: str) -> bytes:
    """Return the key of a term in the dictionary."""
    content = term.encode("utf-8", "backslashreplace")
    return FIELD_KEYS[field] + content if field in EXACT_FIELDS else content + BEFORE_FIELD + FIELD_KEYS[field]


def unpacked(content: bytes, most: int) -> bytes:
    """Decompress with zlib. Raises ValueError for more than `most` bytes, and for incomplete content."""
    stream = zlib.decompressobj()
    found = stream.decompress(content, most)
    if not stream.eof:
        raise ValueError(f"packed content that is cut short, or has more than {most} bytes")
    return found


class BlockTableWriter:
    """Writes blocks into a part, each under its last key; the keys ascend."""

    def __init__(self, part: BinaryIO) -> None:
        self._part = part
        self._keys: list[bytes] = []
        self._sizes: list[int] = []

    def add(self, last_key: bytes, block: bytes) -> None:
        """Write the next block."""
        self._part.write(block)
        self._keys.append(last_key)
        self._sizes.append(len(block))

    def close(self) -> None:
        """Write the index, and close the part."""
        sizes = np.array([self._sizes, list(map(len, self._keys))], "<u4")
        self._part.write(sizes.tobytes() + b"".join(self._keys) + TAIL.pack(sum(self._sizes), len(self._keys)))
        self._part.close()


class BlockTable:
    """Blocks by the last key of each. Only the index stays in memory.

    Raises ValueError and others for a damaged one.
    """

    def __init__(self, part: Part) -> None:
        self._part = part
        start, count = TAIL.unpack(part.read(part.length - TAIL.size))
        index = part.read(start, part.length - TAIL.size - start)
        sizes, key_sizes = np.frombuffer(index[: 8 * count], "<u4").reshape(2, count).tolist()
        self._starts, ends = [0, *accumulate(sizes)], [0, *accumulate(key_sizes)]
        keys = index[8 * count :]
        if self._starts[-1] != start or ends[-1] != len(keys):
            raise ValueError("an index of blocks of another size than they have")
        self._last_keys = [keys[begin:end] for begin, end in pairwise(ends)]

    def __len__(self) -> int:
        """Return how many blocks there are."""
        return len(self._last_keys)

    def block_of(self, key: bytes) -> int | None:
        """Return the number of the block that can have a key; None: none can."""
        number = bisect_left(self._last_keys, key)
        return number if number < len(self._last_keys) else None

    def last_key(self, number: int) -> bytes:
        """Return the last key of a block."""
        return self._last_keys[number]

    def block(self, number: int) -> bytes:
        """Return a block."""
        start = self._starts[number]
        return self._part.read(start, self._starts[number + 1] - start)

    def blocks_from(self, key: bytes) -> Iterator[bytes]:
        """Yield the blocks, ascending, from the first one that can have a key."""
        for first in range(bisect_left(self._last_keys, key), len(self), READ_AHEAD):
            places = self._starts[first : first + READ_AHEAD + 1]
            content = self._part.read(places[0], places[-1] - places[0])
            for start, end in pairwise(places):
                yield content[start - places[0] : end - places[0]]


class DictionaryWriter:
    """Writes a dictionary with its postings and positions, each into a part of its own."""

    def __init__(self, terms: BinaryIO, postings: BinaryIO, positions: BinaryIO) -> None:
        self._table = BlockTableWriter(terms)
        self._postings, self._positions = postings, positions
        self._end = self._positions_end = 0

    def add(self, keys: Sequence[bytes], lists: PackedLists) -> None:
        """Add terms with their lists; the terms ascend, also from call to call."""
        columns = np.stack(
            (lists.counts, lists.firsts, lists.lasts - lists.firsts, lists.sizes, lists.position_sizes)
        ).astype("<u4")
        for start in range(0, len(keys), ROWS):
            rows = columns[:, start : start + ROWS]
            some = keys[start : start + ROWS]
            packed = zlib.compress(rows.tobytes() + BETWEEN.join(some), COMPRESSION)
            self._table.add(some[-1], HEAD.pack(len(some), self._end, self._positions_end) + packed)
            self._end += int(rows[3].sum(dtype=np.int64))
            self._positions_end += int(rows[4].sum(dtype=np.int64))
        self._postings.write(lists.postings)
        self._positions.write(lists.positions)

    def close(self) -> None:
        """Write the rest, and close the parts."""
        self._table.close()
        self._postings.close()
        self._positions.close()


@dataclass(slots=True)  # never changed; a frozen one takes three times as long to make, and a query makes hundreds
class TermEntry:
    """The document frequency of a term, its first and last document, and the extents of its postings and positions.

    An extent is where it begins in its part, and its bytes.
    """

    count: int
    first: int
    last: int
    list_extent: tuple[int, int]
    positions_extent: tuple[int, int]


class DictionaryBlock:
    """Consecutive terms: their `keys`, and where the postings and positions of the first one begin.

    Raises ValueError and others for bytes that are none.
    """

    def __init__(self, content: bytes) -> None:
        rows, self.start, self.positions_start = HEAD.unpack_from(content)
        found = unpacked(content[HEAD.size :], MAX_BLOCK_BYTES)
        size = 4 * COLUMNS * rows
        self._columns, self.keys = found[:size], found[size:].split(BETWEEN)
        if len(self.keys) != rows or len(self._columns) != size:
            raise ValueError(f"{len(self.keys)} keys and {len(self._columns)} bytes of numbers in a block of {rows}")

    @property
    def columns(self) -> NDArray[np.int64]:
        """The columns as they are written."""
        return np.frombuffer(self._columns, "<u4").reshape(COLUMNS, -1).astype(np.int64)

    @cached_property
    def numbers(self) -> list[list[int]]:
        """The columns as lists: numpy takes long for a few numbers. Many blocks are asked for a word they lack."""
        found: list[list[int]] = self.columns.tolist()
        return found

    def entry(self, key: bytes) -> TermEntry | None:
        """Return the entry of a key; None: the block does not have it."""
        row = bisect_left(self.keys, key)
        if row == len(self.keys) or self.keys[row] != key:
            return None
        return next(self.entries(row, row + 1))

    def entries(self, row: int, stop: int) -> Iterator[TermEntry]:
        """Yield the entries of the rows from `row` to `stop`, exclusive."""
        counts, firsts, spans, sizes, position_sizes = self.numbers
        start, positions_start = self.start + sum(sizes[:row]), self.positions_start + sum(position_sizes[:row])
        for at in range(row, stop):
            size, position_size = sizes[at], position_sizes[at]
            first = firsts[at]
            yield TermEntry(counts[at], first, first + spans[at], (start, size), (positions_start, position_size))
            start, positions_start = start + size, positions_start + position_size


class Dictionary:
    """The dictionary of a segment, open for reading; threads may share it."""

    def __init__(self, part: Part) -> None:
        self._blocks = BlockTable(part)
        self._block = lru_cache(CACHED_BLOCKS)(lambda place: DictionaryBlock(self._blocks.block(place)))
        self.entries = lru_cache(CACHED_WORDS)(self._entries)

    def entry(self, key: bytes) -> TermEntry | None:
        """Return the entry of a key; None: the dictionary does not have it."""
        place = self._blocks.block_of(key)
        return None if place is None else self._block(place).entry(key)

    def _entries(self, word: str) -> tuple[tuple[IndexField, TermEntry], ...]:
        """Return the entries of a word, one for each field that has it, in their order."""
        key = word.encode("utf-8", "backslashreplace") + BEFORE_FIELD
        found: list[tuple[IndexField, TermEntry]] = []
        place = self._blocks.block_of(key)
        while place is not None and place < len(self._blocks):
            block = self._block(place)
            row = bisect_left(block.keys, key)
            stop = bisect_left(block.keys, key + BETWEEN, row)
            if row < stop:
                fields = [WORD_FIELDS[name[len(key) :]] for name in block.keys[row:stop]]
                found += zip(fields, block.entries(row, stop), strict=True)
            if stop < len(block.keys):
                break
            place += 1  # the next block may have the word in further fields
        return tuple(found)

    def known(self, words: Sequence[str]) -> set[str]:
        """Return those of many words, ascending, that it has; each block is read once, and kept by no cache."""

        def key_of(word: str) -> bytes:
            return word.encode("utf-8", "surrogatepass") + BEFORE_FIELD

        found: set[str] = set()
        start = 0
        while start < len(words) and (place := self._blocks.block_of(key_of(words[start]))) is not None:
            stop = bisect_right(words, self._blocks.last_key(place), start, key=key_of)
            keys = _keys_in(self._blocks.block(place)).split(BETWEEN)
            found |= {key[:-2].decode(errors="ignore") for key in keys}.intersection(words[start:stop])
            start = stop
        return found

    def blocks(self, key: bytes = b"") -> Iterator[DictionaryBlock]:
        """Yield the blocks, ascending, from the first one that can have a key."""
        return map(DictionaryBlock, self._blocks.blocks_from(key))

    def words_near(self, word: str, most: int) -> tuple[list[str], list[str]]:
        """Return the words before a word and those after it, ascending, at most `most` on each side."""
        wanted = word.encode("utf-8", "backslashreplace") + BEFORE_FIELD
        place = self._blocks.block_of(max(wanted, AFTER_EXACT))
        start = len(self._blocks) if place is None else place
        before: dict[bytes, None] = {}
        for block in range(start, -1, -1):
            keys = self._block(block).keys if block < len(self._blocks) else []
            before |= dict.fromkeys(_words_in(key for key in reversed(keys) if key < wanted))
            if len(before) >= most or (keys and keys[0] < AFTER_EXACT):
                break
        after: dict[bytes, None] = {}
        for block in range(start, len(self._blocks)):
            keys = self._block(block).keys
            after |= dict.fromkeys(_words_in(key for key in keys if not key.startswith(wanted) and key > wanted))
            if len(after) >= most:
                break
        return [each.decode() for each in [*before][:most]][::-1], [each.decode() for each in [*after][:most]]

    def exact_terms(self, field: str, prefix: str = "", endings: Sequence[str] = ("",)) -> Iterator[str]:
        """Yield the terms of an exact field that begin with a prefix and end with one of `endings`, ascending."""
        start, ends = term_key(field, prefix), tuple(map(str.encode, endings))
        for block in self._blocks.blocks_from(start):
            for key in _keys_in(block).split(BETWEEN):
                if key.startswith(start):
                    if key.endswith(ends):
                        yield key[1:].decode()
                elif key > start:
                    return

    def words(self, fields: Collection[IndexField], prefix: str = "") -> Iterator[tuple[str, int]]:
        """Yield the words of some fields that begin with a prefix, ascending, with their largest document frequency."""
        suffixes = {BEFORE_FIELD + FIELD_KEYS[field] for field in fields}
        start = prefix.encode("utf-8", "backslashreplace")
        word, most = b"", 0
        for block in self.blocks(start or AFTER_EXACT):
            for key, count in zip(block.keys, block.numbers[0], strict=True):
                if key[-2:] not in suffixes or not key.startswith(start):
                    continue
                if key[:-2] != word:
                    if most:
                        yield word.decode(), most
                    word, most = key[:-2], count
                elif count > most:
                    most = count
            if not block.keys[-1].startswith(start):
                break
        if most:
            yield word.decode(), most


def _keys_in(block: bytes) -> bytes:
    """Return the keys of a block with BETWEEN between them."""
    return unpacked(block[HEAD.size :], MAX_BLOCK_BYTES)[4 * COLUMNS * HEAD.unpack_from(block)[0] :]


def _words_in(keys: Iterable[bytes]) -> Iterator[bytes]:
    return (key[: key.rindex(BEFORE_FIELD)] for key in keys if key >= AFTER_EXACT)


def rows_of_forms(words: Mapping[str, Sequence[str]]) -> list[bytes]:
    """Return the rows for forms by their keys, ascending; `words` has those of each key, ascending."""
    rows = ("\0".join((key, *some[:MAX_WORDS])) for key, some in words.items())
    return sorted(row.encode("utf-8", "backslashreplace") for row in rows)


def joined_rows(tables: Sequence[Iterator[bytes]], gone: Collection[bytes]) -> Iterator[bytes]:
    """Yield one row for each key of several tables, without the words in `gone`."""
    for key, rows in groupby(_in_order(tables), key=_key_of):
        several = list(rows)
        if len(several) == 1 and not gone:
            yield several[0]
        elif words := {word for row in several for word in row.split(NUL)[1:]}.difference(gone):
            yield NUL.join((key, *sorted(words)[:MAX_WORDS]))


def _in_order(tables: Sequence[Iterator[bytes]]) -> Iterator[bytes]:
    """Yield the rows of all tables, ascending, some thousands at a time: sorting sorted runs is quick."""
    waiting: list[list[bytes]] = [[] for _ in tables]
    while True:
        for place, table in enumerate(tables):
            waiting[place] = waiting[place] or list(islice(table, READ_ROWS))
        if not any(waiting):
            return
        safe = min(rows[-1] for rows in waiting if rows)
        cuts = [bisect_right(rows, safe) for rows in waiting]
        yield from sorted(chain.from_iterable(rows[:cut] for rows, cut in zip(waiting, cuts, strict=True)))
        waiting = [rows[cut:] for rows, cut in zip(waiting, cuts, strict=True)]


def _key_of(row: bytes) -> bytes:
    return row[: row.index(NUL)]


def write_forms(part: BinaryIO, rows: Iterable[bytes]) -> None:
    """Write a table of forms; the rows ascend."""
    table = BlockTableWriter(part)
    rows = iter(rows)
    while some := list(islice(rows, ROWS)):
        table.add(_key_of(some[-1]), zlib.compress(BETWEEN.join(some), COMPRESSION))
    table.close()


class Forms:
    """The forms of a segment, open for reading; threads may share it."""

    def __init__(self, part: Part) -> None:
        self._blocks = BlockTable(part)
        self._rows = lru_cache(CACHED_FORM_BLOCKS)(lambda place: _rows_in(self._blocks.block(place)))

    def words(self, key: str) -> tuple[str, ...]:
        """Return the words that have a form, ascending."""
        wanted = key.encode("utf-8", "backslashreplace")
        place = self._blocks.block_of(wanted)
        if place is None:
            return ()
        rows = self._rows(place)
        row = bisect_left(rows, wanted + NUL)
        if row == len(rows) or not rows[row].startswith(wanted + NUL):
            return ()
        return tuple(word.decode() for word in rows[row].split(NUL)[1:])

    def rows(self) -> Iterator[bytes]:
        """Yield all rows, ascending."""
        for block in self._blocks.blocks_from(b""):
            yield from _rows_in(block)


def _rows_in(block: bytes) -> list[bytes]:
    return unpacked(block, MAX_BLOCK_BYTES).split(BETWEEN)
