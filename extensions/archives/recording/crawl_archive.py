"""Which exchange belongs to which page, and when is it written? With the end of its lease, before the crawl stores it.

Only then it is known what was decided, and whether the page lets itself be archived. An exchange without a lease, for
a robots.txt above all, is written when it has ended. All of it is on the disk before the crawl database says that the
page was fetched, so a kill loses no record of a page that is stored.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlparse, urlunparse

from extensions.archives.file_names import FOLDER
from extensions.archives.files import WarcFiles
from extensions.archives.recording.decision import (
    decision,
    forbids_archiving,
    nothing_was_sent,
    warcinfo_fields,
    why_cut,
)
from extensions.archives.recording.writer import ArchiveWriter
from extensions.archives.records import ArchivedExchange
from extensions.archives.tables import ArchivedPlaces
from robots import MAX_ROBOTS_BYTES

if TYPE_CHECKING:
    from extensions.archives.recording.recorded_connection import Recording
    from extensions.archives.tables import ArchivedPlace
    from frontier.leases import Lease
    from frontier.session import Session
    from spiders.conduct import Conduct
    from urls.records import Outcome, Page
    from urls.sitemap_records import Sitemap


@dataclass(eq=False, slots=True)
class _LeasedFetch:
    """A request for a lease, and what goes over the wire for it as soon as that begins."""

    lease: Lease
    recording: Recording | None = None


class CrawlArchive:
    """The archive of a running crawl. All but its writer's thread happens in the crawl's own loop."""

    def __init__(self, session: Session, conduct: Conduct, size: int) -> None:
        data_dir = session.database.path.parent
        part = "" if conduct.job.partition.whole else str(conduct.job.partition)
        info = warcinfo_fields(conduct.identity, part)
        files = WarcFiles(data_dir / FOLDER, size, info, part)
        self._session = session
        self._places = ArchivedPlaces(session.database)
        session.store.writer.recorded.append(self._places)
        self._writer = ArchiveWriter(data_dir, files)
        self._fetches: dict[str, _LeasedFetch] = {}  # those under way, by URL
        self._as_sent: dict[str, list[_LeasedFetch]] = {}  # the same: two URLs may be one on the wire
        self._alone: set[asyncio.Future[ArchivedPlace]] = set()  # exchanges without a lease that are being written

    def expect(self, lease: Lease) -> None:
        """Note that a request for a lease is on its way."""
        fetch = self._fetches[lease.url] = _LeasedFetch(lease)
        self._as_sent.setdefault(as_sent(lease.url), []).append(fetch)

    def began(self, recording: Recording) -> None:
        """Take what a connection begins to record."""
        for fetch in self._as_sent.get(recording.url, ()):
            if fetch.recording is None:
                fetch.recording, recording.is_leased = recording, True
                return

    def ended(self, recording: Recording) -> None:
        """Write an exchange that belongs to no lease; others wait for the end of theirs."""
        if recording.is_leased:
            return
        too_long = sum(map(len, recording.received)) > MAX_ROBOTS_BYTES and not recording.is_whole
        self._write_alone(recording, "length" if too_long else recording.cut)

    async def keep(self, item: Page | Outcome | Sitemap) -> None:
        """Return when the exchange of a lease that ends is on the disk. Raises StorageError."""
        fetch = self._fetches.pop(item.url, None)
        if fetch is None:
            return
        same = self._as_sent[as_sent(item.url)]
        same.remove(fetch)
        if not same:
            del self._as_sent[as_sent(item.url)]
        recording = fetch.recording
        if recording is None or nothing_was_sent(item, recording):
            return
        exchange = replace(_exchange(recording, why_cut(item, recording)), url=item.url)
        written = self._writer.put(exchange, decision(item, fetch.lease), without_body=forbids_archiving(item))
        self._places.note(await asyncio.wrap_future(written))

    async def close(self) -> None:
        """Write what is left, and finish the file. Raises StorageError."""
        for fetch in self._fetches.values():
            if fetch.recording is not None:  # a fault has ended its lease
                self._write_alone(fetch.recording, fetch.recording.cut or "unspecified")
        try:
            await asyncio.to_thread(self._writer.close)
        finally:
            await asyncio.gather(*self._alone, return_exceptions=True)  # their callbacks note the last places

    def _write_alone(self, recording: Recording, cut: str) -> None:
        written = asyncio.wrap_future(self._writer.put(_exchange(recording, cut)))
        self._alone.add(written)
        written.add_done_callback(self._placed)

    def _placed(self, written: asyncio.Future[ArchivedPlace]) -> None:
        self._alone.discard(written)
        error = None if written.cancelled() else written.exception()
        if error is None:
            self._places.note(written.result())
        elif not self._session.trouble:
            self._session.trouble = str(error)


def as_sent(url: str) -> str:
    """Return a URL as its request has it: without fragment, and without what its parts do not need."""
    return urlunparse(urlparse(url)._replace(fragment=""))


def _exchange(recording: Recording, truncated: str) -> ArchivedExchange:
    answer = b"".join(recording.received)
    return ArchivedExchange(recording.url, recording.at, recording.request, answer, recording.address, truncated)
