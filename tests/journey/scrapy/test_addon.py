"""Does a project of somebody else come by our manners? A new Scrapy project, with breadcrumb-robots installed.

The first crawl runs where nothing else of ours is. The others are forks, since each new Python imports Scrapy again.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import TYPE_CHECKING, Any

import pytest

from tests.child import run_elsewhere
from tests.forks import SCRAPY, forked
from tests.journey.conftest import html

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import ForkServer
    from tests.journey.conftest import Site

PROJECT = "shop"
Crawl = Callable[..., tuple[list[dict[str, Any]], str]]
SPIDER = """
import scrapy


class Pages(scrapy.Spider):
    name = "pages"

    async def start(self):
        yield scrapy.Request(self.home)

    def parse(self, response):
        yield {"url": response.url, "archive": response.meta["page_controls"].archive}
        yield from response.follow_all(css="a")
"""
SETTINGS = """
ADDONS = {"robots_addon.RobotsAddon": 100}
USER_AGENT = "ShopBot/2.0 (+https://shop.example)"
LOG_LEVEL = "INFO"
DOWNLOAD_DELAY = 0
RETRY_ENABLED = False
"""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project as `scrapy startproject` makes it, and two lines more."""
    place = tmp_path_factory.mktemp("project")
    run_elsewhere(sys.executable, "-m", "scrapy", "startproject", PROJECT, cwd=place)
    folder = place / PROJECT
    (folder / PROJECT / "spiders" / "pages.py").write_text(SPIDER)
    with (folder / PROJECT / "settings.py").open("a") as settings:
        settings.write(SETTINGS)
    return folder


@pytest.fixture
def project(begun: Path, tmp_path: Path) -> Path:
    """A copy of it, in which nobody has crawled."""
    return shutil.copytree(begun, tmp_path / PROJECT)


def words_of(site: Site, **settings: str) -> list[str]:
    """Return the words of Scrapy's command line."""
    given = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    return ["crawl", "pages", "-a", f"home={site.url}/", "-O", "items.json", *given]


def items_of(project: Path, log: str) -> list[dict[str, Any]]:
    """Return the items of the crawl that has this log."""
    assert "Traceback" not in log
    found: list[dict[str, Any]] = json.loads((project / "items.json").read_text() or "[]")
    return found


@pytest.fixture
def crawl(forks: ForkServer, project: Path, site: Site) -> Crawl:
    """Crawl in a fork, and return the items and the log."""

    def crawled(**settings: str) -> tuple[list[dict[str, Any]], str]:
        done = forked(forks, *words_of(site, **settings), entry=SCRAPY, folder=str(project))
        assert done.returncode == 0, done.stderr
        return items_of(project, done.stderr), done.stderr

    return crawled


def text(rules: str) -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Type": "text/plain"}, rules.encode()


@pytest.mark.slow
def test_its_pages_are_asked_for_and_kept_as_robots_txt_and_the_pages_say(
    python: Path, project: Path, site: Site
) -> None:
    """The project's own ROBOTSTXT_OBEY, which the template sets, does not ask for the file a second time."""
    rules = "User-agent: shopbot\nDisallow: /private$\n\nUser-agent: *\nDisallow: /\n"
    passed = {"X-Robots-Tag": f"unavailable_after: {formatdate(time.time() - 86_400, usegmt=True)}"}
    nofollow = b'<meta name="robots" content="nofollow"><a href="/behind">behind</a>'
    site.pages = {
        "/robots.txt": (301, {"Location": "/rules.txt"}, b""),
        "/rules.txt": text(rules),
        "/": html("home", "/private", "/private/2", "/noindex", "/nofollow", "/passed"),
        "/private/2": (200, {"Content-Type": "text/html", "X-Robots-Tag": "otherbot: noindex, noarchive"}, b"<p>two"),
        "/noindex": (200, {"Content-Type": "text/html", "X-Robots-Tag": "ShopBot: noindex"}, b'<a href="/last">l</a>'),
        "/nofollow": (200, {"Content-Type": "text/html"}, nofollow),
        "/passed": (200, {"Content-Type": "text/html"} | passed, b"<p>gone"),
        "/last": html("last"),
    }
    settings = project / PROJECT / "settings.py"
    settings.write_text(settings.read_text().replace("robots_addon.", "breadcrumb_robots.scrapy."))
    log = run_elsewhere(python, "-m", "scrapy", *words_of(site), cwd=project).stderr
    items = items_of(project, log)
    assert sorted(item["url"].removeprefix(site.url) for item in items) == ["/", "/last", "/nofollow", "/private/2"]
    asked = ["/", "/last", "/nofollow", "/noindex", "/passed", "/private/2", "/robots.txt", "/rules.txt"]
    assert sorted(site.asked()) == asked
    assert "/private is not requested: robots.txt: disallowed by line 2 (Disallow: /private$)" in log
    assert "/behind is left out: " in log
    assert "'robotstxt/noindex': 2" in log


@pytest.mark.slow
def test_what_is_known_outlives_the_run_in_a_file(crawl: Crawl, site: Site) -> None:
    site.pages = {"/robots.txt": text("User-agent: *\nDisallow: /a\n"), "/": html("home", "/a")}
    for _ in range(2):
        items, _ = crawl(ROBOTS_STATE="robots.sqlite3")
        assert len(items) == 1
    assert site.asked() == ["/robots.txt", "/", "/"]
    crawl()
    assert site.asked()[3:] == ["/robots.txt", "/"]


def test_a_robots_txt_in_trouble_closes_the_site_and_that_is_said(crawl: Crawl, site: Site) -> None:
    site.pages = {"/robots.txt": (503, {}, b""), "/": html("home")}
    items, log = crawl()
    assert (items, site.asked()) == ([], ["/robots.txt"])
    assert "the site stays closed until its rules are known" in log
    assert "'robotstxt/closed': 1" in log


def test_a_crawl_delay_is_kept_up_to_the_longest(crawl: Crawl, site: Site) -> None:
    site.pages = {"/robots.txt": text("User-agent: *\nCrawl-delay: 50\n"), "/": html("home", "/a"), "/a": html("a")}
    crawl(ROBOTS_MAX_DELAY="1.2", DOWNLOAD_DELAY_JITTER="0")
    starts = dict(zip(site.asked(), site.starts, strict=True))
    assert starts["/a"] - starts["/"] > 0.75  # a busy server notes late


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        pytest.param("ROBOTS_DENIAL=perhaps", "ROBOTS_DENIAL='perhaps': give one of open or closed", id="denial"),
        pytest.param("ROBOTS_STATE=nowhere/a.db", "ROBOTS_STATE='nowhere/a.db' can't be used", id="file"),
    ],
)
def test_a_setting_that_cannot_be_used_ends_the_crawl(
    forks: ForkServer, project: Path, site: Site, setting: str, said: str
) -> None:
    done = forked(forks, *words_of(site), "-s", setting, entry=SCRAPY, folder=str(project))
    assert (done.returncode, said in done.stderr) == (1, True), done.stderr
    assert site.asked() == []
