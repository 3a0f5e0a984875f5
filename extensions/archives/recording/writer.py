"""How do records reach the disk while a crawl runs, and which of them survive a kill?

Packing takes a millisecond for a large page and the disk takes several. The crawl's own loop waits for neither: a
thread writes several records with one wait for the disk. The future that `put` returns is done when the records are on
the disk. A response with the payload of an earlier one becomes a revisit. A 304 refers to the last whole response of
its URL.

A kill or a power cut leaves whole records, and a torn one at the end. The crawl database learns a place only after its
records are on the disk. Recovery reads the members after the last known place. Whole records stay, and their places go
into the database. The file is cut off at the first torn record, and the journal has the number of bytes.
"""

from __future__ import annotations

import os
import queue
import re
import threading
import zlib
from base64 import b32decode
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING
from uuid import UUID

from warcio.archiveiterator import ArchiveIterator

from crawldb.database import NOTHING_LOST, TO_WRITE, CrawlDatabase, StorageError
from crawldb.tables.journal import Journal
from extensions.archives.files import FOLDER, OPEN, finish, open_names
from extensions.archives.records import GZIP, REQUEST, Earlier, group, payload_digest, response_message
from extensions.archives.tables import (
    RESPONSE,
    REVISIT,
    ArchivedPlace,
    known_end,
    last_success,
    same_payload,
    write_places,
)
from urls.rules import Rule
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from extensions.archives.files import WarcFiles
    from extensions.archives.records import ArchivedExchange

RECENT = 1000  # exchanges remembered until the crawl database knows them
MOST_TOGETHER = 64  # exchanges with one wait for the disk
_SUCCESSES = range(200, 300)
_NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class _Job:
    exchange: ArchivedExchange
    facts: tuple[tuple[str, str], ...]
    without_body: bool
    done: Future[ArchivedPlace]


class ArchiveWriter:
    """Writes exchanges into files, in the order in which they come."""

    def __init__(self, data_dir: Path, files: WarcFiles) -> None:
        self._data_dir = data_dir
        self._files = files
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._recent: deque[ArchivedPlace] = deque(maxlen=RECENT)
        self._trouble: StorageError | None = None
        self._is_closed = False  # the last job has been taken
        self._thread = threading.Thread(target=self._work, name="archive", daemon=True)
        self._thread.start()

    def put(
        self, exchange: ArchivedExchange, facts: tuple[tuple[str, str], ...] = (), *, without_body: bool = False
    ) -> Future[ArchivedPlace]:
        """Write the records of an exchange. The returned future is done when they are on the disk, or has the error."""
        job = _Job(exchange, facts, without_body, Future())
        job.done.set_running_or_notify_cancel()  # a caller that no longer waits can't undo it
        self._jobs.put(job)
        return job.done

    def close(self) -> None:
        """Write the waiting exchanges, and finish the file. Raises StorageError."""
        self._jobs.put(None)
        self._thread.join()
        if self._trouble is not None:
            raise self._trouble

    def _work(self) -> None:
        try:
            with CrawlDatabase(self._data_dir, readonly=True) as known:
                while jobs := self._next():
                    self._write(jobs, known)
            if self._trouble is None:
                self._files.close()
        except Exception as error:  # noqa: BLE001 - after any fault, no caller may wait for records for ever
            self._trouble = self._trouble or self._told(error)
            while jobs := self._next():
                self._end([(job, self._trouble) for job in jobs])

    def _next(self) -> list[_Job]:
        """Return the jobs that wait, or the next one that comes; none when there will be no more."""
        jobs: list[_Job] = []
        while not self._is_closed and len(jobs) < MOST_TOGETHER and not (jobs and self._jobs.empty()):
            job = self._jobs.get()
            self._is_closed = job is None
            jobs += [job] if job is not None else []
        return jobs

    def _write(self, jobs: list[_Job], known: CrawlDatabase) -> None:
        ended: list[tuple[_Job, ArchivedPlace | Exception]] = []
        try:
            ended += [(job, self._trouble or self._one(job, known)) for job in jobs]
            self._files.sync()
        except OSError as error:
            self._trouble = self._told(error)
            ended = [(job, self._trouble) for job in jobs]
        self._end(ended)

    @staticmethod
    def _end(ended: list[tuple[_Job, ArchivedPlace | Exception]]) -> None:
        for job, result in ended:
            if isinstance(result, Exception):
                job.done.set_exception(result)
            else:
                job.done.set_result(result)

    def _one(self, job: _Job, known: CrawlDatabase) -> ArchivedPlace | Exception:
        try:
            warcinfo = self._files.room()
            earlier = self._earlier(job.exchange, known)
            made = group(job.exchange, job.facts, earlier, without_body=job.without_body, warcinfo_id=warcinfo)
            name, start = self._files.append(made.data)
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 - the caller that put the job gets it; the others continue
            return error
        place = ArchivedPlace(
            name,
            start,
            stop=start + len(made.data),
            offset=start + made.offset if made.length else 0,
            length=made.length,
            address=job.exchange.url,
            at=job.exchange.at,
            kind=made.kind,
            status=made.status,
            payload=made.payload,
            record=made.record,
        )
        self._recent.append(place)
        return place

    def _earlier(self, exchange: ArchivedExchange, known: CrawlDatabase) -> Earlier | None:
        """Return the record to which this one may refer."""
        message = response_message(exchange.answer)
        if message is None or exchange.truncated or not message.is_whole:
            return None
        just_now = self._unknown(known)
        payload, found = payload_digest(message), None
        if message.status == _NOT_MODIFIED and b"\nif-" in exchange.request.lower():
            own = (one for one in just_now if one.address == exchange.url and one.status in _SUCCESSES)
            found = next(own, None) or last_success(known, exchange.url)
            payload = None if found is None else found.payload
        if payload is not None and (found is None or found.kind != RESPONSE):  # a revisit refers to no other revisit
            same = (one for one in just_now if one.payload == payload and one.kind == RESPONSE)
            found = next(same, None) or same_payload(known, payload)
        return None if found is None else Earlier(found.address, found.at, found.record, found.payload)

    def _unknown(self, known: CrawlDatabase) -> list[ArchivedPlace]:
        """Return the places that the database does not know yet, the newest first. It may know the others better."""
        while self._recent and self._recent[0].stop <= known_end(known, self._recent[0].file):
            self._recent.popleft()
        return [*reversed(self._recent)]

    def _told(self, error: Exception) -> StorageError:
        cure = "make room (df shows which disk) and run the same command again"
        return StorageError(f"The archive can't be written: {error}. {NOTHING_LOST}; {cure}")


_PIECE = 64 * 1024  # bytes read at a time
_UNPACKED_MOST = 64 * 1024 * 1024  # bytes of one record: our own have at most twice DOWNLOAD_MAXSIZE


def recover(database: CrawlDatabase, run: int | None = None) -> int:
    """Finish the files that a crawl has left open; return the number of bytes cut off. Raises StorageError."""
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
    """Return the places of the whole exchanges from `begin` on, and their end."""
    places: list[ArchivedPlace] = []
    group: list[tuple[int, int, bytes]] = []
    end = begin
    for start, stop, data in members(file, begin):
        is_of_a_url = bool(_header(data, "WARC-Target-URI"))  # else it begins the file, or replaces a forgotten record
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
    """Yield beginning, end and content of each whole gzip member from `begin` on, up to the first torn one."""
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
    _, __, content = found or group[0]
    record = next(iter(ArchiveIterator(BytesIO(content), no_record_parse=True)))
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
