"""What is a segment made of? Five parts that are written in order, and a column for each number of a document.

record                          what a result is shown from, packed
terms, postings, positions      the dictionary, and what it leads to
forms                           which words share a stem
columns                         a number for each document, by document number
"""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from contextlib import ExitStack
from secrets import token_hex
from typing import TYPE_CHECKING, Self

import numpy as np

from indexer.segments.dictionary import DictionaryWriter
from indexer.segments.forms import write_forms
from indexer.segments.schema import COLUMNS
from indexer.segments.segment import RECORD_COLUMN, Segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from indexer.segments.packing import PackedLists
    from indexer.segments.storage import DurableStorage, PartWriter

PARTS = ("record", "terms", "postings", "positions", "forms")


class SegmentWriter:
    """Writes one segment; use it in a `with` block, which closes what an error leaves open."""

    def __init__(self, storage: DurableStorage) -> None:
        self._storage = storage
        self._name = token_hex(8)
        self._open = ExitStack()
        self._parts = {part: self._create(part) for part in PARTS}
        self._records = RECORD_COLUMN.writer(self._parts["record"])
        self._count = 0
        self._dictionary = DictionaryWriter(*(self._parts[part] for part in ("terms", "postings", "positions")))

    def _create(self, name: str) -> PartWriter:
        part = self._storage.create_part(f"{self._name}.{name}")
        self._open.callback(part.file.close)
        return part

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add_record(self, record: bytes) -> None:
        """Add the next document."""
        self._records.add(self._count, record)
        self._count += 1

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
        self._records.finish(self._count)
        self._parts["record"].close()
        self._dictionary.close()
        self._storage.pack(self._name, (*PARTS, *COLUMNS))
        return Segment(self._name, self._count)
