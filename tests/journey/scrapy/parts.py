"""A Scrapy project of somebody else that follows links, and uses parts of ours by lines of its settings.py."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import DEVNULL
from typing import TYPE_CHECKING

from tests.child import PATIENCE, child, elsewhere, run_elsewhere

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from subprocess import Popen

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "package"  # all that the project sees of ours
PROJECT = "shop"
SPIDER = """
import scrapy


class Pages(scrapy.Spider):
    name = "pages"

    async def start(self):
        yield scrapy.Request(self.home, dont_filter=True)

    def parse(self, response):
        with open("visited", "a") as visited:
            print(response.url, file=visited)
        headers = dict(response.headers.to_unicode_dict())
        yield {"url": response.url, "html": response.text, "status": response.status, "headers": headers}
        yield from response.follow_all(css="a")
"""
SETTINGS = """
ROBOTSTXT_OBEY = False
USER_AGENT = "ShopBot/2.0 (+https://shop.example)"
LOG_LEVEL = "INFO"
DOWNLOAD_DELAY = 0
CONCURRENT_REQUESTS_PER_DOMAIN = 8
RETRY_ENABLED = False
TELNETCONSOLE_ENABLED = False
"""


def make_project(place: Path, *lines: str) -> Path:
    """Make a project as `scrapy startproject` does, with these lines more in its settings.py; return its folder."""
    run_elsewhere(sys.executable, "-m", "scrapy", "startproject", PROJECT, cwd=place)
    folder = place / PROJECT
    (folder / PROJECT / "spiders" / "pages.py").write_text(SPIDER)
    with (folder / PROJECT / "settings.py").open("a") as settings:
        settings.write("\n".join((SETTINGS, *lines, "")))
    return folder


def crawling(folder: Path, home: str, *words: str) -> AbstractContextManager[Popen[str]]:
    """Start a crawl in a process of its own, which knows nothing of ours but the folder `package/`."""
    command = [sys.executable, "-m", "scrapy", "crawl", "pages", "-a", f"home={home}", *words]
    environment = elsewhere() | {"PYTHONPATH": str(PACKAGE)}
    return child(command, cwd=folder, env=environment, stdout=DEVNULL)


def crawl(folder: Path, home: str, *words: str, code: int = 0) -> str:
    """Crawl to the end, check the exit code, and return the log."""
    with crawling(folder, home, *words) as process:
        _, log = process.communicate(timeout=PATIENCE)
    assert process.returncode == code, log
    return log


def visited(folder: Path) -> list[str]:
    """Return the URLs of the pages that came to the spider, in all crawls of a project."""
    return (folder / "visited").read_text().split()
