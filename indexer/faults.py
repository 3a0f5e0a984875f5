"""The faults of an index. Each error says what was found and what to do.

    IndexFault
    ├── NoIndex             nothing has been indexed into this folder yet
    ├── IndexLocked         another process writes the index
    ├── CorruptIndex        it cannot be read: it is damaged, or of another version
    │   └── OutdatedIndex   of an earlier version: a writer rebuilds it
    ├── IndexUnreachable    its cluster does not respond
    ├── IndexRefuses        its cluster accepts no pages now: it is full or read-only
    ├── IndexTaken          another index, or that of another crawl, has its name
    ├── NotInForeignIndex   an index that another program wrote lacks something
    └── OtherCrawl          the crawl database next to it is empty, or of another crawl

An index can always be rebuilt from the crawl database, so the remedy is always the same command. A fault names the
index by its folder, or by an address without password (remote.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urls.rules import FIRST_CRAWL

if TYPE_CHECKING:
    from pathlib import Path

UPDATE = "./breadcrumb index"
REBUILD = "./breadcrumb index --rebuild"


class IndexFault(Exception):
    """An index cannot be used as requested."""


class NoIndex(IndexFault):
    """Nothing has been indexed into `folder`, or at an address."""

    def __init__(self, folder: object) -> None:
        self.folder = folder
        super().__init__(
            f"{folder}: there is no index here yet. Crawl something first: {FIRST_CRAWL} "
            f"(or, if pages were crawled already: {UPDATE})"
        )


class IndexLocked(IndexFault):
    """Another process writes the index; `pid` is its number if known."""

    def __init__(self, folder: Path, pid: int | None) -> None:
        self.pid = pid
        holder = f"process {pid}" if pid else "another process"
        super().__init__(
            f"{folder}: {holder} is writing this index, and an index has only one writer at a time. "
            f"Wait until it ends, or stop it{f' with: kill {pid}' if pid else ''}"
        )


class CorruptIndex(IndexFault):
    """The files of the index in `folder`, or the data at an address, are inconsistent."""

    def __init__(self, folder: object, finding: str) -> None:
        self.folder = folder
        super().__init__(f"{folder}: the index cannot be read ({finding}). Rebuild it with: {REBUILD}")


class OutdatedIndex(CorruptIndex):
    """The index in `folder` was written by an earlier version of Breadcrumb."""


class OtherCrawl(IndexFault):
    """The crawl database next to the index at `place` is not the indexed one; `remedy` says what to do."""

    def __init__(self, place: object, finding: str, remedy: str) -> None:
        super().__init__(
            f"{place}: the index was left as it is, since {finding}. Restore the right crawl.sqlite3 "
            f"(docs/operations.md, Backup and restore), or {remedy}"
        )


class NotInForeignIndex(IndexFault):
    """An index that another program wrote lacks something; the message says what has it."""


class IndexUnreachable(IndexFault):
    """No node of the cluster at `address` responds."""

    def __init__(self, address: object, finding: str) -> None:
        super().__init__(
            f"{address}: the cluster does not respond ({finding}). The crawled pages wait in the crawl database; "
            f"when the cluster is back, {UPDATE} adds them"
        )


class IndexRefuses(IndexFault):
    """The cluster at `address` accepts no pages for this index."""

    def __init__(self, address: object, finding: str) -> None:
        super().__init__(
            f"{address}: the cluster accepts no pages now ({finding}). Free space on its disks, or make the index "
            "writable (index.blocks in its settings, cluster.blocks in those of the cluster). "
            f"Then {UPDATE} adds the crawled pages: none is lost"
        )


class IndexTaken(IndexFault):
    """The cluster has another index under this name."""

    def __init__(self, address: object, finding: str) -> None:
        super().__init__(f"{address}: this name is taken: {finding}. Give INDEX another name")
