"""Which state of the index is the current one? The one that `current.json` names: renaming that file is the commit.

    index/current.json      generation, feed position, time, files with their sizes
    index/build-1/          segments and their table of contents; a rebuild fills build-2
    index/writer.lock       the process that writes

A crash leaves files that current.json does not name. The next writer deletes them when it opens the index. The feed
position is in the same file as the names of the segments, so neither can be ahead of the other.

Only the process that holds the lock may write. The system frees the lock when that process ends, in whatever way.

How far an index has followed the feed, and of which crawl, can be asked without loading it (`indexed_position`,
`check_same_crawl`). These functions ask the cluster where INDEX names one.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any
from zlib import crc32

from crawldb.folders import sync_to_disk
from extension_points import added_fields
from indexer.faults import REBUILD, CorruptIndex, IndexFault, IndexLocked, NoIndex, OtherCrawl, OutdatedIndex
from indexer.remote import configured_index
from indexer.segments.directory import REPLACEMENT_SUFFIX, checksum

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from crawldb.pages.feed import Feed
    from indexer.remote import FeedPosition

FORMAT = 7  # raise it when anything on the disk changes: words, forms, fields, columns, parts
CURRENT_FILE = "current.json"
BUILD_PREFIX = "build-"
BUILD_NAME = re.compile(rf"{BUILD_PREFIX}[0-9]{{1,18}}")
SEGMENT_NAME = re.compile(r"[0-9a-f]{16}")
RANKS_NAME = re.compile(r"[0-9a-f]{16}\.ranks")


def added_names() -> list[str]:
    """Return the names of the fields that extensions add."""
    return [field.name for field in added_fields()]


@dataclass(frozen=True, slots=True)
class Generation:
    """One committed state. `files` are its segments with their sizes in bytes, `sums` their checksums."""

    number: int = 0
    build: str = f"{BUILD_PREFIX}1"
    position: int = 0  # the last row of the change feed in the index
    documents: int = 0
    committed_at: float = 0.0  # seconds since the epoch
    files: dict[str, int] = field(default_factory=dict)
    format: int = FORMAT
    sums: dict[str, int] = field(default_factory=dict)  # of a segment's block checksums
    contents: dict[str, int] = field(default_factory=dict)  # CRC-32 of the table of contents
    ranks: dict[str, int] = field(default_factory=dict)  # CRC-32 of the file with PageRank and link counts, if any
    added_fields: list[str] = field(default_factory=added_names)  # of extensions, by name
    crawl: str = ""  # the identity of the crawl database whose feed it follows; "": of none
    seal: int | None = None  # CRC-32 of this record without the seal

    def dump(self) -> bytes:
        """Return the content of current.json."""
        return json.dumps(self._kept() | {"seal": self.digest()}, indent=1).encode()

    def digest(self) -> int:
        """Return the right seal of this record."""
        return crc32(json.dumps(self._kept() | {"seal": None}, sort_keys=True).encode())

    def _kept(self) -> dict[str, Any]:
        """Return what current.json has: `crawl` and `added_fields` only where they are not empty."""
        kept = asdict(self)
        return {name: value for name, value in kept.items() if value or name not in {"crawl", "added_fields"}}

    def is_sound(self) -> bool:
        """Return whether it is sealed and names only files that an index can have: a writer deletes all others."""
        named = self.files | self.contents | self.ranks
        numbers = (self.number, self.position, self.documents, *named.values())
        return (
            self.seal == self.digest()
            and bool(BUILD_NAME.fullmatch(self.build))
            and all(SEGMENT_NAME.fullmatch(name.removesuffix(".seg")) for name in self.files)
            and self.files.keys() == self.sums.keys()
            and self.contents.keys() == {contents_name(self.number)}
            and all(RANKS_NAME.fullmatch(name) for name in self.ranks)
            and all(type(number) is int and number >= 0 for number in numbers)
        )


def contents_name(generation: int) -> str:
    """Return the file name of a generation's table of contents."""
    return f"contents-{generation}.json"


def index_folder(data_dir: Path) -> Path:
    """Return the index folder of a data folder."""
    return data_dir / "index"


def read_generation(folder: Path) -> Generation:
    """Return the current state. Raises NoIndex, OutdatedIndex for another format or other fields, and CorruptIndex."""
    try:
        content = (folder / CURRENT_FILE).read_bytes()
    except FileNotFoundError:
        raise NoIndex(folder) from None
    try:
        found = Generation(**{"added_fields": []} | json.loads(content))
        sound = found.format != FORMAT or found.is_sound()
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise CorruptIndex(folder, f"{CURRENT_FILE} is no record of a generation: {error}") from error
    if found.format != FORMAT:
        kind = OutdatedIndex if found.format in range(1, FORMAT) else CorruptIndex
        raise kind(folder, f"it has format {found.format}, and this version reads format {FORMAT}")
    if not sound:
        raise CorruptIndex(folder, f"{CURRENT_FILE} is not as it was written")
    if found.added_fields != added_names():
        raise OutdatedIndex(
            folder,
            f"it has {_named(found.added_fields)}, and the extensions that are installed add {_named(added_names())}",
        )
    return found


def _named(fields: Iterable[str]) -> str:
    return f"the fields {', '.join(fields)} of extensions" if list(fields) else "no fields of extensions"


def indexed_position(data_dir: Path) -> int:
    """Return the number of the last indexed change of the feed; -1 if there is no index to continue."""
    try:
        return _committed(data_dir).position
    except (NoIndex, OutdatedIndex):
        return -1


def _committed(data_dir: Path) -> FeedPosition:
    if address := configured_index():
        return address.committed(data_dir)
    return read_generation(index_folder(data_dir))


def check_same_crawl(data_dir: Path, feed: Feed | None, *, rebuild: bool = False) -> None:
    """Raise OtherCrawl if an index would lose its pages to an empty crawl database, or to that of another crawl.

    With `rebuild` another crawl may replace the indexed one, but an empty database may not.
    """
    try:
        found = _committed(data_dir)
    except (IndexFault, OSError):
        return  # there is none, or its writer reports the fault
    if not found.position:
        return
    place = configured_index() or index_folder(data_dir)
    if feed is None or not feed.last():
        finding = f"the crawl database has no page, and the index has followed {found.position} changes of one"
        raise OtherCrawl(place, finding, "remove the index (its folder, or give INDEX another name) to start again")
    if not rebuild and found.crawl not in {"", feed.crawl}:
        finding = f"it is of crawl {found.crawl}, and the crawl database is of crawl {feed.crawl}"
        raise OtherCrawl(place, finding, f"index this crawl instead: {REBUILD}")


def index_exists(data_dir: Path) -> bool:
    """Return whether there is an index, of any version and in any state."""
    try:
        _committed(data_dir)
    except NoIndex:
        return False
    except IndexFault:
        pass  # its reader reports the fault
    return True


def is_ahead(data_dir: Path, feed: Feed) -> bool:
    """Return whether the index has rows that the feed lacks, as the crawl database was restored from an older copy.

    Once the crawl continues from that copy, its new rows have the numbers of the lost ones, and this returns False.
    """
    try:
        return indexed_position(data_dir) > feed.last()
    except IndexFault:
        return False  # its writer reports the fault


def is_outdated(data_dir: Path) -> bool:
    """Return whether the index is of an earlier version, which searches cannot read and a writer rebuilds."""
    try:
        _committed(data_dir)
    except OutdatedIndex:
        return True
    except IndexFault:
        pass  # there is none, or its reader reports the fault
    return False


def check_files(folder: Path, generation: Generation) -> None:
    """Raise FileNotFoundError for a missing file, CorruptIndex for a segment of another size than was written.

    This compares checksums of the table of contents and of the ranks: they are small, and one bit may bring back a
    deleted page. Readers of segments compare the checksums of what they read.
    """
    for name, size in generation.files.items():
        found = (folder / generation.build / name).stat().st_size
        if found != size:
            raise CorruptIndex(folder, f"{generation.build}/{name} has {found} bytes, and {size} were written")
    for name, written in (generation.contents | generation.ranks).items():
        content = checksum(folder / generation.build / name)
        if content != written:
            raise CorruptIndex(folder, f"{generation.build}/{name} has checksum {content:08x} instead of {written:08x}")


def sweep(folder: Path, generation: Generation | None) -> None:
    """Delete what the generation does not name: leftovers of killed writers, and segments that were merged."""
    for path in folder.iterdir():
        if (
            path.is_dir()
            and path.name.startswith(BUILD_PREFIX)
            and (generation is None or path.name != generation.build)
        ):
            shutil.rmtree(path, ignore_errors=True)
    (folder / f"{CURRENT_FILE}{REPLACEMENT_SUFFIX}").unlink(missing_ok=True)
    if generation is None:
        return
    build = folder / generation.build
    for path in build.iterdir() if build.is_dir() else ():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name not in generation.files | generation.contents | generation.ranks:
            path.unlink(missing_ok=True)


def next_build(folder: Path) -> str:
    """Return a folder name for a rebuild; no build has it."""
    taken = [
        int(path.name.removeprefix(BUILD_PREFIX))
        for path in folder.glob(f"{BUILD_PREFIX}*")
        if path.name[len(BUILD_PREFIX) :].isdigit()
    ]
    return f"{BUILD_PREFIX}{max(taken, default=0) + 1}"


WRITER_LOCK_FILE = "writer.lock"


class WriterLock:
    """Locks the folder of an index for one writer. Raises IndexLocked with the process that holds it."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / WRITER_LOCK_FILE).open("a+", encoding="ascii")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            holder = self._file.read().strip()
            self._file.close()
            raise IndexLocked(folder, int(holder) if holder.isdigit() else None) from None
        try:
            self._file.truncate(0)
            self._file.write(str(os.getpid()))
            self._file.flush()
        except OSError:  # the disk is full
            with contextlib.suppress(OSError):  # closing tries to write again
                self._file.close()
            raise

    def release(self) -> None:
        """Release the lock. The file stays: if it were deleted, two writers could lock two files of one name."""
        self._file.close()


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
        sync_to_disk(folder)
    finally:
        lock.release()
