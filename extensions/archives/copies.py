"""How does the archive forget? A blank record overwrites the records of a URL in their place.

The new member is exactly as long, so every other record stays at its offset in the database and in any CDX index. A
file of a gigabyte is not rewritten. The member's data is stored unpacked (RFC 1951, 3.2.4), which allows any length.
First the database notes the places, then the bytes are overwritten, then the note is deleted. A kill in between repeats
it.
"""

from __future__ import annotations

import gzip
import os
import struct
import zlib
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING
from uuid import uuid4

from crawldb.database import NOTHING_LOST, StorageError
from crawldb.databases import held_by
from crawldb.lock import is_held
from crawldb.pages.covered import Which, covered
from crawldb.tables.journal import Journal
from extension_points import RemovedCopies, StoredCopies
from extensions.archives.files import FOLDER, OPEN, path_of_file
from extensions.archives.tables import (
    RESPONSE,
    archive_file_ends,
    archived_addresses,
    archived_places,
    archived_robots_files,
    bare_revisits,
    drop_places,
    flag_forgotten,
    forgotten_places,
    holds_any,
)
from urls.records import CanonicalUrl
from urls.rules import Rule
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from extensions.archives.tables import ArchivedPlace
    from urls.blacklist import Target


class ArchiveCopies(StoredCopies):
    """The WARC files of a data folder, as copies of its pages."""

    name = "archive"
    folder = FOLDER

    def count(self, databases: Sequence[CrawlDatabase], targets: Sequence[Target]) -> Callable[[], RemovedCopies]:
        """Count the exchanges of the targets; return a function that counts the revisits that lost their body."""
        places = [[place for target in targets for place in exchanges_of(one, target)] for one in databases]
        exchanges = sum(map(len, places))

        def removed() -> RemovedCopies:
            bare = sum(map(bare_revisits, databases, map(payloads_of, places)))
            away = sum(map(_away, databases, places), Counter[str]())
            sentence = f"In the archive: {_in_words(exchanges, 'its files', away, bare)}."
            return RemovedCopies(exchanges, {"archived": exchanges, "bare": bare}, sentence)

        return removed

    def note_removal(self, database: CrawlDatabase, target: Target) -> None:
        """Flag the exchanges of a target."""
        flag_forgotten(database, archived_urls(database, target))

    def remove(self, database: CrawlDatabase) -> None:
        """Overwrite the flagged records. Raises StorageError."""
        remove_forgotten(database)

    def faults(self, database: CrawlDatabase) -> Iterator[str]:
        """Unpack every record; yield a sentence for each file that is missing, cut, or unreadable.

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
                    yield f"{folder / FOLDER / name} is missing, with {counted(exchanges, 'exchange')} in it"
            except (OSError, EOFError, zlib.error) as error:
                yield f"{path}: a record can't be read: {error}"


def _unpack(path: Path) -> None:
    with gzip.open(path, "rb") as file:
        while file.read(1 << 20):
            pass


def exchanges_of(database: CrawlDatabase, target: Target) -> list[ArchivedPlace]:
    """Return the places of a target's exchanges."""
    return [place for url in archived_urls(database, target) for place in archived_places(database, url)]


def payloads_of(places: Iterable[ArchivedPlace]) -> set[bytes]:
    """Return the payloads of responses."""
    return {place.payload for place in places if place.kind == RESPONSE and place.payload is not None}


def archived_urls(database: CrawlDatabase, target: Target) -> list[str]:
    """Return a target's URLs in the archive, also those of robots.txt files, which the URL table lacks.

    When a crawl was split, the archive of hosts that went to another part stayed here.
    """
    if not holds_any(database):
        return []
    others = archived_addresses(database) if held_by(database).earlier else archived_robots_files(database)
    unknown = (url for url in others if target.covers(CanonicalUrl(url)))
    return list(dict.fromkeys([target.name, *(url for _, url in covered(database, target, Which.ALL)), *unknown]))


AT_ONCE = 1000  # places between two transactions
_GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"  # RFC 1952: deflate, no time, no system
_STORED_MOST = 65535  # bytes of a stored block
_BLOCK_HEAD = 5  # bytes before them
_AROUND = len(_GZIP_HEADER) + 8  # bytes of a member without its blocks: header, checksum and size
_DATE = "1970-01-01T00:00:00Z"  # the field needs a date, and the real one is forgotten too
_WORDS = b"forgotten: what stood here was taken out by a person\r\n"


def remove_forgotten(database: CrawlDatabase) -> int:
    """Overwrite the flagged exchanges in the archive; return how many there were. Raises StorageError.

    A revisit of another URL that referred to an overwritten payload keeps only its head.
    """
    folder, removed = database.path.parent / FOLDER, 0
    while places := forgotten_places(database, AT_ONCE):
        for name, rows in groupby(places, key=lambda place: place.file):
            path = path_of_file(folder, name)
            try:
                with path.open("r+b") as file:
                    for place in rows:
                        file.seek(place.start)
                        file.write(blank_member(place.stop - place.start))
                    file.flush()
                    os.fsync(file.fileno())
            except FileNotFoundError:
                pass  # the operator has taken the file away, and the records with it
            except OSError as error:
                cure = "look at the disk, and run the same command again"
                raise StorageError(f"{path} can't be written: {error.strerror}. {NOTHING_LOST}; {cure}") from error
        with database.transaction():
            drop_places(database, places)
            Journal(database).write(None, Rule.FORGOTTEN, _told(database, places), count=len(places))
        removed += len(places)
    return removed


def _told(database: CrawlDatabase, places: list[ArchivedPlace]) -> str:
    payloads = {place.payload for place in places if place.kind == RESPONSE and place.payload is not None}
    away = _away(database, places)
    files = ", ".join(sorted({place.file for place in places} - away.keys()))
    return f"in the archive: {_in_words(len(places), files, away, bare_revisits(database, payloads))}"


def _away(database: CrawlDatabase, places: Iterable[ArchivedPlace]) -> Counter[str]:
    """Return the files of places that are not in the archive, each with the number of its places."""
    folder = database.path.parent / FOLDER
    names = Counter(place.file for place in places)
    return Counter({name: count for name, count in names.items() if not path_of_file(folder, name).exists()})


def _in_words(exchanges: int, files: str, away: Counter[str], bare: int) -> str:
    """Say what became of exchanges: overwritten in `files`, or in files that are away; `bare` revisits lost a body."""
    here, lost = exchanges - away.total(), counted(away.total(), "exchange")
    clauses = (
        f"{counted(here, 'exchange')} overwritten in {files}" if here or not away else "",
        f"{lost} not overwritten, since the files are not there: {', '.join(sorted(away))}" if away else "",
        f"{counted(bare, 'revisit')} of other addresses had no other copy" if bare else "",
    )
    return "; ".join(filter(None, clauses))


def blank_member(length: int) -> bytes:
    """Return a gzip member of exactly `length` bytes. Its one record says that a person removed a record."""
    blocks = -(-(length - _AROUND) // (_STORED_MOST + _BLOCK_HEAD))
    data = _blank_record(length - _AROUND - blocks * _BLOCK_HEAD)
    pieces = [data[at : at + _STORED_MOST] for at in range(0, len(data), _STORED_MOST)]
    # An additional block without bytes may be needed to reach the length.
    pieces += [b""] * (blocks - len(pieces))
    stored = (
        struct.pack("<BHH", number == len(pieces), len(piece), len(piece) ^ 0xFFFF) + piece
        for number, piece in enumerate(pieces, 1)
    )
    return _GZIP_HEADER + b"".join(stored) + struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)


def _blank_record(length: int) -> bytes:
    """Return a metadata record of `length` bytes. Leading zeros keep the width of its Content-Length constant."""
    head = f"WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <{uuid4().urn}>\r\nWARC-Date: {_DATE}\r\n".encode()
    head += b"Content-Type: application/warc-fields\r\nContent-Length: %010d\r\n\r\n"
    left = length - len(head % 0) - len(b"\r\n\r\n")
    if left < 0:
        raise ValueError(f"no record is as short as {length} bytes")
    return head % left + _WORDS[:left].ljust(left) + b"\r\n\r\n"
