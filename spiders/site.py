"""How is a site crawled? URLs are leased from the frontier and fetched, and each lease ends in exactly one item.

A plain queue replaces Scrapy's scheduler, first in, first out. The frontier orders the URLs, and leases one only when
there is room for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider

from crawldb.clock import RUN_CLOCK
from crawldb.database import StorageError
from crawldb.learnt import Purpose
from crawldb.tables.urls import Kind
from pages import FetchedBody, parse_page
from pages.hidden.stylesheet import MAX_SHEET_BYTES, read_sheet
from pages.http_headers import DOCUMENT_TYPES
from robots import X_ROBOTS_TAG, wishes_from
from robots.page_controls import declared_type
from spiders.arguments import SpiderArguments
from spiders.capacity import HostCapacity, RequestSlots, TrialBudget
from spiders.crawl_settings import CrawlSettings
from spiders.downloader.address_policy import endpoint_of
from spiders.downloader.handler import STOPPING, LeaseEndedError, StoppedError, header_lines
from spiders.downloader.resolver import GuardedResolver
from spiders.downloader.response_limits import SENT_AT, seconds_since_sent
from spiders.downloader.response_parser import CUT_OFF
from spiders.outcome import ResponseHead, fetch_failure, is_page, outcome_of, outcome_of_failure, outcome_of_fault
from spiders.pace.host_pace import RequestThrottle, RestBounds
from spiders.sitemap_parser import read_sitemap
from urls.canonical import host_of, host_of_site
from urls.records import LeaseEnd, Outcome, Page
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from crawldb.tables.queue import Lease
    from frontier.session import Session
    from spiders.downloader.exchange_heads import ExchangeHeads
    from urls.records import Refusal, Sitemap, Stylesheet

    LeaseItem = Page | Outcome | Stylesheet

MAX_BYTES = "download_maxsize"  # key of Request.meta, by Scrapy: the bytes of the longest body that is read
POLL_SECONDS = 0.05  # seconds between two tries when the frontier has nothing to lease
_NOT_MODIFIED = 304
_FAULT = "A fault of ours, while reading %s"


class PageRenderer(Protocol):
    """Reads a page again as a browser shows it."""

    async def rendered(self, lease: Lease, fetched: FetchedBody, page: Page) -> Page | Outcome:
        """Return the page after its scripts have run, or as it is; an outcome if the crawl stops meanwhile."""


class SiteSpider(Spider):
    """Crawls the sites of its seeds: `scrapy crawl site -a seeds=URL[,URL…] or FILE [-a pages=N] [-a each=N]`.

    `-a mode=all|due|discover` says which URLs it requests, `-a part=1/3` which partition of a crawl it is. Settings:
    all of spiders/settings.py that spiders/crawl_settings.py reads.
    """

    name = "site"
    custom_settings = {  # noqa: RUF012 - Scrapy's name and type. What the frontier does instead of Scrapy:
        "REDIRECT_ENABLED": False,  # a redirect's target enters the frontier as a URL
        "METAREFRESH_ENABLED": False,
        "RETRY_ENABLED": False,  # a retry is the same URL leased again, later
        "SPIDER_MIDDLEWARES_BASE": {},  # each would be a step of every response, and there is nothing for it to do
        "SCHEDULER": "spiders.site.LeaseScheduler",  # it knows what was seen, and what is next
    }

    def __init__(self, session: Session, crawl_settings: CrawlSettings) -> None:
        super().__init__()
        self.session = session
        self.crawl_settings = crawl_settings
        self.refusals: dict[tuple[str, int], Refusal] = {}  # connections that the address policy did not permit
        self.addresses: dict[str, frozenset[str]] = {}  # of the hosts that were connected to
        self.slots = RequestSlots(crawl_settings.concurrency)
        self.capacity = HostCapacity(
            crawl_settings.pace_policy, lambda host: self.addresses.get(host.strip("[]"), frozenset()), self.slots
        )
        rests = RestBounds(crawl_settings.retries.delay)
        self.turns = RequestThrottle(session.store, crawl_settings.pace_policy, rests, crawl_settings.max_requests)
        self.budget = TrialBudget(crawl_settings.pages, crawl_settings.each)
        self.head_watchers: list[Callable[[ExchangeHeads], None]] = []  # of recorders
        # Of an extension: which header lines go with a request to a URL, and are seen by the server alone?
        self.credentials: Callable[[str], Sequence[tuple[bytes, bytes]]] | None = None
        self.renderer: PageRenderer | None = None  # of a recorder
        self._has_more = False  # whether `start` has not come to its end by itself
        self._answered = asyncio.Event()
        self._one_document = asyncio.Lock()
        self._last_answer_at = time.monotonic()

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        *_: Any,
        crawl_settings: CrawlSettings | None = None,
        session: Session | None = None,
        **arguments: str,
    ) -> SiteSpider:
        """Build the spider; what the command has not read and opened already is read and opened here."""
        crawl_settings = crawl_settings or CrawlSettings.read(crawler.settings, SpiderArguments.of(arguments))
        headers = crawler.settings.getdict("DEFAULT_REQUEST_HEADERS") | crawl_settings.identity.headers
        crawler.settings.set("USER_AGENT", headers.pop("User-Agent"), priority="cmdline")
        crawler.settings.set("DEFAULT_REQUEST_HEADERS", headers, priority="cmdline")
        logging.getLogger("scrapy").setLevel(crawler.settings["LOG_LEVEL"])  # no work for lines below the level
        spider = cls(session or crawl_settings.open_session(), crawl_settings)
        spider._set_crawler(crawler)
        crawler.signals.connect(spider.item_failed, signals.item_error)
        for recorder in crawl_settings.recorders:
            recorder.begin(crawler, spider)
        return spider

    @classmethod
    def handles_request(cls, _: Request) -> bool:
        """Leave each URL on Scrapy's command line to its default spider: it would take hosts under .site for ours."""
        return False

    async def start(self) -> AsyncIterator[Request]:
        """Lease URLs while the engine takes more, until the round ends, the trial is over, or a person stops it."""
        resolver = GuardedResolver.installed()
        resolver.policy, self.refusals = self.crawl_settings.addresses, resolver.refusals
        self.addresses = resolver.addresses
        # Scrapy stops a crawl by cancelling the task that runs this, which seldom waits here: so we watch the task.
        if (feeding := asyncio.current_task()) is not None:
            feeding.add_done_callback(self._feeding_ended)
        self._has_more = True
        try:
            while not self.budget.is_over():
                leases = self._lease() if self._is_free() else []
                for lease in leases:
                    yield self._request(lease)
                if not leases and await self._nothing_left():
                    break
        except CloseSpider:
            self._has_more = False
            raise
        self._has_more = False

    def _feeding_ended(self, _: asyncio.Task[Any]) -> None:
        """Tell the handler that a person stops the crawl, where there was more to fetch."""
        if self._has_more:
            self.crawler.signals.send_catch_log(STOPPING)

    def _is_free(self) -> bool:
        # Requests that only wait for a silent or a slow host must not keep the others from being sent.
        self._engine.downloader.total_concurrency = self.crawl_settings.concurrency + self.slots.beyond_total
        return not self._engine.needs_backout()

    def _lease(self) -> list[Lease]:
        limit = self.budget.limit(self.crawl_settings.concurrency, self.capacity.under_way)
        self.capacity.chosen()
        try:
            self.session.receive()
            return self.session.frontier.lease(limit, self._left, self._reserve) if limit > 0 else []
        except StorageError as error:
            self.session.trouble = self.session.trouble or str(error)
            raise CloseSpider("storage") from error

    def _left(self, site: str) -> int:
        """Return how many more URLs of a site may be leased now."""
        host = host_of_site(site)
        return 0 if self.turns.refusal(host) else self.budget.left(site, self.capacity.left(host))

    def _reserve(self, site: str) -> None:
        self.capacity.reserve(host_of_site(site))

    async def _nothing_left(self) -> bool:
        """Return True where nothing is under way and nothing will be due soon enough; else wait a moment first."""
        if not self.capacity.under_way and not self.session.frontier.leased():
            wait = self.session.frontier.seconds_to_next()
            if self.turns.used_up and wait is not None:
                raise self._used_up()
            # The time without responses counts too: a server that always says "later" must not hold a run for ever.
            silent = time.monotonic() - self._last_answer_at
            if wait is None or wait + silent > self.crawl_settings.wait_seconds:
                return True
            if self.budget.has_had(self.session.frontier.sites_due(self.crawl_settings.wait_seconds)):
                return True
        self._answered.clear()
        # After the time-out, too, try the frontier again: a URL may have become due, or an item may be stored.
        # Not `wait_for`: before Python 3.12 it swallows a cancellation that comes together with a response.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(POLL_SECONDS):
                await self._answered.wait()
        return False

    def _used_up(self) -> CloseSpider:
        self.session.trouble = (
            f"MAX_REQUESTS={self.crawl_settings.max_requests} have been sent: the next crawl continues"
        )
        self.session.store.note(Rule.MAX_REQUESTS, self.session.trouble)
        return CloseSpider(Rule.MAX_REQUESTS)

    def _request(self, lease: Lease) -> Request:
        self.capacity.enter(lease.id, host_of(lease.url))
        self.budget.leased(lease.site)
        if lease.seed:  # it may have been submitted since the run began
            self.crawl_settings.addresses.permit_seeds([endpoint_of(lease.url)])
        headers = {"Referer": lease.referer} | self.crawl_settings.conditions(lease)
        return Request(
            lease.url,
            headers={name: value for name, value in headers.items() if value},
            meta={"lease": lease} | ({MAX_BYTES: MAX_SHEET_BYTES} if lease.probes == Purpose.STYLESHEET else {}),
            callback=self.parse if lease.kind is Kind.PAGE else self.parse_sitemap,
            errback=self.failed,
            dont_filter=True,
        )

    def parse(self, response: Response, **_: Any) -> Iterator[LeaseItem] | AsyncIterator[LeaseItem]:
        """End a lease with its response; a document is read in a thread of its own, since it takes seconds."""
        declared = declared_type((response.headers.get("Content-Type") or b"").decode("latin-1"))
        if declared in DOCUMENT_TYPES:
            return self._read_beside(response)
        return self._read_at_once(response) if self.renderer is None else self._read_rendered(response, self.renderer)

    async def _read_beside(self, response: Response) -> AsyncIterator[LeaseItem]:
        answered = self._answer(response)
        async with self._one_document:  # else the threads of all others would wait for those that are slow
            ended = await asyncio.to_thread(self._item_of, *answered)
        yield ended

    def _read_at_once(self, response: Response) -> Iterator[LeaseItem]:
        yield self._item_of(*self._answer(response))

    async def _read_rendered(self, response: Response, renderer: PageRenderer) -> AsyncIterator[LeaseItem]:
        lease, answer, fetched = self._answer(response)
        item = self._item_of(lease, answer, fetched)
        yield await renderer.rendered(lease, fetched, item) if isinstance(item, Page) else item

    def _item_of(self, lease: Lease, answer: ResponseHead, fetched: FetchedBody) -> LeaseItem:
        try:
            ended = outcome_of(answer, lease, self.crawl_settings.retries)
            if ended is None and lease.probes == Purpose.STYLESHEET:
                return read_sheet(fetched)
            return ended or self.read_page(fetched)
        except Exception as error:
            self.logger.exception(_FAULT, lease.url)
            return outcome_of_fault(lease.url, error, answer)

    def read_page(self, answer: FetchedBody) -> Page:
        """Parse the response of a page. One that is stored is parsed to be filtered again (pipelines/review.py)."""
        return parse_page(answer, agent=self.crawl_settings.identity.product, documents=self.crawl_settings.documents)

    async def parse_sitemap(self, response: Response) -> AsyncIterator[Sitemap | Outcome]:
        """End the lease of a sitemap, read in a thread of its own: a file of 50 MB takes seconds."""
        lease, answer, fetched = self._answer(response)
        try:
            ended = outcome_of(answer, lease, self.crawl_settings.retries)
            yield ended if ended is not None else await asyncio.to_thread(read_sitemap, fetched)
        except Exception as error:
            self.logger.exception(_FAULT, lease.url)
            yield outcome_of_fault(lease.url, error, answer)

    def _answer(self, response: Response) -> tuple[Lease, ResponseHead, FetchedBody]:
        """Note that a response has come; return it with its lease."""
        lease: Lease = response.meta["lease"]
        self._done(lease)
        if (is_page(response.status) or response.status == _NOT_MODIFIED) and _is_of_a_page(lease):
            self.budget.fetched()
        self._last_answer_at = time.monotonic()
        now = RUN_CLOCK.now()
        seconds = seconds_since_sent(response.meta)
        headers = header_lines(response)
        has_tags = any(name == X_ROBOTS_TAG for name, _ in headers)
        wishes = wishes_from(headers, agent=self.crawl_settings.identity.product) if has_tags else None
        locations = frozenset(value.strip() for name, value in headers if name == "location")
        cut, size = CUT_OFF in response.flags, len(response.body)
        answer = ResponseHead(response.status, dict(headers), now, seconds, size, locations, wishes, cut)
        sheets = self.session.store.stylesheets.of_site(lease.site).usable if _is_of_a_page(lease) else {}
        fetched = FetchedBody(response.body, lease.url, headers, response.status, now, seconds, cut, sheets)
        return lease, answer, fetched

    def failed(self, failure: Failure) -> Iterator[Outcome]:
        """End a lease that got no response."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy puts it there
        lease: Lease = request.meta["lease"]
        self._done(lease)
        now = RUN_CLOCK.now()
        if SENT_AT not in request.meta:
            self.budget.not_asked(lease.site)
        error = failure.value or Exception("unknown")
        if isinstance(error, LeaseEndedError):
            yield error.outcome
        elif isinstance(error, StoppedError):
            stopped = Outcome(lease.url, LeaseEnd.DEFERRED, error.refusal.rule, error.refusal.reason, fetched_at=now)
            yield replace(stopped, seconds=seconds_since_sent(request.meta), requested=SENT_AT in request.meta)
        else:
            failed = fetch_failure(error, lease.url, self.refusals)
            yield outcome_of_failure(failed, lease, now, seconds_since_sent(request.meta), self.crawl_settings.retries)

    def item_failed(self, item: LeaseItem | Sitemap, failure: Failure) -> None:
        """End a lease if one of our own stages failed on its item: else the round would never end."""
        error = failure.value or Exception("unknown")
        try:
            head = ResponseHead(item.status or 0, {}, item.fetched_at, item.seconds, item.size)
            self.session.store.outcome(outcome_of_fault(item.url, error, head))
        except Exception as fault:
            self.logger.exception("A fault of ours, while storing %s", item.url)
            self.session.trouble = self.session.trouble or f"{item.url} could not be stored: {fault}"
            self._closing = asyncio.ensure_future(self._engine.close_spider_async(reason="fault"))

    def _done(self, lease: Lease) -> None:
        self.capacity.leave(lease.id, host_of(lease.url))
        self._answered.set()

    @property
    def _engine(self) -> Any:
        if self.crawler.engine is None:
            raise CloseSpider("the engine has gone")
        return self.crawler.engine

    def closed(self, reason: str) -> None:
        """End the run: leases that have no end are queued again."""
        self.crawl_settings.documents.close()
        self.session.received = self.crawler.stats.get_value("downloader/response_bytes", 0)
        self.session.close(reason)


def _is_of_a_page(lease: Lease) -> bool:
    return lease.kind is Kind.PAGE and lease.probes != Purpose.STYLESHEET


class LeaseScheduler:
    """First in, first out."""

    def __init__(self) -> None:
        self._waiting: deque[Any] = deque()

    def has_pending_requests(self) -> bool:
        """Return whether a request waits."""
        return bool(self._waiting)

    def enqueue_request(self, request: Any) -> bool:
        """Take any request: the frontier knows which URLs were fetched before."""
        self._waiting.append(request)
        return True

    def next_request(self) -> Any:
        """Return the one that has waited longest, or None."""
        return self._waiting.popleft() if self._waiting else None
