"""How much does a crawl cost that does nothing with its pages? Scrapy's CrawlSpider, which only follows links.

    python -m bench.crawling.follower URL…

It is written as in Scrapy's tutorial; the settings that decide about load are the same as ours. Standard output gets
one JSON object: `pages` with status 200, and `requests`.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors.lxmlhtml import LxmlLinkExtractor
from scrapy.spiders import CrawlSpider, Rule

if TYPE_CHECKING:
    from scrapy.http import Response

OK = 200
SETTINGS: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS": 64,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,  # our own limit for this machine (LOOPBACK_CONCURRENCY)
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "LOG_LEVEL": "ERROR",
    "LOGSTATS_INTERVAL": 0,
    "STATS_DUMP": False,
}


class LinkFollower(CrawlSpider):
    """Follows the links within the sites of `seeds`, and counts the pages."""

    name = "follower"

    def __init__(self, seeds: list[str], **arguments: Any) -> None:
        self.start_urls = seeds
        self.allowed_domains = [urlsplit(seed).hostname or "" for seed in seeds]
        within = LxmlLinkExtractor(allow=["^" + re.escape(urljoin(seed, "/")) for seed in seeds])
        self.rules = (Rule(within, callback="page", follow=True),)
        super().__init__(**arguments)  # compiles the rules
        self.pages = 0

    def parse_start_url(self, response: Response, **_: Any) -> None:
        """Treat a seed like any other page."""
        self.page(response)

    def page(self, response: Response) -> None:
        """Count a page, and keep nothing of it."""
        self.pages += response.status == OK


def crawl_and_count(seeds: list[str]) -> None:
    """Crawl, and print the counts."""
    process = CrawlerProcess(SETTINGS)
    crawler = process.create_crawler(LinkFollower)
    process.crawl(crawler, seeds=seeds)
    process.start()
    stats = crawler.stats
    if stats is None or not isinstance(crawler.spider, LinkFollower):
        raise SystemExit("the crawl did not start")
    print(json.dumps({"pages": crawler.spider.pages, "requests": stats.get_value("downloader/request_count", 0)}))


if __name__ == "__main__":
    crawl_and_count(sys.argv[1:])
