"""What does a kill cost a Scrapy project? It is killed at a chosen request, and the same command continues to the end.

The site is a tree: a page that is lost takes all pages below it along. Each response takes a moment, so several
requests are under way when the kill comes.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.journey.conftest import html
from tests.journey.scrapy.parts import crawl, crawling, visited

if TYPE_CHECKING:
    from pathlib import Path

    from tests.forks import ForkServer
    from tests.journey.conftest import Answer, Site

LATENCY = 0.01  # seconds
LINKS = 3  # of a page to pages that nothing else links to

WAYS = {
    "JOBDIR": ('JOBDIR = "job"',),
    "Scheduler": ('SCHEDULER = "breadcrumb.scrapy.Scheduler"', 'DATA_DIR = "crawl"'),
}


@dataclass(frozen=True, slots=True)
class Cost:
    """Pages that never came to the spider, and pages that came more than once."""

    lost: int
    repeated: int


class Executioner:
    """Serves the tree, and kills a process when it has answered so many requests."""

    def __init__(self, site: Site, pages: int) -> None:
        self._answered, self._at, self._process = 0, 0, 0
        self._lock = threading.Lock()
        self.urls = {site.url + ("/" if page == 0 else f"/{page}") for page in range(pages)}
        for page in range(pages):
            below = [f"/{child}" for child in range(LINKS * page + 1, LINKS * page + LINKS + 1) if child < pages]
            site.pages["/" if page == 0 else f"/{page}"] = lambda _, page=page, below=below: self._answer(page, below)  # type: ignore[misc]

    def aim(self, process: int, request: int) -> None:
        """Kill a process at a request from now on, the first being 1."""
        with self._lock:
            self._process, self._at = process, self._answered + request

    def _answer(self, page: int, below: list[str]) -> Answer:
        time.sleep(LATENCY)
        with self._lock:
            self._answered += 1
            if self._answered == self._at:
                os.kill(self._process, signal.SIGKILL)
        return html(f"page {page}", *below)


def kill_and_continue(project: Path, site: Site, pages: int, request: int, forks: ForkServer | None = None) -> Cost:
    """Crawl a new project, kill it at a request, crawl it to the end, and return what that cost."""
    executioner = Executioner(site, pages)
    with crawling(project, site.url + "/", forks=forks) as process:
        executioner.aim(process.pid, request)
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    crawl(project, site.url + "/", forks=forks)
    came = visited(project)
    return Cost(len(executioner.urls.difference(came)), len(came) - len(set(came)))
