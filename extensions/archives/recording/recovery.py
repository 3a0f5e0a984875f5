"""What did a kill or a power cut leave of a file that was being written? Its whole records, and a torn one at the end.

Up to the last place that the crawl database knows, all was on the disk before it was written down there. What follows
is read member by member. Whole records stay, and the database is told where they stand; from the first that is not
whole on the file is cut off, and the journal says how much that was.
"""

from __future__ import annotations

import os
import re
import zlib
from base64 import b32decode
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING
from uuid import UUID

from warcio.archiveiterator import ArchiveIterator

from crawldb.database import NOTHING_LOST, TO_WRITE, StorageError
from crawldb.tables.journal import Journal
from extensions.archives.file_names import FOLDER, OPEN, finish, open_names
from extensions.archives.http_message import response_message
from extensions.archives.records import GZIP, REQUEST
from extensions.archives.tables import RESPONSE, REVISIT, ArchivedPlace, known_end, write_places
from urls.counted import counted
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from crawldb.database import CrawlDatabase

_PIECE = 64 * 1024  # bytes read at a time
_UNPACKED_MOST = 64 * 1024 * 1024  # bytes of one record: our own have at most twice DOWNLOAD_MAXSIZE


def recover(database: CrawlDatabase, run: int | None = None) -> int:
    """Finish the files that a crawl has left open; return how many bytes were cut off. Raises StorageError."""
    folder = database.path.parent / FOLDER
    try:
        return _recover(database, folder, run)
    except OSError as error:
        raise StorageError(f"{folder} can't be mended: {error}. {NOTHING_LOST}; {TO_WRITE}") from error


def _recover(database: CrawlDatabase, folder: Path, run: int | None) -> int:
    cut = 0
    for name in open_names(folder):
        path = folder / f"{name}{OPEN}"
        with path.open("r+b") as file:
            begin = known_end(database, name)
            places, end = _whole_records(file, name, begin)
            torn = os.fstat(file.fileno()).st_size - end
            if torn:
                file.truncate(end)
            os.fsync(file.fileno())
        cut += max(0, torn)
        with database.transaction():
            write_places(database, places)
            reason = f"{name}: a crawl ended without finishing it; {_found(len(places), torn)}"
            Journal(database, run).write(None, Rule.ARCHIVE_RECOVERED, reason)
        if end:
            finish(folder, name)
        else:
            path.unlink()  # not even its first record is whole
    return cut


def _found(places: int, torn: int) -> str:
    kept = f"{counted(places, 'exchange')} that the crawl database did not know yet stayed" if places else ""
    cut = f"{counted(torn, 'byte')} of a torn record at its end were cut off" if torn > 0 else "all records were whole"
    return f"{kept}, {cut}" if kept else cut


def _whole_records(file: BinaryIO, name: str, begin: int) -> tuple[list[ArchivedPlace], int]:
    """Return the places of the whole exchanges from `begin` on, and where they end."""
    places: list[ArchivedPlace] = []
    group: list[tuple[int, int, bytes]] = []
    end = begin
    for start, stop, data in members(file, begin):
        is_of_a_url = bool(_header(data, "WARC-Target-URI"))  # else it begins the file, or stands for what is forgotten
        if not is_of_a_url or _header(data, "WARC-Type") == REQUEST:
            places += _place(name, group)
            group = []
        if is_of_a_url:
            group.append((start, stop, data))
        end = stop
    return places + _place(name, group), end


def _header(data: bytes, name: str) -> str:
    """Return a header line of a record."""
    found = re.search(rb"\n" + name.encode() + rb": *([^\r\n]*)", data[: data.find(b"\r\n\r\n")])
    return found[1].decode() if found else ""


def members(file: BinaryIO, begin: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield beginning, end and content of each whole gzip member from `begin` on, up to the first that is not whole."""
    while True:
        file.seek(begin)
        packer, data, read = zlib.decompressobj(GZIP), bytearray(), 0
        while not packer.eof and len(data) <= _UNPACKED_MOST and (piece := file.read(_PIECE)):
            read += len(piece)
            try:
                data += packer.decompress(piece)
            except zlib.error:
                return
        if not packer.eof:
            return
        stop = begin + read - len(packer.unused_data)
        yield begin, stop, bytes(data)
        begin = stop


def _place(name: str, group: list[tuple[int, int, bytes]]) -> list[ArchivedPlace]:
    """Return the place of an exchange from its records."""
    if not group:
        return []
    start, stop = group[0][0], group[-1][1]
    found = next(((a, b, data) for a, b, data in group if _header(data, "WARC-Type") in {RESPONSE, REVISIT}), None)
    _, __, told = found or group[0]
    record = next(iter(ArchiveIterator(BytesIO(told), no_record_parse=True)))
    headers = record.rec_headers
    kind = "" if found is None else headers["WARC-Type"]
    message = response_message(record.raw_stream.read()) if kind else None
    digest = "" if kind == RESPONSE and headers["WARC-Truncated"] else headers["WARC-Payload-Digest"] or ""
    offset, length = (0, 0) if found is None else (found[0], found[1] - found[0])
    return [
        ArchivedPlace(
            name,
            start,
            stop,
            offset,
            length,
            address=headers["WARC-Target-URI"] or "",
            at=datetime.fromisoformat(headers["WARC-Date"]).timestamp(),
            kind=kind,
            status=None if message is None else message.status,
            payload=b32decode(digest.removeprefix("sha1:")) if digest else None,
            record=UUID(headers["WARC-Record-ID"].strip("<>")),
        )
    ]
