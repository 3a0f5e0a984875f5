"""Which rules hold for a request outside a crawl: by `scrapy fetch`, `scrapy shell` or a spider of your own?

A URL that a person types is like a seed: it may have any host and port. So may the start requests of a spider. Links
and redirects have the limits of a crawl. As in a crawl, no request goes to the open internet without CONTACT and
BOT_URL. The limits on the size and time of a response hold as well.

Everything else needs a crawl, and `site_spider` switches it off. There is no robots.txt, no journal and no store, and
only Scrapy's own delay holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.utils.spider import DefaultSpider

from spiders.downloader.address_policy import AddressPolicy, Identity, endpoint_of
from spiders.downloader.handler import is_crawl
from spiders.downloader.resolver import GuardedResolver

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from spiders.site import SiteSpider


def site_spider(crawler: Crawler) -> SiteSpider:
    """Return the spider of a crawl, or raise `NotConfigured`: Scrapy then leaves the component out."""
    if not is_crawl(crawler):
        raise NotConfigured("it belongs to `crawl site`, and this is no such crawl")
    return crawler.spider  # type: ignore[return-value]  # only the site spider has a session


class AddressRefusedError(Exception):
    """A request was not sent, because of its IP address or because the robot has no identity."""


class WithoutCrawlMiddleware:
    """Signs requests, permits the URLs that a person has typed, and says why a connection was refused.

    Settings: PRODUCT, CONTACT, BOT_URL.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        settings = crawler.settings
        self._identity = Identity(settings["PRODUCT"], settings["CONTACT"], settings["BOT_URL"])
        self._addresses = AddressPolicy((), identified=self._identity.complete)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> WithoutCrawlMiddleware:
        """Build the component for any crawler but one of ours, which does all this itself."""
        if is_crawl(crawler):
            raise NotConfigured
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Sign a request, and permit its address where a person has named it."""
        GuardedResolver.installed().policy = self._addresses
        for name, value in self._identity.headers.items():
            request.headers.setdefault(name, value)
        typed = isinstance(self._crawler.spider, DefaultSpider)  # which Scrapy takes for a URL on its command line
        redirected = "redirect_times" in request.meta
        if (typed or request.meta.get("is_start_request")) and not redirected:
            self._addresses.permit_seeds([endpoint_of(request.url)])

    async def process_exception(self, request: Request, exception: Exception) -> None:  # noqa: ARG002 - Scrapy's hook
        """Tell of a refused address as such: to Scrapy it is a name without addresses."""
        refusal = GuardedResolver.installed().refusals.get(endpoint_of(request.url))
        if refusal is not None:
            raise AddressRefusedError(refusal.reason) from None
