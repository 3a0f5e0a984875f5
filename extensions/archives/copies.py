"""How does the archive forget? The records of a URL are overwritten where they stand, by one that says nothing of it.

The member that takes their place is exactly as long, so every other record stays where the database, or anybody's CDX
index, says that it is, and no file of a gigabyte is written anew. Its data is stored unpacked (RFC 1951, 3.2.4), which
is what makes any length possible. First the database notes what is to go, then the bytes go, then the note: a kill in
between repeats it.
"""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING

from crawldb.lock import is_held
from crawldb.pages.covered import Which, covered
from crawldb.parts.division import held_by
from extension_points import RemovedCopies
from extensions.archives.file_names import FOLDER, OPEN, path_of_file
from extensions.archives.removal import bare_sentence, remove_forgotten
from extensions.archives.tables import (
    RESPONSE,
    archive_file_ends,
    archived_addresses,
    archived_places,
    archived_robots_files,
    bare_revisits,
    flag_forgotten,
    holds_any,
)
from urls.counted import counted
from urls.records import CanonicalUrl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from extensions.archives.tables import ArchivedPlace
    from urls.blacklist import Target


class ArchiveCopies:
    """The WARC files of a data folder, as copies of its pages (`extension_points.StoredCopies`)."""

    name = "archive"
    folder = FOLDER

    def count(self, databases: Sequence[CrawlDatabase], targets: Sequence[Target]) -> Callable[[], RemovedCopies]:
        """Count the exchanges of the targets; return a function that counts the revisits that lost their body."""
        places = [[place for target in targets for place in places_of(one, target)] for one in databases]
        exchanges = sum(map(len, places))

        def removed() -> RemovedCopies:
            bare = sum(map(bare_revisits, databases, map(payloads_of, places)))
            also = f"; {bare_sentence(bare)}" if bare else ""
            told = f"The archive forgot it too: {counted(exchanges, 'exchange')} overwritten in its files{also}."
            return RemovedCopies(exchanges, {"archived": exchanges, "bare": bare}, told)

        return removed

    def note_removal(self, database: CrawlDatabase, target: Target) -> None:
        """Flag the exchanges of a target."""
        flag_forgotten(database, archived_urls(database, target))

    def remove(self, database: CrawlDatabase) -> None:
        """Overwrite what was flagged. Raises StorageError."""
        remove_forgotten(database)

    def faults(self, database: CrawlDatabase) -> Iterator[str]:
        """Unpack every record; yield a sentence for each file that is missing, shorter than it was, or can't be read.

        The crawl database knows the files, and how far it wrote them.
        """
        folder = database.path.parent
        for name, exchanges, end in archive_file_ends(database):
            path = path_of_file(folder / FOLDER, name)
            if path.name.endswith(OPEN) and is_held(folder):
                continue  # a crawl is writing it
            try:
                size = path.stat().st_size
                if size < end:
                    yield f"{path} has {size:,} bytes, and {end:,} were written: it was cut"
                    continue
                _unpack(path)
            except FileNotFoundError:
                if exchanges:
                    yield f"{path} is missing, with {counted(exchanges, 'exchange')} in it"
            except (OSError, EOFError, zlib.error) as error:
                yield f"{path}: a record can't be read: {error}"


def _unpack(path: Path) -> None:
    with gzip.open(path, "rb") as file:
        while file.read(1 << 20):
            pass


def places_of(database: CrawlDatabase, target: Target) -> list[ArchivedPlace]:
    """Return where the exchanges of a target stand."""
    return [place for url in archived_urls(database, target) for place in archived_places(database, url)]


def payloads_of(places: Iterable[ArchivedPlace]) -> set[bytes]:
    """Return the payloads of responses."""
    return {place.payload for place in places if place.kind == RESPONSE and place.payload is not None}


def archived_urls(database: CrawlDatabase, target: Target) -> list[str]:
    """Return what a target means among the addresses that the archive may hold: also robots.txt files, no URLs here.

    Of hosts that went to another part when the crawl was split, the archive stayed here.
    """
    if not holds_any(database):
        return []
    others = archived_addresses(database) if held_by(database).earlier else archived_robots_files(database)
    unknown = (url for url in others if target.covers(CanonicalUrl(url)))
    return list(dict.fromkeys([target.name, *(url for _, url in covered(database, target, Which.ALL)), *unknown]))
