"""What can be wrong with an index? Each error says what was found and what would work.

    IndexFault
    ├── NoIndex       nothing was indexed into this folder yet
    ├── IndexLocked   another process writes into it
    ├── CorruptIndex  it cannot be read: damaged, or made by another version
    │   └── OutdatedIndex   made by an earlier version: a writer makes it anew
    ├── IndexUnreachable    its cluster does not answer
    ├── IndexRefuses        its cluster takes nothing now: no room, or it is read-only
    ├── IndexTaken    what has its name is something else, or of another crawl
    ├── UnreadableWhoosh    a folder that Whoosh wrote can't be opened, or not safely
    ├── NotInWhoosh   what was asked for needs the engine's own index or crawl database
    └── OtherCrawl    the crawl database beside it is empty, or is that of another crawl

An index holds nothing that cannot be made again from the crawl database, so the cure is always the same command.
A fault names the index by its folder, or by an address that has no password as text (indexer/remote.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

REBUILD = "./breadcrumb index --rebuild"


class IndexFault(Exception):
    """An index that cannot be used as asked."""


class NoIndex(IndexFault):
    """Nothing has been indexed into `folder`, or at an address."""

    def __init__(self, folder: object) -> None:
        self.folder = folder
        super().__init__(
            f"{folder}: there is no index here yet. Crawl something first: ./breadcrumb crawl site -a seeds=URL "
            f"(or, where pages were crawled already: ./breadcrumb index)"
        )


class IndexLocked(IndexFault):
    """Another process writes the index; `pid` is its number where it is known."""

    def __init__(self, folder: Path, pid: int | None) -> None:
        self.pid = pid
        holder = f"process {pid}" if pid else "another process"
        super().__init__(
            f"{folder}: {holder} is writing this index, and an index has one writer at a time. "
            f"Wait until it ends, or stop it{f' with: kill {pid}' if pid else ''}"
        )


class CorruptIndex(IndexFault):
    """The files of the index in `folder`, or what is at an address, do not fit together."""

    def __init__(self, folder: object, finding: str) -> None:
        self.folder = folder
        super().__init__(f"{folder}: the index cannot be read ({finding}). Make it again with: {REBUILD}")


class OutdatedIndex(CorruptIndex):
    """The index in `folder` is of an earlier Breadcrumb."""


class OtherCrawl(IndexFault):
    """The crawl database beside the index at `place` is not the one that was indexed; `cure` is what would work."""

    def __init__(self, place: object, finding: str, cure: str) -> None:
        super().__init__(
            f"{place}: the index was left as it is, since {finding}. Put the right crawl.sqlite3 back "
            f"(docs/operations.md, Backup and restore), or {cure}"
        )


class UnreadableWhoosh(IndexFault):
    """The Whoosh index in `folder` is not opened, or a setting about it says nothing; `cure` is what would work."""

    def __init__(self, folder: Path | None, finding: str, cure: str) -> None:
        super().__init__(
            f"{folder}: the Whoosh index is not opened: {finding}. {cure}" if folder else f"{finding}: {cure}"
        )


class NotInWhoosh(IndexFault):
    """Something that a Whoosh folder does not have; the message says what has it."""


class IndexUnreachable(IndexFault):
    """No node of the cluster at `address` answers, or none can answer now."""

    def __init__(self, address: object, finding: str) -> None:
        super().__init__(
            f"{address}: the cluster does not answer ({finding}). What was crawled waits in the crawl database; "
            "when the cluster is there again, ./breadcrumb index goes on"
        )


class IndexRefuses(IndexFault):
    """The cluster at `address` takes nothing into this index."""

    def __init__(self, address: object, finding: str) -> None:
        super().__init__(
            f"{address}: the cluster takes no pages now ({finding}). Make room on its disks, or the index writable "
            f"(index.blocks in its settings, cluster.blocks in those of the cluster); then ./breadcrumb index goes on: "
            "nothing crawled is lost"
        )


class IndexTaken(IndexFault):
    """What the cluster has under this name is not the index of this crawl."""

    def __init__(self, address: object, finding: str) -> None:
        super().__init__(f"{address}: this name is taken: {finding}. Give INDEX another name")
