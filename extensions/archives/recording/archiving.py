"""How does a crawl write an archive? Its connections record, and each item waits until its exchange is on the disk.

The end of a lease brings the decision about the page, and whether the page may be archived. So the exchange is written
then, before the crawl stores the page. An exchange without a lease, mostly for a robots.txt, is written when it has
ended. Its records are on the disk before the crawl database has the fetch. So a kill loses no record of a stored page.

Next to each exchange, lines of `name: value` have Breadcrumb's decisions, under Heritrix's names if it has one.
Decisions that compare pages, such as duplicates, come later: `why URL` shows them, from the crawl database. The start
of a crawl with WARC=yes sets all this up; without it, nothing here is imported.

Which bytes went over the wire for one request? Both directions are kept, until the exchange has ended.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem, NotConfigured
from twisted.internet.error import ConnectionDone
from twisted.web._newclient import HTTPClientParser

from crawldb.database import StorageError
from extensions.archives.files import FOLDER, WarcFiles
from extensions.archives.recording.writer import ArchiveWriter, recover
from extensions.archives.records import ArchivedExchange
from extensions.archives.tables import ArchivedPlaces
from robots import MAX_ROBOTS_BYTES
from spiders.downloader.address_policy import VERSION
from spiders.downloader.bounded_connection import BoundedFactory, BoundedProtocol, ResponseLimitError
from spiders.downloader.exchange_heads import as_sent, sent_head
from spiders.downloader.handler import BoundedDownloadHandler
from spiders.without_crawl import site_spider
from urls.records import Outcome, Page, Sitemap, Stylesheet
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.interfaces import IAddress
    from twisted.python.failure import Failure

    from crawldb.tables.queue import Lease
    from extensions.archives.tables import ArchivedPlace
    from frontier.session import Session
    from spiders.crawl_settings import CrawlSettings
    from spiders.downloader.address_policy import Identity
    from spiders.site import SiteSpider


_WITHOUT_BODY = HTTPClientParser.NO_BODY_CODES


@dataclass(slots=True)
class Recording:
    """One exchange: the request sent at `at` (seconds since the epoch), and the bytes received so far."""

    url: str
    at: float
    request: bytes
    address: str
    received: list[bytes] = field(default_factory=list)
    is_leased: bool = False  # it is written when its lease ends
    is_whole: bool = False  # the response came to its end by itself
    cut: str = ""  # a word of WARC-Truncated: why the response is cut; "": it may be whole


class RecordedProtocol(BoundedProtocol):
    """A connection within bounds that records the bytes it sends and receives."""

    _recording: Recording | None = None
    began: Callable[[Recording], None]
    ended: Callable[[Recording], None]

    def request(self, request: Any) -> Any:
        """Send a request, and begin to record."""
        answer = super().request(request)
        if self._parser is not None:
            transport: Any = self.transport
            url = request.absoluteURI.decode("ascii")
            self._recording = Recording(url, time.time(), sent_head(request), transport.getPeer().host)
            self.began(self._recording)
        return answer

    def dataReceived(self, data: bytes) -> None:
        """Record the bytes received for a request; unrequested bytes belong to none."""
        if self._recording is not None:
            self._recording.received.append(data)
        super().dataReceived(data)

    def _finishResponse(self, rest: bytes) -> None:
        recording, parser = self._recording, self._parser
        if recording is not None:
            recording.is_whole = True
            # The parser expects no body for such a status, so it does not wait for the one that comes.
            is_unread = parser is not None and parser.response.code in parser.NO_BODY_CODES - _WITHOUT_BODY
            if is_unread:
                recording.cut = "length"
            elif rest:  # bytes after the response: they belong to nothing
                recording.received = [b"".join(recording.received)[: -len(rest)]]
        super()._finishResponse(rest)

    def _disconnectParser(self, reason: Failure) -> None:
        """End the recording with the exchange, before any callback of its end."""
        recording, self._recording = self._recording, None
        if recording is not None:
            if not recording.is_whole:
                recording.cut = _why_ended(reason.value)
            self.ended(recording)
        super()._disconnectParser(reason)


def _why_ended(error: BaseException | None) -> str:
    if isinstance(error, ResponseLimitError):
        return "time" if error.rule is Rule.TIMEOUT else "length"
    return "" if isinstance(error, ConnectionDone) else "disconnect"


class RecordedFactory(BoundedFactory):
    """Makes connections that call `began` and `ended` for each exchange."""

    def __init__(
        self, began: Callable[[Recording], None], ended: Callable[[Recording], None], bounds: Any, *arguments: Any
    ) -> None:
        super().__init__(bounds, *arguments)
        self._told = began, ended

    def buildProtocol(self, addr: IAddress | None) -> RecordedProtocol:  # noqa: ARG002 - Twisted passes it
        """Build one."""
        protocol = RecordedProtocol(self._quiescentCallback, self._bounds)
        protocol.began, protocol.ended = self._told
        return protocol


MAX_OUTLINKS = 200  # of a page that are listed; others are only counted
CONFORMS_TO = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
_CUT = {Rule.SIZE: "length", Rule.HEADER_LIMIT: "length", Rule.TIMEOUT: "time", Rule.STOPPED: "unspecified"}


def warcinfo_fields(identity: Identity, part: str) -> list[tuple[str, str]]:
    """Return the fields about the crawl in each file: its robot, its contact, and its manners."""
    fields = [
        ("software", f"Breadcrumb/{VERSION}"),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", CONFORMS_TO),
        ("robots", "obey"),  # as in Heritrix; some archives write "ignore"
        ("http-header-user-agent", identity.user_agent),
        ("operator", identity.contact),
        ("http-header-from", identity.contact),
        ("isPartOf", f"part {part} of a divided crawl" if part else ""),
    ]
    return [(name, value) for name, value in fields if value]


def decision(item: Page | Outcome | Sitemap | Stylesheet, lease: Lease) -> tuple[tuple[str, str], ...]:
    """Return the facts about an exchange: how its URL was found, how the lease ends, and the links of the page."""
    fields = [
        ("via", lease.referer),
        ("seed", "yes" if lease.seed else ""),
        ("depth", str(lease.depth)),
        ("attempt", str(lease.attempts + 1)),
        ("probe", lease.probes),  # of a site: the URL may be generated
        ("fetchTimeMs", f"{item.seconds * 1000:.0f}"),
        ("robots", "allowed"),  # else nothing would have been sent
        *_verdict(item),
    ]
    return tuple((name, value) for name, value in fields if value)


def _verdict(item: Page | Outcome | Sitemap | Stylesheet) -> Iterator[tuple[str, str]]:
    if isinstance(item, Outcome):
        yield "verdict", str(item.rule)
        yield "reason", item.reason
    elif isinstance(item, Sitemap):
        yield "verdict", str(Rule.SITEMAP) if item.form else str(Rule.NO_SITEMAP)
        yield "entries", str(len(item.entries) + len(item.children) + item.beyond)
    elif isinstance(item, Stylesheet):
        yield "verdict", str(Rule.STYLESHEET)
        yield "reason", item.reason
    else:
        yield from _verdict_on_page(item)


def _verdict_on_page(page: Page) -> Iterator[tuple[str, str]]:
    yield "verdict", "page"
    yield "charset-for-link-extraction", page.encoding
    yield "language", page.language
    for wish in page.controls.wishes:
        yield "control", str(wish)
    if forbids_archiving(page):
        yield "left-out", f"the body, since the page asks for it ({page.controls.asked_by('noarchive', 'none')})"
    for link in page.links[:MAX_OUTLINKS]:
        yield "outlink", f"{link.url} L a/@href" + (" nofollow" if link.nofollow else "")
    beyond = len(page.links) - MAX_OUTLINKS + page.links_cut
    if beyond > 0:
        yield "outlinks-left-out", str(beyond)


def forbids_archiving(item: Page | Outcome | Sitemap | Stylesheet) -> bool:
    """Return whether a page forbids showing a copy (noarchive). Its body is then not archived."""
    return isinstance(item, Page) and not item.controls.archive


def nothing_was_sent(item: Page | Outcome | Sitemap | Stylesheet, recording: Recording) -> bool:
    """Return whether nothing was sent: there was no request, or no safe connection for it."""
    return isinstance(item, Outcome) and (not item.requested or (item.rule is Rule.TLS and not recording.received))


def why_cut(item: Page | Outcome | Sitemap | Stylesheet, recording: Recording) -> str:
    """Return why a response is cut, by a word of WARC-Truncated; "" if it is whole, or if its lengths show it."""
    if recording.is_whole or not isinstance(item, Outcome) or item.status is not None:
        return recording.cut
    return _CUT.get(item.rule, recording.cut or "disconnect")


@dataclass(eq=False, slots=True)
class _LeasedFetch:
    """A request for a lease, and the recording of its exchange as soon as that begins."""

    lease: Lease
    recording: Recording | None = None


class CrawlArchive:
    """The archive of a running crawl. Everything but its writer's thread runs in the crawl's own loop."""

    def __init__(self, session: Session, crawl_settings: CrawlSettings, size: int) -> None:
        data_dir = session.database.path.parent
        part = "" if crawl_settings.job.partition.whole else str(crawl_settings.job.partition)
        info = warcinfo_fields(crawl_settings.identity, part)
        files = WarcFiles(data_dir / FOLDER, size, info, part)
        self._session = session
        self._places = ArchivedPlaces(session.database)
        session.store.writer.recorded.append(self._places)
        self._writer = ArchiveWriter(data_dir, files)
        self._fetches: dict[str, _LeasedFetch] = {}  # those under way, by URL
        self._as_sent: dict[str, list[_LeasedFetch]] = {}  # the same: two URLs may be one on the wire
        self._alone: set[asyncio.Future[ArchivedPlace]] = set()  # exchanges without a lease that wait for the writer

    def expect(self, lease: Lease) -> None:
        """Note that a request for a lease is on its way."""
        fetch = self._fetches[lease.url] = _LeasedFetch(lease)
        self._as_sent.setdefault(as_sent(lease.url), []).append(fetch)

    def began(self, recording: Recording) -> None:
        """Take a recording that a connection begins."""
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
        """Return when the exchange of a lease is on the disk, at the end of that lease. Raises StorageError."""
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
        """Write the remaining exchanges, and finish the file. Raises StorageError."""
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


def _exchange(recording: Recording, truncated: str) -> ArchivedExchange:
    answer = b"".join(recording.received)
    return ArchivedExchange(recording.url, recording.at, recording.request, answer, recording.address, truncated)


BEFORE_THE_STORE = 800  # in ITEM_PIPELINES, where the store is 900


def write_archive(crawler: Crawler, spider: SiteSpider) -> None:
    """Let a crawl that is about to begin write its archive. Raises StorageError."""
    recover(spider.session.database, spider.session.run.id)
    for name, changes in (
        ("DOWNLOAD_HANDLERS", {"http": ArchivingDownloadHandler, "https": ArchivingDownloadHandler}),
        ("ITEM_PIPELINES", {ArchiveStage: BEFORE_THE_STORE}),
    ):
        crawler.settings.set(name, crawler.settings.getdict(name) | changes, priority="cmdline")


class ArchiveStage:
    """Holds each item until its exchange is in the archive; ends the crawl if the disk does not take it.

    Settings: WARC_SIZE.
    """

    def __init__(self, archive: CrawlArchive, crawler: Crawler) -> None:
        self.archive = archive
        self._crawler = crawler
        self._closing: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ArchiveStage:
        """Build the stage for a crawl of the site spider."""
        spider = site_spider(crawler)
        size = crawler.settings.getint("WARC_SIZE")
        return cls(CrawlArchive(spider.session, spider.crawl_settings, size), crawler)

    async def process_item(self, item: Page | Outcome | Sitemap) -> Page | Outcome | Sitemap:
        """Return the item when its records are on the disk. Else its lease stays, for the next crawl."""
        try:
            await self.archive.keep(item)
        except StorageError as error:
            spider = site_spider(self._crawler)
            spider.session.trouble = spider.session.trouble or str(error)
            if self._closing is None and self._crawler.engine is not None:
                self._closing = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason="storage"))
            raise DropItem("its exchange could not be archived", log_level="DEBUG") from error
        return item

    async def close_spider(self) -> None:
        """Finish the archive."""
        try:
            await self.archive.close()
        except StorageError as error:
            session = site_spider(self._crawler).session
            session.trouble = session.trouble or str(error)


class ArchivingDownloadHandler(BoundedDownloadHandler):
    """The handler of a crawl whose connections record their bytes for the archive."""

    def __init__(self, crawler: Crawler) -> None:
        stage = crawler.get_item_pipeline(ArchiveStage)
        if stage is None:
            raise NotConfigured("it belongs to a crawl with WARC=yes, and this is none")
        self._archive: CrawlArchive = stage.archive
        self.connections = partial(RecordedFactory, self._archive.began, self._archive.ended)
        super().__init__(crawler)

    async def _send(self, request: Request) -> Response:
        if (lease := request.meta.get("lease")) is not None:
            self._archive.expect(lease)
        return await super()._send(request)
