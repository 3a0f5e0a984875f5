"""Where are the parts on which a job works? In a data folder, side by side, or in shared storage.

A job reads and changes each part, and never learns where that is done. Its queries and changes are functions of a
part's folder that can be sent to another process. An index in the folder is updated with it. An index in a cluster
follows after the commit, as that of a crawl does (part_index.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from crawldb.lock import CrawlLock
from crawldb.parts.division import check_there, folder_of, parts_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crawldb.parts.partition import Partition

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class PartChange:
    """The change of a part by a job: `work` changes its folder, and then `index` its index, wherever that is kept."""

    work: Callable[[Path], Any] = bool
    index: Callable[[Path], Any] = bool


class PartsPlace(Protocol):
    """All parts of a crawl. Can be sent to another process."""

    @property
    def store(self) -> str:
        """Where they are kept."""

    @property
    def parts(self) -> tuple[Partition, ...]:
        """The parts, by number."""

    def ask(self, part: Partition, question: Callable[[Path], Answer]) -> Answer:
        """Return the result of `question` for the folder of a part, as it was last put back."""

    def change(self, part: Partition, change: PartChange) -> Any:
        """Change a part while no other process works on it; return the result of the work, which is then stored."""


@dataclass(frozen=True, slots=True)
class PartsInFolder:
    """The parts of the divided crawl in a data folder, changed in place."""

    data_dir: Path

    @property
    def store(self) -> str:
        """The data folder."""
        return str(self.data_dir)

    @property
    def parts(self) -> tuple[Partition, ...]:
        """The parts, by number."""
        return parts_in(self.data_dir)

    def ask(self, part: Partition, question: Callable[[Path], Answer]) -> Answer:
        """Return the result of `question` for a part. Raises `DatabaseError` if the part is missing."""
        check_there(self.data_dir, part)
        return question(folder_of(self.data_dir, part))

    def change(self, part: Partition, change: PartChange) -> Any:
        """Lock the folder as a crawl does. Raises `FolderInUse` if one runs, `DatabaseError` if the part is missing."""
        check_there(self.data_dir, part)
        folder = folder_of(self.data_dir, part)
        lock = CrawlLock(folder)
        try:
            answer = change.work(folder)
            change.index(folder)
            return answer
        finally:
            lock.release()
