"""A Scrapy project of somebody else that follows links, and uses parts of ours by lines of its settings.py.

A crawl is a new process of Python, or, with `forks`, a fork that has Scrapy loaded, but nothing of ours any more.
"""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import DEVNULL
from typing import TYPE_CHECKING

from tests.child import PATIENCE, child, elsewhere, run_elsewhere
from tests.forks import fork
from tests.forks_ahead import scrapy

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from subprocess import Popen

    from tests.forks import Fork, ForkServer

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


def crawling(
    folder: Path, home: str, *words: str, forks: ForkServer | None = None
) -> AbstractContextManager[Popen[str] | Fork]:
    """Start a crawl in a process of its own, which knows nothing of ours but the folder `package/`."""
    line = ("crawl", "pages", "-a", f"home={home}", *words)
    if forks:
        return fork(forks, *line, entry=f"{__name__}:{scrapy_with_the_package.__name__}", folder=str(folder))
    environment = elsewhere() | {"PYTHONPATH": str(PACKAGE)}
    return child([sys.executable, "-m", "scrapy", *line], cwd=folder, env=environment, stdout=DEVNULL)


def scrapy_with_the_package(words: list[str]) -> None:
    """Run Scrapy as in a process in which nothing of ours is loaded, and `package/` is on the path."""
    ours = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"tests"}
    for name in [name for name in sys.modules if name.partition(".")[0] in ours]:
        del sys.modules[name]
    sys.path[:] = [str(PACKAGE), *(path for path in sys.path if Path(path).resolve() != ROOT)]
    scrapy(words)


def crawl(folder: Path, home: str, *words: str, code: int = 0, forks: ForkServer | None = None) -> str:
    """Crawl to the end, check the exit code, and return the log."""
    with crawling(folder, home, *words, forks=forks) as process:
        _, log = process.communicate(timeout=PATIENCE)
    assert process.returncode == code, log
    return log


def visited(folder: Path) -> list[str]:
    """Return the URLs of the pages that came to the spider, in all crawls of a project."""
    return (folder / "visited").read_text().split()
