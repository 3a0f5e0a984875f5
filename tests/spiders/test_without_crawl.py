"""Outside a crawl: what belongs to one steps aside, and what guards stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.spiderloader import SpiderLoader
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.project import get_project_settings
from scrapy.utils.spider import DefaultSpider, spidercls_for_request

from tests.docs.conftest import ROOT

if TYPE_CHECKING:
    from scrapy.settings import Settings

OURS = ("DOWNLOADER_MIDDLEWARES", "ITEM_PIPELINES", "EXTENSIONS")
STAY = {
    "spiders.without_crawl.WithoutCrawlMiddleware",
    "spiders.downloader.handler.ContentCodingMiddleware",
}


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.chdir(ROOT)
    return get_project_settings()


@pytest.mark.parametrize("spider", [None, DefaultSpider()], ids=["no spider, as in the shell", "another spider"])
def test_what_needs_a_crawl_steps_aside_without_one(settings: Settings, spider: Any) -> None:
    crawler = Crawler(DefaultSpider, settings)
    crawler.spider = spider
    built = set()
    for path in [path for name in OURS for path, order in settings.getdict(name).items() if order is not None]:
        try:
            build_from_crawler(load_object(path), crawler)
        except NotConfigured:
            continue
        built.add(path)
    assert built == STAY


@pytest.mark.parametrize("url", ["http://site/", "https://www.example.site/", "http://127.0.0.1:8400/"])
def test_no_url_on_scrapys_command_line_is_taken_for_the_site_spiders(settings: Settings, url: str) -> None:
    loader = SpiderLoader.from_settings(settings)
    assert loader.list() == ["site"]
    assert spidercls_for_request(loader, Request(url), DefaultSpider) is DefaultSpider
