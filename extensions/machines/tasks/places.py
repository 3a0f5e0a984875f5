"""Where do the parts lie on which a job works? In a data folder, side by side, or in shared storage.

A job asks each part, and changes each part; it never learns where that is done. Questions and changes are functions of
a part's folder that can be sent to another process. An index that lies in the folder is brought up with it; one in a
cluster follows what holds already, as that of a crawl does (part_index.py).
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
    """What a job does to a part: `work` to its folder, and then `index` to its index, wherever that is kept."""

    work: Callable[[Path], Any] = bool
    index: Callable[[Path], Any] = bool


class PartsPlace(Protocol):
    """All parts of a crawl. It can be sent to another process."""

    @property
    def store(self) -> str:
        """Where they are kept."""

    @property
    def parts(self) -> tuple[Partition, ...]:
        """The parts, in their order."""

    def ask(self, part: Partition, question: Callable[[Path], Answer]) -> Answer:
        """Return what a question says of the folder of a part, as it was last put back."""

    def change(self, part: Partition, change: PartChange) -> Any:
        """Let nobody else work on a part; return what the work did, which holds then."""


@dataclass(frozen=True, slots=True)
class PartsInFolder:
    """The parts of the divided crawl in a data folder, worked on in their places."""

    data_dir: Path

    @property
    def store(self) -> str:
        """The data folder."""
        return str(self.data_dir)

    @property
    def parts(self) -> tuple[Partition, ...]:
        """The parts, in their order."""
        return parts_in(self.data_dir)

    def ask(self, part: Partition, question: Callable[[Path], Answer]) -> Answer:
        """Return what a question says of a part. Raises `DatabaseError` where the part is missing."""
        check_there(self.data_dir, part)
        return question(folder_of(self.data_dir, part))

    def change(self, part: Partition, change: PartChange) -> Any:
        """Hold the folder as a crawl does. Raises `FolderInUse` where one runs, `DatabaseError` where it is missing."""
        check_there(self.data_dir, part)
        folder = folder_of(self.data_dir, part)
        lock = CrawlLock(folder)
        try:
            answer = change.work(folder)
            change.index(folder)
            return answer
        finally:
            lock.release()
