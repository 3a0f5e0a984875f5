"""Has enough been tried to tell what a run will cost? If not, a small crawl is made, which the big one goes on from."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from crawldb.frontier.site import site_of
from crawldb.planning.measurement import measure
from crawldb.visited.lookup import find_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb import CanonicalUrl, CrawlDatabase

COMMANDS = Path(__file__).resolve().parents[1]


def is_done(database: CrawlDatabase, seeds: Sequence[CanonicalUrl], requests: int) -> bool:
    """Return whether the latest round has asked each site for so many pages, or for all that it has.

    A seed that the folder does not know yet has not been tried, whatever is known of its site.
    """
    round_ = database.count("SELECT max(id) FROM round")
    tried = {one.site: one.requests >= requests or not one.queued for one in measure(database, round_)}
    known = all(find_row(database.connection, "seed", seed) == (1,) for seed in seeds)
    return bool(tried) and known and all(tried.values()) and all(site_of(seed) in tried for seed in seeds)


def make(seeds: str, requests: int, settings: Sequence[str]) -> int:
    """Crawl so much of each site; return the exit code of the crawl. It leaves its round open.

    Ctrl-C is for the crawl alone, which ends by it; what it says of its end is not for this command's reader.
    """
    words = [sys.executable, "-P", str(COMMANDS), "crawl", "site", "-a", f"each={requests}"]
    words += ["-a", f"seeds={seeds}"] if seeds else []
    for setting in settings:
        words += ["-s", setting]
    before = signal.signal(signal.SIGINT, lambda *_: None)  # a handler, not SIG_IGN: the child would inherit that
    try:
        return subprocess.run(words, stdout=subprocess.DEVNULL, check=False).returncode  # noqa: S603 - our own command
    finally:
        signal.signal(signal.SIGINT, before)
