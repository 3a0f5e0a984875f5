"""What does one search look at? One generation: its segments, without the deleted pages, and their statistics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.segments.document import FIELDS, Field
from indexer.segments.schema import LANGUAGE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crawldb.frontier.partition.rendezvous import Partition
    from indexer.segments.generation import Generation
    from indexer.segments.segment import SegmentFile


@dataclass(frozen=True, slots=True)
class View:
    """A segment as of one generation."""

    file: SegmentFile
    lengths: Sequence[float]  # weighted, by document number
    deleted: frozenset[int]
    part: int = 0  # of a divided crawl, whose segment it is; 0: nothing is divided

    @property
    def live(self) -> int:
        """Pages that are not deleted."""
        return self.file.count - len(self.deleted)


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the index of one part of a divided crawl is, or why it is not searched."""

    part: Partition
    generation: int = 0
    as_of: float = 0.0  # seconds since the epoch: its last commit
    documents: int = 0
    fault: str = ""  # empty: it is searched

    def __str__(self) -> str:
        return f"Part {self.part} is not searched: {self.fault}" if self.fault else f"Part {self.part} is searched"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A generation, open for searching; it never changes, and threads may share it.

    Of a divided crawl it has the segments of all `parts` side by side.
    """

    generation: Generation
    views: tuple[View, ...]
    languages: frozenset[str] = frozenset()
    parts: tuple[Standing, ...] = ()
    pages: int = field(init=False)
    mean_length: float = field(init=False)

    def __post_init__(self) -> None:
        pages = sum(view.live for view in self.views)
        total = sum(sum(view.lengths) - sum(view.lengths[number] for number in view.deleted) for view in self.views)
        object.__setattr__(self, "pages", pages)
        object.__setattr__(self, "mean_length", total / pages if pages else 0.0)


def weighted_lengths(file: SegmentFile, weights: Mapping[Field, float]) -> list[float]:
    """Return the length of every page of a segment as the ranking sees it."""
    total = [0.0] * file.count
    for name in FIELDS:
        weight = weights[name]
        if weight:
            total = [sum_ + weight * length for sum_, length in zip(total, file.lengths(name), strict=True)]
    return total


def languages_of(files: Sequence[SegmentFile]) -> frozenset[str]:
    """Return the languages of the pages in the segments; the empty one stands for pages of unknown language."""
    return frozenset(language for file in files for language in file.terms(LANGUAGE))
