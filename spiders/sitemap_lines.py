"""When is a sitemap known? As soon as the robots.txt that names it is read: before the pages of its site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.database import StorageError
from robots import Access
from spiders.robots_gate import ROBOTS_KNOWN
from spiders.without_crawl import site_spider

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from frontier.session import Session
    from robots import Availability


class SitemapLines:
    """Brings the Sitemap lines of each robots.txt into the frontier.

    Stats: breadcrumb/sitemaps/named, the lines that were read.
    """

    def __init__(self, crawler: Crawler, session: Session) -> None:
        self._crawler = crawler
        self._session = session
        self._seen: dict[str, int] = {}  # by origin: the hash of the lines that this run has noted
        crawler.signals.connect(self._known, signal=ROBOTS_KNOWN)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SitemapLines:
        """Build the component for a crawl of the site spider."""
        return cls(crawler, site_spider(crawler).session)

    def _known(self, origin: str, availability: Availability) -> None:
        lines = _sitemaps_named(availability)
        if lines is None or self._seen.get(origin) == hash(lines):
            return
        self._seen[origin] = hash(lines)
        self._crawler.stats.inc_value("breadcrumb/sitemaps/named", len(lines))
        try:
            if self._session.store.name_sitemaps(origin, lines):
                self._session.frontier.look_again()
        except StorageError as error:
            self._session.trouble = self._session.trouble or str(error)  # the next write fails too, and ends the crawl


def _sitemaps_named(availability: Availability) -> tuple[str, ...] | None:
    """Return the sitemaps that a robots.txt names; None where the file could not be had."""
    if availability.file is not None:
        return availability.file.sitemaps
    return () if availability.access is Access.OPEN else None
