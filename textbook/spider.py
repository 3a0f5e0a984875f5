"""Which pages are fetched? Those that links within the seeds' sites lead to, where robots.txt and pages allow it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.http import TextResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from robots import PageControls, page_controls
from textbook.reader import read_page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response
    from scrapy.link import Link

CONTROLS = "controls"  # key of Response.meta


@dataclass(frozen=True, slots=True)
class Page:
    """The text of a page, and what it allows a robot to do."""

    url: str
    title: str
    text: str
    controls: PageControls


class TextbookSpider(CrawlSpider):
    """Follows the links within the sites of `seeds`, and yields one `Page` for each HTML page."""

    name = "textbook"

    def __init__(self, seeds: list[str], agent: str, **arguments: Any) -> None:
        self.start_urls, self.agent = seeds, agent
        self.allowed_domains = [urlsplit(seed).hostname or "" for seed in seeds]
        on_site = LinkExtractor(allow=["^" + re.escape(urljoin(seed, "/")) for seed in seeds])
        self.rules = (
            Rule(on_site, "read", process_links="without_nofollow", process_request="unless_nofollow", follow=True),
        )
        super().__init__(**arguments)  # compiles the rules

    async def start(self) -> AsyncIterator[Request]:
        """Ask for each seed once, also if a link leads to it: Scrapy's own start would not count it as requested."""
        for seed in self.start_urls:
            yield Request(seed)

    def parse_start_url(self, response: Response, **_: Any) -> Iterator[Page]:
        """Read a seed like any other page."""
        return self.read(response)

    def read(self, response: Response) -> Iterator[Page]:
        """Yield the page, if the response is one."""
        if not isinstance(response, TextResponse):
            return
        lines = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in _header_lines(response)]
        controls = page_controls(lines, response.body, agent=self.agent, url=response.url)
        response.meta[CONTROLS] = controls
        title, text = read_page(response.text)
        yield Page(response.url, title, text, controls)

    def without_nofollow(self, links: list[Link]) -> list[Link]:
        """Drop the links that are marked rel="nofollow"."""
        return [link for link in links if not link.nofollow]

    def unless_nofollow(self, request: Request, response: Response) -> Request | None:
        """Drop the link of a page that asks robots not to follow its links."""
        controls = response.meta.get(CONTROLS)
        return request if controls is None or controls.follow else None


def _header_lines(response: Response) -> Iterator[tuple[bytes, bytes]]:
    for name, values in response.headers.items():
        for value in values:
            yield name, value
