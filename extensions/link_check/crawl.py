"""The crawl that checks the links of a site: `crawl links`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit

from commands.crawling.report_crawl import ReportCrawl
from commands.frame.data_folder import base_folder
from extensions.link_check.report import LinkCheck, link_check

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from crawldb.database import CrawlDatabase

NEVER = 1_000_000_000  # failures after which a URL is dropped: a link check requests broken links in each run


class LinkCheckCrawl(ReportCrawl):
    """A crawl that checks the links of a site."""

    name = "links"
    settings: ClassVar[Mapping[str, object]] = {"STALE_AFTER": NEVER}
    noun = "a link check"

    def folder(self, first_seed: str) -> Path:
        """Return the folder for the site of a seed."""
        return base_folder() / f"links-{re.sub(r'[^a-z0-9.]+', '-', urlsplit(first_seed).netloc.lower()).strip('-.')}"

    def read(self, database: CrawlDatabase) -> LinkCheck:
        """Check the links that the crawl found."""
        return link_check(database)
