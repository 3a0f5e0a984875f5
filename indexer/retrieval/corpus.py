"""Which pages does a search go through? Those of one index, or of the indexes of a divided crawl's parts as if of one.

A segment is part of an index already, and the ranking sums over segments: pages, pages with a term, lengths. So the
segments of all parts are laid side by side, and each score, with its explanation, is what one index of all pages
would give. Nothing is merged afterwards, and nobody has to compare scores that come from different collections.

A part that can't be read is left out of a search, which says so: its pages and their statistics are those of nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from indexer.faults import IndexFault, NoIndex
from indexer.retrieval.results import PartState
from indexer.retrieval.snapshot import IndexReader, Snapshot
from indexer.segments.generation import CURRENT_FILE, Generation, index_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from crawldb.parts.partition import Partition
    from indexer.faults import CorruptIndex
    from indexer.segments.schema import IndexField


class UnreadablePart(Exception):  # a fault is the field's word, as in indexer/faults.py
    """A part of a divided crawl turned out to be unreadable while it was searched."""

    def __init__(self, number: int, reason: Exception) -> None:
        super().__init__(str(reason))
        self.number = number
        self.reason = reason


class Corpus(Protocol):
    """What is searched."""

    def current(self, out: Mapping[int, Exception]) -> Snapshot:
        """Return what a search looks at now, without the parts that are `out`. Raises NoIndex, CorruptIndex."""

    def part_of(self, damage: CorruptIndex) -> int:
        """Return the number of the part whose index turned out to be damaged; 0 where nothing else could answer."""


def corpus_in(data_dir: Path, weights: Mapping[IndexField, float]) -> Corpus:
    """Return what a search in a data folder goes through."""
    whole = OneIndex(IndexReader(data_dir, weights))
    if (index_folder(data_dir) / CURRENT_FILE).exists():
        return whole
    from crawldb.parts.division import folder_of, parts_in  # noqa: PLC0415 - it needs SQLite, an index not

    readers = {part: IndexReader(folder_of(data_dir, part), weights, part.number) for part in parts_in(data_dir)}
    return SeveralIndexes(readers) if readers else whole


class OneIndex:
    """One index."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader

    def current(self, out: Mapping[int, Exception]) -> Snapshot:  # noqa: ARG002 - it has no parts
        """Return the current generation."""
        return self._reader.current()

    def part_of(self, damage: CorruptIndex) -> int:  # noqa: ARG002 - as above
        """Return 0."""
        return 0


class SeveralIndexes:
    """The indexes of the parts of a divided crawl."""

    def __init__(self, readers: Mapping[Partition, IndexReader]) -> None:
        self._readers = readers
        self._joined: tuple[object, Snapshot] | None = None

    def current(self, out: Mapping[int, Exception]) -> Snapshot:
        """Return the current generations of all parts that can be read. Raises a part's fault where none can."""
        found: dict[Partition, Snapshot] = {}
        faults: dict[Partition, Exception] = {}
        for part, reader in self._readers.items():
            if part.number in out:
                faults[part] = out[part.number]
                continue
            try:
                found[part] = reader.current()
            except (IndexFault, OSError) as fault:
                faults[part] = fault
        if not found:  # a part that is damaged says more than one that is empty yet
            raise min(faults.values(), key=lambda fault: isinstance(fault, NoIndex))
        return self._together(found, faults)

    def part_of(self, damage: CorruptIndex) -> int:
        """Return the number of the part whose index is damaged."""
        return next((part.number for part, reader in self._readers.items() if reader.folder == damage.folder), 0)

    def _together(self, found: Mapping[Partition, Snapshot], faults: Mapping[Partition, Exception]) -> Snapshot:
        told = {part: _why(fault) for part, fault in faults.items()}
        same = (dict(found), told)
        known = self._joined
        if known is None or known[0] != same:  # summing up the lengths of all pages is not for each search
            known = self._joined = (same, joined_snapshot(found, told))
        return known[1]


def _why(fault: Exception) -> str:
    """Return why a part is not searched; of one without an index, what makes one in the folder of all parts."""
    if isinstance(fault, NoIndex):
        return f"{fault.folder}: there is no index here yet; ./breadcrumb farm or ./breadcrumb index makes it"
    return str(fault)


def joined_snapshot(found: Mapping[Partition, Snapshot], faults: Mapping[Partition, str]) -> Snapshot:
    """Return the snapshots of several parts as one; its number is the sum of theirs, its time the oldest."""
    generations = [snapshot.generation for snapshot in found.values()]
    standings = [
        PartState(part, snapshot.generation.number, snapshot.generation.committed_at, snapshot.pages)
        for part, snapshot in found.items()
    ]
    standings += [PartState(part, fault=fault) for part, fault in faults.items()]
    return Snapshot(
        Generation(
            number=sum(each.number for each in generations),
            position=sum(each.position for each in generations),
            documents=sum(each.documents for each in generations),
            committed_at=min(each.committed_at for each in generations),
        ),
        tuple(view for snapshot in found.values() for view in snapshot.views),
        frozenset().union(*(snapshot.languages for snapshot in found.values())),
        tuple(sorted(standings, key=lambda standing: standing.part.number)),
    )
