"""How does a page get into the index? It is put, then committed; before the commit no search sees it.

`CommittingWriter` is what a writer of any engine does. `IndexWriter` writes the index of a data folder: `builder.py`
makes segments of pages, and a commit names them.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from contextlib import suppress
from secrets import token_hex
from typing import TYPE_CHECKING, Self
from zlib import crc32

from crawldb.folders import make_folder, sync_to_disk
from indexer.faults import CorruptIndex, NoIndex
from indexer.segments.directory import checksum, write_durably
from indexer.segments.generation import (
    CURRENT_FILE,
    Generation,
    WriterLock,
    contents_name,
    index_folder,
    next_build,
    read_generation,
    sweep,
)
from indexer.segments.link_ranks import RANKS_SUFFIX, GraphState, read_link_ranks
from indexer.segments.segment import read_segments, write_contents
from indexer.writing.builder import SegmentBuilder

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from indexer.segments.link_ranks import LinkRanks
    from urls.records import Page


class CommittingWriter(ABC):
    """Writes an index. Use it in a `with` block, or close it: closing drops what was not committed.

    `crawl` is the identity of the crawl database whose feed it follows; a commit keeps it.
    """

    crawl = ""

    @property
    @abstractmethod
    def position(self) -> int:
        """The last row of the feed that is committed."""

    @property
    @abstractmethod
    def graph(self) -> GraphState:
        """The state of the link graph of the ranks that the next commit has."""

    @property
    @abstractmethod
    def documents(self) -> int:
        """The number of pages in the index, as of the last commit; for a part of a crawl, its own pages."""

    @abstractmethod
    def put(self, page: Page, seq: int = 0) -> None:
        """Add a page, or replace an older one with the same URL; `seq` is its number in the feed."""

    @abstractmethod
    def remove(self, url: str, seq: int = 0) -> None:
        """Remove a page. A URL that is not in the index is no error."""

    @abstractmethod
    def put_ranks(self, ranks: LinkRanks) -> None:
        """Replace PageRank and link counts of all pages."""

    @abstractmethod
    def commit(self, position: int | None = None, *, ending: bool = False) -> None:
        """Make all changes durable and visible; `position` is the row of the feed that they reach.

        `ending`: no more changes come.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the index. Changes that were not committed are lost."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self.close()


class IndexWriter(CommittingWriter):
    """Writes the index of a data folder, one writer at a time. Use it in a `with` block, or close it.

    Raises IndexLocked if another process writes, and CorruptIndex. With `rebuild` it starts empty in a folder of its
    own, and its first commit replaces the old index.
    """

    position = 0
    graph = GraphState()

    def __init__(self, data_dir: Path, *, rebuild: bool = False) -> None:
        self._folder = index_folder(data_dir)
        make_folder(self._folder)
        self._lock = WriterLock(self._folder)
        try:
            self._open(rebuild=rebuild)
        except BaseException:
            self._lock.release()
            raise

    def _open(self, *, rebuild: bool) -> None:
        replaceable = (NoIndex, CorruptIndex) if rebuild else NoIndex
        try:
            self._generation = read_generation(self._folder)
        except replaceable:
            self._generation = Generation()
        committed = self._generation if self._generation.number else None
        sweep(self._folder, committed)
        self._build = next_build(self._folder) if rebuild else self._generation.build
        (self._folder / self._build).mkdir(exist_ok=True)
        build = self._folder / self._build
        known = read_segments(self._folder, self._generation) if committed and not rebuild else ((), None)
        self.builder = SegmentBuilder(build, *known)
        self._ranks = {} if rebuild else self._generation.ranks
        self.graph = read_link_ranks(build, self._ranks).state
        self._changed = rebuild or committed is None
        self.position = 0 if rebuild else self._generation.position

    def put(self, page: Page, seq: int = 0) -> None:  # noqa: ARG002 - the only writer: the last put is the newest
        """Add a page, or replace the one with the same URL; `seq` is its number in the feed."""
        self.builder.put(page)

    def remove(self, url: str, seq: int = 0) -> None:  # noqa: ARG002 - see `put`
        """Remove a page. A URL that is not in the index is no error."""
        self.builder.remove(url)

    def put_ranks(self, ranks: LinkRanks) -> None:
        """Replace PageRank and link counts of all pages; no page is written again."""
        name, content = f"{token_hex(8)}{RANKS_SUFFIX}", ranks.dump()
        self.builder.storage.write(name, content)
        self._ranks, self.graph, self._changed = {name: crc32(content)}, ranks.state, True

    def commit(self, position: int | None = None, *, ending: bool = False) -> None:
        """Make all changes durable and visible; `position` is the row of the feed that they reach.

        With `ending` small segments are merged as well: each costs every query a look-up.
        """
        self.builder.flush()
        self.builder.merge(ending=ending)
        wanted = self.position if position is None else position
        if not (self._changed or self.builder.changed) and wanted == self._generation.position:
            return
        self._publish(wanted)

    def _publish(self, position: int) -> None:
        number = self._generation.number + 1
        write_contents(self.builder.storage, self.builder.segments, number)
        contents = contents_name(number)
        files = self.builder.files
        following = Generation(
            number=number,
            build=self._build,
            position=position,
            documents=self.documents,
            committed_at=time.time(),
            files={name: file.size for name, file in files.items()},
            sums={name: file.root for name, file in files.items()},
            contents={contents: checksum(self._folder / self._build / contents)},
            ranks=self._ranks,
            crawl=self.crawl or self._generation.crawl,
        )
        self.builder.storage.sync()
        sync_to_disk(self._folder)
        write_durably(self._folder / CURRENT_FILE, following.dump())  # this is the commit
        self._generation, self.position, self._changed = following, position, False
        self.builder.changed = False
        self.builder.close_others()
        sweep(self._folder, following)

    @property
    def documents(self) -> int:
        """The number of pages in the segments, committed or not."""
        return self.builder.documents

    def close(self) -> None:
        """Close the index. Changes that were not committed are lost, and take no room: the disk may be full."""
        self.builder.close()
        try:
            with suppress(FileNotFoundError):  # of an index that was deleted, nothing is left over
                sweep(self._folder, _committed(self._folder))
        finally:
            self._lock.release()


def _committed(folder: Path) -> Generation | None:
    """Return the generation on the disk, where a commit may have failed at any step; None if none can be read."""
    try:
        return read_generation(folder)
    except (NoIndex, CorruptIndex):
        return None
