"""Which servers, formats and languages do sites use? `crawl census` counts them, and stores no page.

It adds one crawl. The engine makes its table `census`, as every database has had it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import AddedCrawl, extends

if TYPE_CHECKING:
    from commands.crawling.report_crawl import ReportCrawl


def make_census() -> ReportCrawl:
    """Return the crawl, once it is asked for."""
    from extensions.census.crawl import CensusCrawl

    return CensusCrawl()


@extends
def report_crawls() -> list[AddedCrawl]:
    """Add `crawl census`."""
    exits = "0 every site had a page, 1 some had none, 2 no page at all"
    return [AddedCrawl("census", "count servers, formats and languages of sites", exits, make_census)]
