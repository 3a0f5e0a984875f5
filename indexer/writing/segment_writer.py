"""What is a segment made of? Five parts that are written in order, and a column for each number of a document.

record                          what a result is shown from, packed
terms, postings, positions      the dictionary, and what it leads to
forms                           which words share a stem
columns                         a number for each document, by document number
"""

from __future__ import annotations

from contextlib import ExitStack
from secrets import token_hex
from typing import TYPE_CHECKING, Self

import numpy as np

from indexer.segments.dictionary import DictionaryWriter, write_forms
from indexer.segments.schema import COLUMNS
from indexer.segments.segment import RECORD_END, Segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, BinaryIO

    from numpy.typing import NDArray

    from indexer.segments.directory import Directory
    from indexer.segments.packing import PackedLists

PARTS = ("records", "terms", "postings", "positions", "forms")


class SegmentWriter:
    """Writes one segment; use it in a `with` block, which closes what an error leaves open."""

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
        self._parts["records"].write(record)
        self._record_sizes.append(len(record))

    def write_columns(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Write all columns, each with a number for each document."""
        for name, kind in COLUMNS.items():
            self._storage.write(f"{self._name}.{name}", np.ascontiguousarray(columns[name], kind).tobytes())

    def add_terms(self, keys: Sequence[bytes], lists: PackedLists) -> None:
        """Add terms with their lists, in order."""
        self._dictionary.add(keys, lists)

    def write_forms(self, rows: Iterable[bytes]) -> None:
        """Write the forms of the words."""
        write_forms(self._parts["forms"], rows)

    def finish(self) -> Segment:
        """Put the parts together."""
        self._dictionary.close()
        self._open.close()
        ends = np.cumsum(self._record_sizes, dtype=RECORD_END)
        self._storage.write(f"{self._name}.record_ends", ends.tobytes())
        self._storage.pack(self._name, (*PARTS, "record_ends", *COLUMNS))
        return Segment(self._name, len(self._record_sizes))
