"""How long until a crawl asks for its first page? From nothing, and where a killed crawl knew many URLs.

Such a folder is made by a session, as a crawl's is: a few pages that link to hundreds of addresses each are stored, and
all others wait in the queue, or are under way.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING

from commands.frame.command_settings import CommandSettings
from spiders.arguments import SpiderArguments
from spiders.conduct import Conduct
from tests.own_commands import our_command
from urls.records import Link, Page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.durability.generated_site import GeneratedSite

WATCH_SECONDS = 0.002  # how often the site's log is looked at
LINKS = 1000  # of each page
UNDER_WAY = 16
NO_LIMIT = 10**8  # so that no budget has a say in how many are known
# Of the crawl that goes on, whose first requests are all that is wanted.
SETTINGS = {"SITE_PAGES": NO_LIMIT, "PATTERN_PAGES": NO_LIMIT, "MAX_REQUESTS": 3}


def make_killed_crawl(data: Path, seed: str, known: int) -> None:
    """Make a data folder whose crawl knows so many URLs below `seed`, as kill -9 leaves it; in a process that dies."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        _crawl(data, seed, known)
    finally:
        os.kill(os.getpid(), signal.SIGKILL)


def _crawl(data: Path, seed: str, known: int) -> None:
    # The settings are the next crawl's as well: with others it would review all URLs.
    settings = CommandSettings([f"DATA_DIR={data}", *(f"{name}={value}" for name, value in SETTINGS.items())])
    session = Conduct.read(settings, SpiderArguments(seed)).open_session()
    for first in range(1, known, LINKS):
        [lease] = session.frontier.lease(1, lambda _: 1)
        links = tuple(
            Link(f"{seed}known/{number}.html", "a link") for number in range(first, min(first + LINKS, known))
        )
        text = f"This page is about number {first}."
        session.store.page(Page(lease.url, str(first), text, links=links, fetched_at=time.time(), status=200))
    session.frontier.lease(UNDER_WAY, lambda _: UNDER_WAY)


def seconds_to_the_first_request(data: Path, site: GeneratedSite, **settings: int) -> float:
    """Crawl one page as a person does, in a process of its own; return when its first request came."""
    site.begin_again()
    words = our_command("crawl", "site", "-a", f"seeds={site.url}/", "-a", "pages=1", DATA_DIR=data, **settings)
    began = time.monotonic()
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not site.log and process.poll() is None:
            time.sleep(WATCH_SECONDS)
        first = time.monotonic() - began
    return round(first, 3)
