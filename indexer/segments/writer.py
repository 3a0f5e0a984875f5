"""How does a page get into the index? Put, then committed: until then searches do not see it, and a crash forgets it.

Pages wait in memory under their URL, so that the last one put counts. When they are many they become a segment that
no generation names yet; a commit names it. When a page is replaced, its old copy is marked as deleted: the term
dictionary of the `url` field finds it with one look into each segment, whatever their size.
"""

from __future__ import annotations

import dataclasses
import shutil
import time
from typing import TYPE_CHECKING, Self

from crawldb.database import make_folder
from indexer.faults import CorruptIndex, NoIndex
from indexer.segments.generation import (
    CURRENT_FILE,
    Generation,
    WriterLock,
    check_files,
    contents_name,
    index_folder,
    next_build,
    read_generation,
    sweep,
)
from indexer.segments.inversion import merge_segments, write_segment
from indexer.segments.merge_policy import Weight, choose_merge
from indexer.segments.schema import URL, document_of
from indexer.segments.segment import Segment, SegmentFile, read_contents, write_contents
from indexer.segments.storage import DurableStorage, checksum, sync_folder, write_durably

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from urls.records import Page

MAX_WAITING_PAGES = 2_000  # then they become a segment
MAX_WAITING_CHARS = 32_000_000  # of text; inverted they take about ten times as many bytes


class IndexWriter:
    """Writes the index of a data folder; one at a time. Use it in a `with` block, or close it.

    Raises IndexLocked where another process writes, CorruptIndex where the index cannot be read. With `rebuild` it
    starts empty in a folder of its own, and the first commit puts that in the place of the old index at once.
    """

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
        self._generation = self._last_generation(readable=not rebuild)
        committed = self._generation if self._generation.number else None
        sweep(self._folder, committed)
        self._build = next_build(self._folder) if rebuild else self._generation.build
        (self._folder / self._build).mkdir(exist_ok=True)
        self._storage = DurableStorage(self._folder / self._build)
        self._segments: list[Segment] = []
        self._files: dict[str, SegmentFile] = {}
        self._waiting: dict[str, Page | None] = {}  # None: to be removed
        self._waiting_chars = 0
        self._changed = rebuild or committed is None
        if committed and not rebuild:
            self._load(committed)
        self.position = 0 if rebuild else self._generation.position

    def _last_generation(self, *, readable: bool) -> Generation:
        try:
            return read_generation(self._folder)
        except NoIndex:
            return Generation()
        except CorruptIndex:
            if readable:
                raise
            return Generation()

    def _load(self, generation: Generation) -> None:
        self._segments, self._files = read_segments(self._folder, generation)

    def put(self, page: Page) -> None:
        """Add a page, or put it in the place of the one with the same URL."""
        self._wait(page.url, dataclasses.replace(page, body=b"", links=()))  # neither is indexed: let them go
        if len(self._waiting) >= MAX_WAITING_PAGES or self._waiting_chars >= MAX_WAITING_CHARS:
            self._flush()

    def remove(self, url: str) -> None:
        """Take a page out. A URL that is not in the index is no error."""
        self._wait(url, None)

    def _wait(self, url: str, page: Page | None) -> None:
        before = self._waiting.pop(url, None)  # a URL's latest change is also the last in order
        self._waiting_chars += len(page.text if page else "") - len(before.text if before else "")
        self._waiting[url] = page

    def commit(self, position: int | None = None) -> None:
        """Make everything so far durable and visible; `position` is the feed's row up to which that is everything."""
        self._flush()
        self._merge()
        wanted = self.position if position is None else position
        if not self._changed and wanted == self._generation.position:
            return
        self._publish(wanted)

    def _flush(self) -> None:
        """Write what waits into a segment that no generation names yet."""
        pages = [page for page in self._waiting.values() if page is not None]
        written = write_segment(self._storage, map(document_of, pages)) if pages else None
        for url in self._waiting:
            self._delete(url)
        if written is not None:
            self._segments.append(written)
            self._changed = True
        self._waiting.clear()
        self._waiting_chars = 0

    def _delete(self, url: str) -> None:
        for segment in self._segments:
            for number in self._file(segment).documents(URL, url):
                if number not in segment.deleted:
                    segment.deleted.add(number)
                    self._changed = True

    def _merge(self) -> None:
        while places := choose_merge([self._weight(segment) for segment in self._segments]):
            chosen = [self._segments[place] for place in places]
            sources = [(self._file(segment), segment.deleted) for segment in chosen]
            kept = [segment for segment in self._segments if segment not in chosen]
            if any(file.count > len(deleted) for file, deleted in sources):
                kept.append(merge_segments(self._storage, sources))
            self._segments = kept
            self._changed = True

    def _publish(self, position: int) -> None:
        number = self._generation.number + 1
        write_contents(self._storage, self._segments, number)
        contents = contents_name(number)
        files = {segment.file_name: self._file(segment) for segment in self._segments}
        following = Generation(
            number=number,
            build=self._build,
            position=position,
            documents=self.documents,
            committed_at=time.time(),
            files={name: file.size for name, file in files.items()},
            sums={name: file.root for name, file in files.items()},
            contents={contents: checksum(self._folder / self._build / contents)},
        )
        self._storage.sync()
        sync_folder(self._folder)
        write_durably(self._folder / CURRENT_FILE, following.dump())  # this is the commit
        self._generation, self.position, self._changed = following, position, False
        self._files = {segment.name: self._file(segment) for segment in self._segments}
        sweep(self._folder, following)

    @property
    def documents(self) -> int:
        """Pages in the segments written so far, committed or not."""
        return sum(self._weight(segment).live for segment in self._segments)

    def _file(self, segment: Segment) -> SegmentFile:
        if segment.name not in self._files:
            self._files[segment.name] = SegmentFile(self._folder / self._build, segment)
        return self._files[segment.name]

    def _weight(self, segment: Segment) -> Weight:
        return Weight(segment.count, len(segment.deleted), self._file(segment).size)

    def close(self) -> None:
        """Let the index go. What was not committed is forgotten."""
        self._waiting.clear()
        self._files.clear()
        self._lock.release()

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


def read_segments(folder: Path, generation: Generation) -> tuple[list[Segment], dict[str, SegmentFile]]:
    """Read every bit of a generation: what is damaged must not be merged into what is sound. Raises CorruptIndex."""
    build = folder / generation.build
    try:
        check_files(folder, generation)
        segments = read_contents(build, generation)
        files = {one.name: SegmentFile(build, one, generation.sums[one.file_name]) for one in segments}
    except FileNotFoundError as error:
        raise CorruptIndex(folder, f"{error.filename} is missing") from error
    for file in files.values():
        file.check()
    return segments, files


def check_index_files(data_dir: Path) -> None:
    """Read every bit of an index. Raises NoIndex, CorruptIndex."""
    folder = index_folder(data_dir)
    read_segments(folder, read_generation(folder))


def delete_index_files(data_dir: Path) -> None:
    """Delete the index of a data folder. Raises IndexLocked while a process writes it."""
    folder = index_folder(data_dir)
    if not folder.exists():
        return
    lock = WriterLock(folder)
    try:
        (folder / CURRENT_FILE).unlink(missing_ok=True)
        for path in folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
        sync_folder(folder)
    finally:
        lock.release()
