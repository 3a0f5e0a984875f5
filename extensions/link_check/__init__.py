"""Which links of a site are broken or redirected? `crawl links` reads the site and reports them.

It adds one crawl. `crawl.py` says when a link is broken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import AddedCrawl, extends

if TYPE_CHECKING:
    from commands.crawling.report_crawl import ReportCrawl


def make_link_check() -> ReportCrawl:
    """Return the crawl, once it is asked for."""
    from extensions.link_check.crawl import LinkCheckCrawl

    return LinkCheckCrawl()


@extends
def report_crawls() -> list[AddedCrawl]:
    """Add `crawl links`."""
    exits = "0 no link broken, 1 some broken, 2 check incomplete"
    return [AddedCrawl("links", "check the links of a site", exits, make_link_check)]
