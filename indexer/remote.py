"""How can an index be kept elsewhere than in the data folder? By an engine that an extension adds.

INDEX names the index by an address, whose scheme says which engine keeps it (indexer/address.py). All that the rooms do
with such an index they do through the methods here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.ranking.weights import Formula
    from indexer.retrieval.corpus import Visibility
    from indexer.retrieval.searcher import Searcher
    from indexer.writing.closing import CommittingWriter


class FollowedCrawl(Protocol):
    """How far an index has followed a crawl: the row of the feed, and the identity of the crawl database, or ""."""

    @property
    def position(self) -> int:
        """The last row of the feed that is committed."""

    @property
    def crawl(self) -> str:
        """The identity of the crawl database that was followed."""


class RemoteIndex(Protocol):
    """An index at an address. As text it is the address, without a password.

    Each method raises IndexFault and its kinds (indexer/faults.py), also where the engine's client is not installed.
    """

    def open_searcher(self, visibility: Visibility, formula: Formula) -> Searcher:
        """Open it for searching."""

    def open_writer(self, data_dir: Path, *, rebuild: bool) -> CommittingWriter:
        """Open it for writing what a data folder has crawled; with `rebuild` everything is put anew."""

    def committed(self, data_dir: Path) -> FollowedCrawl:
        """Return how far it has followed a data folder. Raises NoIndex, OutdatedIndex."""

    def check_name(self, data_dir: Path, *, in_parts: bool) -> None:
        """Raise IndexTaken where something else has its name than what this folder's crawl writes."""

    def check(self, data_dir: Path) -> None:
        """Raise NoIndex, CorruptIndex or another fault of an index that can't be searched as it is."""

    def delete(self, data_dir: Path) -> None:
        """Delete what a data folder has in it. Raises IndexLocked while a process writes it."""

    def snapshot(self, repository: str) -> str:
        """Keep it in a repository for snapshots; return under which name it is there."""


@dataclass(frozen=True, slots=True)
class IndexEngine:
    """An engine that keeps indexes elsewhere.

    `schemes` begin its addresses. `read` makes an index of an address, or raises ValueError with a reason that repeats
    no password; it asks nobody. `places` completes the sentence “an index is kept …”, and `example` is an address.
    """

    schemes: tuple[str, ...]
    read: Callable[[str], RemoteIndex]
    places: str
    example: str
