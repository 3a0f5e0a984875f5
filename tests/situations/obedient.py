"""What does Scrapy do about robots.txt by itself? A spider that follows links, with ROBOTSTXT_OBEY and little else.

    python -m tests.situations.obedient SECONDS < VISITS

VISITS is a JSON object: `visits`, a list of seeds for each, and `port`, that of the server. Each visit after the first
is 25 hours later for this process: the spider sets its clock forward and stays, like one that crawls for days. Names
below `localhost` come from the resolver's cache, since not every system knows them.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import DontCloseSpider
from scrapy.http import TextResponse
from scrapy.resolver import dnscache

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

LATER = 25 * 3600.0  # seconds between two visits
SETTINGS: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "LOG_LEVEL": "CRITICAL",
}


class ObedientSpider(Spider):
    """Visits its seeds, and follows every link on them."""

    name = "obedient"

    def __init__(self, visits: list[list[str]], port: int, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.visits = visits
        self.control = f"http://control.localhost:{port}/next-visit"
        self.coming = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **arguments: Any) -> ObedientSpider:
        """Build the spider, and let it hear when it has nothing left to do."""
        spider = super().from_crawler(crawler, *args, **arguments)
        crawler.signals.connect(spider.idle, signals.spider_idle)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Make the first visit."""
        for request in self.visit():
            yield request

    def visit(self) -> Iterator[Request]:
        """Ask for the seeds of the next visit."""
        for url in self.visits.pop(0):
            yield Request(url, dont_filter=True)

    def idle(self) -> None:
        """Come again, a day later."""
        engine = self.crawler.engine
        if not self.visits or engine is None:
            return
        if not self.coming:
            self.coming = True
            engine.crawl(Request(self.control, self.begin, dont_filter=True, meta={"dont_obey_robotstxt": True}))
        raise DontCloseSpider

    def begin(self, _: Response) -> Iterator[Request]:
        """Make the next visit: the server knows now that it is one."""
        self.coming = False
        now = time.time
        time.time = lambda: now() + LATER
        return self.visit()

    def parse(self, response: Response, **_: Any) -> Iterator[Request]:
        """Follow the links of a page."""
        if isinstance(response, TextResponse):
            for link in response.css("a"):
                yield response.follow(link, dont_filter=True)


def main() -> None:
    """Crawl."""
    told = json.load(sys.stdin)
    for url in {url for visit in told["visits"] for url in visit} | {"http://control.localhost/"}:
        name = urlsplit(url).hostname or ""
        if name.endswith(".localhost"):
            dnscache[name] = "127.0.0.1"
    process = CrawlerProcess(SETTINGS | {"DOWNLOAD_TIMEOUT": float(sys.argv[1])})
    process.crawl(ObedientSpider, visits=told["visits"], port=told["port"])
    process.start()


if __name__ == "__main__":
    main()
