"""Is it true what a crawl says of Scrapy's settings: which mean nothing to it, and which would take a part from it?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import default_settings

from spiders.own_settings import OURS
from spiders.replaced_settings import FIXED, KEPT, UNHEEDED, instead_of
from tests.journey.conftest import html
from tests.journey.scrapy.settings_read import NAMES

if TYPE_CHECKING:
    from tests.journey.conftest import Folder, Site

GATE = "spiders.robots_gate.RobotsGateMiddleware"
HANDLER = "spiders.downloader.handler"
OTHER = "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"
SCRAPYS = frozenset(name for name in vars(default_settings) if name.isupper())
# What is read elsewhere than in a crawl's parts: by the start, by the log, or by tools that are no crawl.
ELSEWHERE = {
    "ADDONS", "ASYNCIO_EVENT_LOOP", "BOT_NAME", "COMMANDS_MODULE", "DEFAULT_DROPITEM_LOG_LEVEL", "DEFAULT_ITEM_CLASS",
    "DNSCACHE_ENABLED", "DNSCACHE_SIZE", "DNS_TIMEOUT", "EDITOR", "FORCE_CRAWLER_PROCESS", "LOG_ENCODING",
    "LOG_FILE_APPEND", "LOG_FORMATTER", "LOG_INSTALL_ROOT_HANDLER", "LOG_STDOUT", "LOG_VERSIONS", "MAIL_FROM",
    "MAIL_HOST", "MAIL_PASS", "MAIL_PORT", "MAIL_SSL", "MAIL_TLS", "MAIL_USER", "NEWSPIDER_MODULE",
    "REACTOR_THREADPOOL_MAXSIZE", "SPIDER_CONTRACTS", "SPIDER_CONTRACTS_BASE", "SPIDER_LOADER_CLASS",
    "SPIDER_LOADER_WARN_ONLY", "SPIDER_MODULES", "STATS_CLASS", "TEMPLATES_DIR", "TWISTED_REACTOR",
    "RANDOMIZE_DOWNLOAD_DELAY",  # asked for its place, and then read where it was given
}  # fmt: skip


def test_what_means_nothing_is_told_and_read_by_no_part(site: Site, folder: Folder) -> None:
    site.pages = {
        "/": html("home", "/one"),
        "/one": html("one", "/two"),
        "/two": (302, {"Location": "/three"}, b""),
        "/three": (503, {}, b""),
    }
    given: dict[str, object] = {"RETRY_TIMES": 1, "DEPTH_LIMIT": 1, "REDIRECT_MAX_TIMES": 0, "USER_AGENT": "Foo/1"}
    given |= {"URLLENGTH_LIMIT": 5, "JOBDIR": "none", "DEFAULT_REQUEST_HEADERS": json.dumps({"X-Mine": "1"})}
    watch = json.dumps({"tests.journey.scrapy.settings_read.Watch": 1})
    feeds = json.dumps({str(folder.path.parent / "pages.csv"): {"format": "csv"}})
    done = folder.crawl(f"{site.url}/", ADDONS=watch, INDEX_FOLLOW=0, CONTACT="me@example.org", FEEDS=feeds, **given)
    for name in given.keys() - {"DEFAULT_REQUEST_HEADERS"}:
        said = f"crawl: -s {name}={given[name]}: Scrapy's {name} means nothing to Breadcrumb: {instead_of(name)}\n"
        assert said in done.stderr
    assert done.stderr.count("means nothing") == len(given) - 1, "RETRY_DELAY and CONTACT are ours"
    assert not any(instead_of(name) for name in OURS.keys() - SCRAPYS)
    assert site.asked() == ["/robots.txt", "/", "/one", "/two", "/three", "/three", "/three"]
    assert {(sent["User-Agent"], sent["From"]) for _, sent in site.log} == {("Breadcrumb/0.1", "me@example.org")}
    read = set((folder.path / NAMES).read_text().split())
    unheeded = {name for name in SCRAPYS if instead_of(name)}
    assert unheeded & read <= {"USER_AGENT", "REQUEST_FINGERPRINTER_CLASS"}, "of which ours holds, or which nobody asks"
    assert SCRAPYS - read - unheeded - ELSEWHERE - FIXED.keys() == set(), "neither read nor told of"
    assert all(any(name.startswith(names.rstrip("*")) for name in SCRAPYS) for names in UNHEEDED), "of no name"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        *((name, "{}", f"{name} leaves out ") for name in KEPT),
        ("DOWNLOADER_MIDDLEWARES", json.dumps(OURS["DOWNLOADER_MIDDLEWARES"] | {GATE: None}), f"leaves out {GATE}"),
        ("DOWNLOAD_HANDLERS", json.dumps(OURS["DOWNLOAD_HANDLERS"] | {"https": OTHER}), f"leaves out {HANDLER}."),
        ("REDIRECT_ENABLED", "1", "can't be changed"),
        ("RETRY_ENABLED", "yes", "can't be changed for a crawl: a redirect's target"),
        ("RETRY_ENABLED", "perhaps", "RETRY_ENABLED must be yes or no"),
        ("FEED_URI", "pages.json", "-o and -O name a file"),
        ("DNS_RESOLVER", "scrapy.resolver.CachingThreadedResolver", "refuses private addresses"),
        ("ITEM_PIPELINES", '{"no.such.part": 1}', "No module named 'no'"),
        ("TWISTED_REACTOR", "no.such", "No module named 'no'. Give the path of a class, such as twisted.internet."),
        ("SPIDER_LOADER_CLASS", "os.no", "has no attribute 'no'. Give the path of a class, such as scrapy."),
        ("CLOSESPIDER_PAGECOUNT", "few", "CLOSESPIDER_PAGECOUNT must be a whole number; its default is 0"),
        ("CLOSESPIDER_PAGECOUNT", "1e3", "CLOSESPIDER_PAGECOUNT must be a whole number; its default is 0"),
        ("DOWNLOAD_MAXSIZE", "1e6", "DOWNLOAD_MAXSIZE must be a whole number"),
        ("LOG_STDOUT", "perhaps", "LOG_STDOUT must be yes or no"),
        ("REQUEST_FINGERPRINTER_CLASS", "no.such", "No module named 'no'. Give the path of a class, such as scrapy."),
        ("STATS_CLASS", "os", "that is no class. Give the path of one, such as scrapy."),
    ],
)  # fmt: skip
def test_what_would_take_a_part_from_a_crawl_is_refused(folder: Folder, name: str, value: str, said: str) -> None:
    done = folder.crawl("http://127.0.0.1:1/", **{name: value})
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert said in done.stderr
