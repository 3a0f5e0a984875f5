"""How do records reach the disk while a crawl goes on? In a thread of their own, several with one wait for the disk.

Packing takes a millisecond for a large page and the disk takes several, and the crawl's own loop waits for neither.
What `put` returns is done when the records are on the disk. A response whose payload an earlier one had is written as a
revisit; a 304 refers to the last whole response of its URL.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.database import NOTHING_LOST, CrawlDatabase, StorageError
from extensions.archives.http_message import response_message
from extensions.archives.records import Earlier, group, payload_digest
from extensions.archives.tables import RESPONSE, ArchivedPlace, known_end, last_success, same_payload

if TYPE_CHECKING:
    from pathlib import Path

    from extensions.archives.files import WarcFiles
    from extensions.archives.records import ArchivedExchange

RECENT = 1000  # exchanges that are remembered until the crawl database knows them
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
        """Write the records of an exchange; what is returned is done when they are on the disk, or has the error."""
        job = _Job(exchange, facts, without_body, Future())
        job.done.set_running_or_notify_cancel()  # who no longer waits for it can't undo it
        self._jobs.put(job)
        return job.done

    def close(self) -> None:
        """Write what waits, and finish the file. Raises StorageError."""
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
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody may wait for records for ever
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
        except Exception as error:  # noqa: BLE001 - it is told to whoever put the job; the others go on
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
        """Return the places that the database does not know yet, the newest first: of the others it may know better."""
        while self._recent and self._recent[0].stop <= known_end(known, self._recent[0].file):
            self._recent.popleft()
        return [*reversed(self._recent)]

    def _told(self, error: Exception) -> StorageError:
        cure = "make room (df shows which disk) and run the same command again"
        return StorageError(f"The archive can't be written: {error}. {NOTHING_LOST}; {cure}")
