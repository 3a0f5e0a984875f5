"""When is a sitemap known? As soon as the robots.txt that names it is: its file goes before the pages of the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb import StorageError
from spiders.gate.middleware import ROBOTS_KNOWN

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from crawldb.session import Session
    from robots import Availability


class SitemapLines:
    """Brings the Sitemap lines of each robots.txt into the frontier.

    Stats: breadcrumb/sitemaps/named, the lines that were read.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._seen: dict[str, int] = {}  # by origin, the hash of the lines that this run knows already
        crawler.signals.connect(self._known, signal=ROBOTS_KNOWN)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SitemapLines:
        """Build the component for a crawler."""
        return cls(crawler)

    def _known(self, origin: str, availability: Availability) -> None:
        lines = _lines(availability)
        if lines is None or self._seen.get(origin) == hash(lines):
            return
        self._seen[origin] = hash(lines)
        self._crawler.stats.inc_value("breadcrumb/sitemaps/named", len(lines))
        session: Session = self._crawler.spider.session  # type: ignore[union-attr]  # the site spider's
        try:
            if session.store.name_sitemaps(origin, lines):
                session.frontier.look_again()
        except StorageError as error:
            session.trouble = session.trouble or str(error)  # the next write fails too, and ends the crawl


def _lines(availability: Availability) -> tuple[str, ...] | None:
    """Return what is named; None where the file could not be had, so that nobody knows."""
    if availability.file is not None:
        return availability.file.sitemaps
    return () if availability.access.name == "OPEN" else None
