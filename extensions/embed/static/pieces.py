"""How do files reach the folder? As pieces: rows are collected until they are large enough, then packed by gzip."""

from __future__ import annotations

import gzip
import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LEVEL = 9  # of gzip: the folder is made once and loaded often


class StaticFolder:
    """The folder of an index. `version` is a checksum of all that was written: browsers load a changed index again."""

    def __init__(self, path: Path) -> None:
        self._path, self._sum = path, blake2b(digest_size=8)
        self.bytes = self.files = 0

    @property
    def version(self) -> str:
        """The checksum of the files so far."""
        return self._sum.hexdigest()

    def write(self, name: str, content: bytes) -> int:
        """Write a file as it is; return its bytes."""
        (self._path / name).write_bytes(content)
        self._sum.update(f"{name} {len(content)}\n".encode() + content)
        self.bytes += len(content)
        self.files += 1
        return len(content)

    def pack(self, name: str, content: bytes) -> int:
        """Write a file, packed and without the time; return its bytes."""
        return self.write(f"{name}.bin", gzip.compress(content, LEVEL, mtime=0))


class PieceWriter:
    """Rows in pieces of one kind. `begins` has the key of the first row of each piece."""

    def __init__(self, folder: StaticFolder, kind: str, size: int) -> None:
        self._folder, self._kind, self._size = folder, kind, size
        self._rows: list[Any] = []
        self._filled = 0
        self.begins: list[Any] = []

    def add(self, key: object, row: object, size: int) -> None:
        """Add a row of so many bytes, about. A row that is large by itself gets a piece of its own."""
        if self._rows and self._filled + size > self._size:
            self.close()
        if not self._rows:
            self.begins.append(key)
        self._rows.append(row)
        self._filled += size

    def close(self) -> None:
        """Write the rows that are left."""
        if self._rows:
            self._folder.pack(f"{self._kind}-{len(self.begins) - 1}", self.packed(self._rows))
        self._rows, self._filled = [], 0

    def packed(self, rows: Sequence[Any]) -> bytes:
        """Return rows as the content of a piece."""
        return compact(rows)


def compact(value: object) -> bytes:
    """Return JSON without blanks. A lone surrogate of a page becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
