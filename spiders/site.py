"""How is a site crawled? URLs are leased from the frontier, fetched, and each lease ends in exactly one item."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider

from crawldb import Fate, Outcome, Page, StorageError
from spiders.answer import Answer, failed, outcome_of
from spiders.conduct import Conduct, host_and_port
from spiders.ending import ending_of
from spiders.handler import SENT_AT, STOPPING, LeaseEndedError, StoppedError, header_lines
from spiders.pace import slot_of
from spiders.parse import parse_page
from spiders.resolver import GuardedResolver

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from crawldb import CanonicalUrl, Refusal
    from crawldb.frontier.frontier import Lease
    from crawldb.session import Session

UNIDENTIFIED_SECONDS = 3600.0  # until a URL is tried again that may not be asked for before CONTACT is set
POLL_SECONDS = 0.05  # how often the frontier is asked when there was nothing to lease
_PAGES = frozenset({200, 304})
QUEUED_PER_HOST = 1  # leases of a host beyond those under way, so that the next one is at hand


class SiteSpider(Spider):
    """Crawls the sites of its seeds: `scrapy crawl site -a seeds=URL[,URL…] or FILE [-a pages=N]`.

    Settings: all of spiders/settings.py that spiders/conduct.py reads.
    """

    name = "site"

    def __init__(self, session: Session, conduct: Conduct, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.session = session
        self.conduct = conduct
        self.refusals: dict[tuple[str, int], Refusal] = {}  # connections that the address policy did not permit
        self.under_way: Counter[str] = Counter()  # leases by slot
        self.fetched = 0
        self._answered = asyncio.Event()
        self._heard_at = time.monotonic()  # when a page was last answered

    @classmethod
    def from_crawler(
        cls, crawler: Crawler, *_: Any, conduct: Conduct | None = None, session: Session | None = None,
        seeds: str = "", pages: str = "", **arguments: Any,
    ) -> SiteSpider:  # fmt: skip
        """Build the spider; what the command has not read and opened already is read and opened here."""
        conduct = conduct or Conduct.read(crawler.settings, seeds, pages)
        headers = crawler.settings.getdict("DEFAULT_REQUEST_HEADERS") | conduct.identity.headers
        crawler.settings.set("USER_AGENT", headers.pop("User-Agent"), priority="spider")
        crawler.settings.set("DEFAULT_REQUEST_HEADERS", headers, priority="spider")
        spider = cls(session or conduct.open_session(), conduct, **arguments)
        spider._set_crawler(crawler)
        crawler.signals.connect(spider.item_failed, signals.item_error)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Lease URLs while the engine has room, until the round ends, the trial is over, or a person stops it."""
        resolver = GuardedResolver.installed()
        resolver.policy, self.refusals = self.conduct.addresses, resolver.refusals
        await asyncio.sleep(self._still_to_wait())
        try:
            while not self._enough():
                leases = [] if self._engine.needs_backout() else self._lease()
                for lease in leases:
                    yield self._request(lease)
                if not leases and await self._nothing_left():
                    return
        except asyncio.CancelledError:
            self.crawler.signals.send_catch_log(STOPPING)
            raise

    def _still_to_wait(self) -> float:
        """Return how long the delay of the run before this one still holds."""
        hosts = {slot_of(url) for url in self.session.seed_urls}
        delay = max((self.conduct.paces.of(host).delay for host in hosts), default=0.0)
        return max(0.0, min(delay, self.session.last_request_at + delay - time.time()))

    def _lease(self) -> list[Lease]:
        limit = self.conduct.concurrency
        if self.conduct.pages:
            limit = min(limit, self.conduct.pages - self.fetched - sum(self.under_way.values()))
        try:
            return self.session.frontier.lease(limit, self._room) if limit > 0 else []
        except StorageError as error:
            self.session.trouble = self.session.trouble or str(error)
            raise CloseSpider("storage") from error

    def _room(self, site: str) -> int:
        slot = slot_of(f"http://{site}/")
        return self.conduct.paces.of(slot).concurrency + QUEUED_PER_HOST - self.under_way[slot]

    def _enough(self) -> bool:
        return bool(self.conduct.pages) and self.fetched >= self.conduct.pages

    async def _nothing_left(self) -> bool:
        """Wait a moment; return whether nothing is under way and nothing will be due soon enough."""
        if not self.under_way.total() and not self.session.frontier.leased():
            wait = self.session.frontier.seconds_to_next()
            # Silence counts as waiting too: a server that only ever says "later" must not hold a run for ever.
            silent = time.monotonic() - self._heard_at
            if wait is None or wait + silent > self.conduct.wait_seconds:
                return True
        self._answered.clear()
        # Time out or not, the frontier is asked again: a URL may have come due, or an item may have been stored.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._answered.wait(), POLL_SECONDS)
        return False

    def _request(self, lease: Lease) -> Request:
        slot = slot_of(lease.url)
        self.prepare_slot(slot)
        self.under_way[slot] += 1
        if lease.seed:  # one that was submitted since the run began, perhaps
            self.conduct.addresses.permit_seeds([host_and_port(lease.url)])
        headers = {
            "If-None-Match": lease.etag,
            "If-Modified-Since": lease.last_modified,
            "Referer": lease.referer,
        }
        return Request(
            lease.url,
            headers={name: value for name, value in headers.items() if value},
            meta={"lease": lease, "download_slot": slot},
            callback=self.parse,
            errback=self.failed,
            dont_filter=True,
        )

    def prepare_slot(self, slot: str) -> None:
        """Give a host its pace before Scrapy makes its slot, now and each time that an idle slot is made again."""
        pace = self.conduct.paces.of(slot)
        self._engine.downloader.per_slot_settings[slot] = {"concurrency": pace.concurrency, "delay": pace.delay}

    def parse(self, response: Response, **_: Any) -> Iterator[Page | Outcome]:
        """End a lease with what its answer means."""
        lease: Lease = response.meta["lease"]
        self._done(lease)
        self.fetched += response.status in _PAGES
        self._heard_at = time.monotonic()
        now = time.time()
        seconds = now - response.meta.get(SENT_AT, now)
        headers = header_lines(response)
        answer = Answer(response.status, dict(headers), now, seconds, len(response.body))
        try:
            yield outcome_of(answer, lease, self.conduct.retries) or parse_page(
                response.body, url=lease.url, headers=headers, status=answer.status, fetched_at=answer.at,
                seconds=seconds, agent=self.conduct.identity.product,
            )  # fmt: skip
        except Exception as error:
            self.logger.exception("A fault of ours, while reading %s", lease.url)
            yield _fault(lease.url, error, answer)

    def failed(self, failure: Failure) -> Iterator[Outcome]:
        """End a lease that got no answer."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy puts it there
        lease: Lease = request.meta["lease"]
        self._done(lease)
        now = time.time()
        sent_at = request.meta.get(SENT_AT, now)
        error = failure.value or Exception("unknown")
        if isinstance(error, LeaseEndedError):
            yield error.outcome
            return
        if isinstance(error, StoppedError):
            reason = "the crawl was stopped before an answer came"
            yield Outcome(
                lease.url, Fate.DEFERRED, "stopped", reason, fetched_at=now, seconds=now - sent_at,
                requested=SENT_AT in request.meta,
            )  # fmt: skip
            return
        ending = ending_of(error, lease.url, self.refusals)
        if ending.rule in {"address", "identity"}:  # nothing was sent, and what is stored stays
            fate = Fate.FAILED if ending.rule == "address" else Fate.DEFERRED
            yield Outcome(
                lease.url, fate, ending.rule, ending.reason, fetched_at=now, requested=False,
                retry_after=UNIDENTIFIED_SECONDS, whole_origin=True,
            )  # fmt: skip
            return
        wait = self.conduct.retries.wait(lease.attempts + 1) if ending.again else None
        yield failed(ending.rule, ending.reason, lease, now, now - sent_at, wait)

    def item_failed(self, item: Page | Outcome, failure: Failure) -> None:
        """End a lease whose page one of our own stages could not judge: without an end, the round would have none."""
        at, status, size = item.fetched_at, item.status or 0, len(item.body) if isinstance(item, Page) else item.size
        error = failure.value or Exception("unknown")
        try:
            self.session.store.outcome(_fault(item.url, error, Answer(status, {}, at, item.seconds, size)))
        except Exception as fault:
            self.logger.exception("A fault of ours, while storing %s", item.url)
            self.session.trouble = self.session.trouble or f"{item.url} could not be stored: {fault}"
            self._closing = asyncio.ensure_future(self._engine.close_spider_async(reason="fault"))

    def _done(self, lease: Lease) -> None:
        self.under_way[slot_of(lease.url)] -= 1
        self._answered.set()

    @property
    def _engine(self) -> Any:
        if self.crawler.engine is None:
            raise CloseSpider("the engine has gone")
        return self.crawler.engine

    def closed(self, reason: str) -> None:
        """End the run: what was leased and has no end is queued again."""
        self.session.close(reason)


def _fault(url: CanonicalUrl, error: BaseException, answer: Answer) -> Outcome:
    reason = f"a fault of Breadcrumb's own, please report it: {type(error).__name__}: {str(error)[:200]}"
    return Outcome(
        url, Fate.FAILED, "fault", reason, status=answer.status or None, fetched_at=answer.at,
        seconds=answer.seconds, size=answer.size,
    )  # fmt: skip
