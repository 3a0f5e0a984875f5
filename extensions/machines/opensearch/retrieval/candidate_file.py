"""How are documents of OpenSearch read as a segment is? Their forward records, put side by side, are one in memory.

The lists of a word are joined from those of each document, without unpacking them; the columns stand one behind the
other. So whatever ranks, quotes and counts the pages of a segment does so here, unchanged.
"""

from __future__ import annotations

import threading
from binascii import a2b_base64
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from extensions.machines.opensearch.forward import ForwardRecords
from indexer.faults import CorruptIndex
from indexer.segments.dictionary import AFTER_EXACT, BEFORE_FIELD, WORD_FIELDS, TermEntry, term_key
from indexer.segments.postings import pack_numbers
from indexer.segments.schema import EXACT_FIELDS, FILE_TYPE, LANGUAGE, SITE, URL, StoredFields
from indexer.segments.segment import SegmentReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from extensions.machines.opensearch.address import IndexAddress
    from indexer.segments.schema import IndexField

ENOUGH_STEPS = 1_024  # candidates at most: so far it is from one to the next
READ_FIELDS = "url", "site", "languages", "file_types", "part", "forward"  # of a document, without opening its source
_STEPS = [b"", *(pack_numbers(np.array([step], np.uint32))[0] for step in range(1, ENOUGH_STEPS))]
_NAMES = {URL: "url", SITE: "site", LANGUAGE: "languages", FILE_TYPE: "file_types"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that OpenSearch has chosen; `version` is the number of its latest change."""

    name: str
    version: int
    part: str  # of a divided crawl
    url: str
    site: str
    fields: Mapping[str, Sequence[Any]]  # as OpenSearch tells them
    forward: bytes  # packed

    @classmethod
    def of(cls, hit: Mapping[str, Any]) -> Candidate:
        """Read a hit of an answer. Raises ValueError and others for what can't be one."""
        fields = hit["fields"]
        for_urls = fields["forward"][0]  # as base64 without padding
        packed = a2b_base64(for_urls.replace("-", "+").replace("_", "/") + "==")
        part = str(fields["part"][0]) if "part" in fields else ""
        url, site = str(fields["url"][0]), str(fields["site"][0])
        return cls(hit["_id"], int(hit["_version"]), part, url, site, fields, packed)

    def values(self, field: str) -> Iterator[str]:
        """Yield its values of an exact field."""
        return map(str, self.fields.get(_NAMES[field], ()))


class _Buffer:
    """Lists, one behind the other, as a file has them."""

    def __init__(self) -> None:
        self._content = bytearray()

    def add(self, pieces: Sequence[bytes]) -> tuple[int, int]:
        """Add a list; return where it begins, and its bytes."""
        start = len(self._content)
        self._content += b"".join(pieces)
        return start, len(self._content) - start

    def read(self, start: int, length: int) -> bytes:
        """Return so many bytes from a place on."""
        return bytes(self._content[start : start + length])


class CandidateWords:
    """The dictionary of some candidates: the lists of a word are joined when they are first asked for."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._candidates, self.records = candidates, ForwardRecords([one.forward for one in candidates])
        self.postings, self.positions = _Buffer(), _Buffer()
        self._exact: dict[str, dict[bytes, list[int]]] = {}
        self._joining = threading.Lock()
        self._known: dict[bytes, list[tuple[IndexField, TermEntry]]] = {}

    def entries(self, word: str) -> list[tuple[IndexField, TermEntry]]:
        """Return where the lists of a word are, by the fields that have it, in their order."""
        return self._entries(word.encode("utf-8", "backslashreplace"))

    def entry(self, key: bytes) -> TermEntry | None:
        """Return where the list of a term is, by its key in a dictionary."""
        if key >= AFTER_EXACT:
            word, field = key[: -len(BEFORE_FIELD) - 1], WORD_FIELDS[key[-1:]]
            return next((entry for name, entry in self._entries(word) if name is field), None)
        numbers = self._keys(EXACT_FIELDS[key[0]]).get(key, [])
        return self._written(numbers, [b"\1"] * len(numbers), []) if numbers else None

    def exact_terms(self, field: str, beginning: str = "") -> list[str]:
        """Return the terms of an exact field that begin so, in order."""
        start = term_key(field, beginning)
        return [key[1:].decode() for key in sorted(self._keys(field)) if key.startswith(start)]

    def _entries(self, word: bytes) -> list[tuple[IndexField, TermEntry]]:
        with self._joining:
            if word not in self._known:
                self._known[word] = self._joined(word)
            return self._known[word]

    def _joined(self, word: bytes) -> list[tuple[IndexField, TermEntry]]:
        return [(field, self._written(*lists)) for field, lists in self.records.lists_of(word)]

    def _keys(self, field: str) -> dict[bytes, list[int]]:
        """Return the keys of an exact field, each with the candidates that have it."""
        if field not in self._exact:
            found: dict[bytes, list[int]] = {}
            for number, one in enumerate(self._candidates):
                for value in one.values(field):
                    found.setdefault(term_key(field, value), []).append(number)
            self._exact[field] = found
        return self._exact[field]

    def _written(self, numbers: Sequence[int], frequencies: Sequence[bytes], positions: Sequence[bytes]) -> TermEntry:
        steps = [_STEPS[there - here] for here, there in pairwise(numbers)]
        pieces = [frequencies[0], *(piece for pair in zip(steps, frequencies[1:], strict=True) for piece in pair)]
        return TermEntry(
            len(numbers), numbers[0], numbers[-1], self.postings.add(pieces), self.positions.add(positions)
        )


class CandidateFile(SegmentReader):
    """Candidates as a segment, numbered as they come. `forms` tells the words of a form, `record` what is shown.

    Raises CorruptIndex for a record that can't be what was written.
    """

    def __init__(
        self,
        address: IndexAddress,
        candidates: Sequence[Candidate],
        forms: Callable[[str], tuple[str, ...]],
        record: Callable[[int], bytes],
    ) -> None:
        self._address, self._words_of, self._record_of = address, forms, record
        self.name, self.count, self.is_damaged = str(address), len(candidates), False
        self.index_folder = Path(candidates[0].part) if candidates else Path()  # clusters are those of a part
        with self._checked():
            words = CandidateWords(candidates)
        # Of another class than a file's, and asked in the same way: the types of a segment's parts are no protocols.
        self._dictionary, self._postings, self._positions = words, words.postings, words.positions  # type: ignore[assignment]
        self._columns = {}
        self._rows = words.records.columns

    def _damage(self, error: Exception) -> CorruptIndex:
        return CorruptIndex(self._address, f"a record of a page: {type(error).__name__}: {error}")

    def forms(self, key: str) -> tuple[str, ...]:
        """Return the words of the whole index that have a form."""
        return self._words_of(key)

    def column(self, name: str) -> NDArray[Any]:
        """Return a column: a number for each document."""
        if name not in self._columns:
            self._columns[name] = np.ascontiguousarray(self._rows[name])
        return self._columns[name]

    def record(self, number: int) -> bytes:
        """Return the packed record of a document."""
        return self._record_of(number)

    def stored(self, number: int) -> StoredFields:
        """Return the record of a document."""
        packed = self._record_of(number)
        with self._checked():
            return StoredFields.unpack(packed)
