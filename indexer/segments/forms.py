"""Which words of a segment share a form? A table leads from the key of a form (a stem, say) to the words that have it.

The index has each word as it was written. That "running" and "runs" have one stem is said here, once for each word of
a segment instead of at each place where it stands (`indexer/analysis` makes the keys). Rows stand in order, in blocks:

    key NUL word NUL word …
"""
# mypy: disable-error-code="no-untyped-call,import-untyped"

from __future__ import annotations

import zlib
from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING

from whoosh.filedb.filetables import OrderedHashWriter

from indexer.segments.dictionary import BETWEEN, CACHED_BLOCKS, COMPRESSION, MAX_BLOCK_BYTES, unpacked
from indexer.segments.sorted_blocks import ROWS, SortedBlocks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from indexer.segments.storage import PartReader, PartWriter

NUL = b"\0"  # no word and no key has it
MAX_WORDS = 1_000  # of one form: somebody could write a word with a million different accents
READ_ROWS = 4_096  # of each table that are in memory while tables are joined


class FormRows:
    """Gathers the rows for words that come in order."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {}

    def add(self, words: Iterable[tuple[str, Iterable[str]]]) -> None:
        """Take further words, each with the keys of its forms."""
        found = self._found
        for word, keys in words:
            for key in keys:
                if key in found:
                    found[key].append(word)
                else:
                    found[key] = [word]

    def rows(self) -> list[bytes]:
        """Return all rows, in order."""
        rows = ("\0".join((key, *some[:MAX_WORDS])) for key, some in self._found.items())
        return sorted(row.encode("utf-8", "backslashreplace") for row in rows)


def joined_rows(tables: Sequence[Iterator[bytes]], gone: Collection[bytes]) -> Iterator[bytes]:
    """Yield one row for each key of several tables, without the words that are gone."""
    for key, rows in groupby(_in_order(tables), key=_key_of):
        several = list(rows)
        if len(several) == 1 and not gone:
            yield several[0]
        elif words := {word for row in several for word in row.split(NUL)[1:]}.difference(gone):
            yield NUL.join((key, *sorted(words)[:MAX_WORDS]))


def _in_order(tables: Sequence[Iterator[bytes]]) -> Iterator[bytes]:
    """Yield the rows of all tables in order, some thousands at a time: sorting runs in order is quick."""
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


def write_forms(part: PartWriter, rows: Iterable[bytes]) -> None:
    """Write rows, which come in order."""
    table = OrderedHashWriter(part)
    rows = iter(rows)
    while some := list(islice(rows, ROWS)):
        table.add(_key_of(some[-1]), zlib.compress(BETWEEN.join(some), COMPRESSION))
    table.close()


class Forms:
    """The forms of a segment, to read; threads may share it."""

    def __init__(self, part: PartReader, length: int) -> None:
        self._blocks = SortedBlocks(part, length)
        self._rows = lru_cache(CACHED_BLOCKS)(lambda place: _rows_in(self._blocks.block(place)))

    def words(self, key: str) -> tuple[str, ...]:
        """Return the words that have a form, in order."""
        wanted = key.encode("utf-8", "backslashreplace")
        place = self._blocks.place_of(wanted)
        if place is None:
            return ()
        rows = self._rows(place)
        row = bisect_left(rows, wanted + NUL)
        if row == len(rows) or not rows[row].startswith(wanted + NUL):
            return ()
        return tuple(word.decode() for word in rows[row].split(NUL)[1:])

    def rows(self) -> Iterator[bytes]:
        """Yield all rows in order."""
        for block in self._blocks.blocks_from(b""):
            yield from _rows_in(block)


def _rows_in(block: bytes) -> list[bytes]:
    return unpacked(block, MAX_BLOCK_BYTES).split(BETWEEN)
