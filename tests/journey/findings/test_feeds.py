"""A feed is a list of links: as a seed, and as the target of a page's link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.journey.conftest import html

if TYPE_CHECKING:
    from tests.journey.conftest import Folder, Site

FEED = (
    "<rss version='2.0'><channel><title>News</title>"
    "<item><title>First</title><link>/one.html</link></item><item><title>Second</title><link>/two.html</link></item>"
    "</channel></rss>"
)


@pytest.mark.parametrize("seed", ["/feed.xml", "/"])
def test_the_pages_that_a_feed_announces_are_fetched_and_the_feed_is_no_result(
    site: Site, folder: Folder, seed: str
) -> None:
    site.pages = {
        "/": html("home", "/feed.xml"),
        "/feed.xml": (200, {"Content-Type": "application/rss+xml"}, FEED.encode()),
        "/one.html": html("one"),
        "/two.html": html("two"),
    }
    done = folder.crawl(f"{site.url}{seed}", INDEX_FOLLOW=0)
    assert done.returncode == 0
    assert {"/feed.xml", "/one.html", "/two.html"} <= set(site.asked())
    told = " ".join(folder.run("why", f"{site.url}/feed.xml").stdout.split())
    assert "Not in the index (feed): RSS: a feed of 2 links, which are followed" in told
    assert "links to it as “First”" in " ".join(folder.run("why", f"{site.url}/one.html").stdout.split())
