"""How does a fetch end when a person wants to stop? Within STOP_SECONDS, arrived or given back to the frontier."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import IgnoreRequest

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawldb import Outcome
    from spiders.coding.codings import Unreadable

SENT_AT = "sent_at"  # key of Request.meta: when the request left, in seconds since the epoch
STOPPING = object()  # the signal that the spider sends when it is told to stop


def header_lines(response: Response) -> list[tuple[str, str]]:
    """Return the header lines of an answer, several of one name apart, names in lower case."""
    return [
        (name.decode("latin-1").lower(), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
    ]


class LeaseEndedError(IgnoreRequest):
    """Ends a lease instead of a request: carries the outcome to the spider's errback."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


class UnreadableError(IgnoreRequest):
    """A body that came can't be unpacked; `rule` and the message say why."""

    def __init__(self, problem: Unreadable) -> None:
        super().__init__(problem.reason)
        self.rule = problem.rule


class StoppedError(IgnoreRequest):
    """The crawl is stopping, and the answer did not come in time."""


class BoundedDownloadHandler(HTTP11DownloadHandler):
    """Scrapy's HTTP/1.1 handler, which lets go of what is under way some seconds after the crawl began to stop.

    Settings: STOP_SECONDS; LOOPBACK_CONCURRENCY for the connections kept open to one host.
    """

    lazy = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool.maxPersistentPerHost = max(
            self._pool.maxPersistentPerHost, crawler.settings.getint("LOOPBACK_CONCURRENCY")
        )
        self._grace = crawler.settings.getfloat("STOP_SECONDS")
        self._under_way: set[asyncio.Future[Response]] = set()
        self._stopped = False
        crawler.signals.connect(self._stop, signal=STOPPING)

    async def download_request(self, request: Request) -> Response:
        """Download `request`; raise `StoppedError` where the crawl does not wait for it any longer."""
        if self._stopped:
            raise StoppedError
        request.meta[SENT_AT] = time.time()  # the delay between two requests is counted from here
        download = asyncio.ensure_future(super().download_request(request))
        self._under_way.add(download)
        try:
            return await download
        except asyncio.CancelledError:
            if not self._stopped:
                raise
            raise StoppedError from None
        finally:
            self._under_way.discard(download)

    def _stop(self) -> None:
        asyncio.get_running_loop().call_later(self._grace, self._let_go)

    def _let_go(self) -> None:
        self._stopped = True
        for download in self._under_way:
            download.cancel()
