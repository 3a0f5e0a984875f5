"""Does a kill or a power cut lose, repeat or hide anything? Crawls of a generated site die, again and again.

    bench/crash [--kills 100] [--cuts 40] [--starts 3] [--known 0] [--pages 30] [--seed 1] [--json]
    bench/crash damage        what does `search` say of a damaged folder? bench/crashing/damage.py
    bench/crash scrapy        what does a kill cost a Scrapy project? bench/crashing/scrapy_projects.py

A kill falls on any call that changes the data folder, or on any instant. A power cut leaves any part of the data that
was not synchronised. After each death the stored pages, the index and the accounting must agree. After the next
undisturbed run they must equal the known content of the site. No request is repeated but those in flight at a kill. The
crawls write archives, if that extension is on: each stored page must be in one, and every record whole.

A start is a crawl in a process of its own, from nothing to its first request. With --known it also starts from the
folder of a killed crawl that knows so many URLs: a few stored pages link to hundreds of URLs each, and all others wait
in the queue or are in flight.

The checks are those of tests/durability. Exit code 0: all of it held, each time. A small C source, compiled on the
spot, counts and records the calls: that takes Linux and a C compiler.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench.harness.program import parser_of, show, tell
from commands.frame.command_settings import CommandSettings
from spiders.arguments import SpiderArguments
from spiders.crawl_settings import CrawlSettings
from tests.child import own_fork
from tests.durability.generated_site import GeneratedSite
from tests.durability.kills import kill_trials
from tests.durability.power_cuts import RecordedCrawl
from tests.durability.recording import NoShim, build_shim
from tests.forks import ForkServer
from tests.own_commands import our_command
from urls.records import Link, Page

WATCH_SECONDS = 0.002  # between two looks at the site's log
LINKS = 1000  # of each page
UNDER_WAY = 16
NO_LIMIT = 10**8  # no budget then limits how many are known
# Of the continued crawl: only its first requests are needed.
SETTINGS = {"SITE_PAGES": NO_LIMIT, "PATTERN_PAGES": NO_LIMIT, "MAX_REQUESTS": 3}


def killed(count: int, seed: int, folder: Path, site: GeneratedSite, forks: ForkServer) -> dict[str, Any]:
    """Kill so many processes, a few in each folder."""
    kills: Counter[tuple[str, str]] = Counter()
    faults: list[str] = []
    ends = repeated = 0
    for trial in kill_trials(count, seed, folder, site, forks):
        kills.update((kill.victim, kill.phase) for kill in trial.kills)
        faults += trial.faults
        faults += (f"{kill.victim} killed {kill.phase}: {fault}" for kill in trial.kills for fault in kill.faults)
        ends += 2
        repeated += trial.requests_repeated
        tell(f"{kills.total()} of {count} kills: {len(faults)} faults", *faults[-1:])
    return {
        "kills": [{"victim": who, "phase": when, "kills": kills[who, when]} for who, when in sorted(kills)],
        "ends_compared_with_the_truth": ends,
        "requests_repeated": repeated,
        "faults": faults,
    }


def cut(count: int, seed: int, folder: Path, site: GeneratedSite, forks: ForkServer) -> dict[str, Any]:
    """Record a crawl, and cut the power so many times."""
    recorded = RecordedCrawl(site, forks, folder)
    recorded.record()
    faults = [*recorded.faults]
    cuts: Counter[tuple[str, str]] = Counter()
    for one in recorded.cuts(count, random.Random(seed)):
        cuts["index" if "/index" in one.where else "crawl database", one.kept] += 1
        faults += (f"cut {one.at} at {one.where}, {one.kept} kept: {fault}" for fault in one.faults)
        if cuts.total() % 10 == 0:
            tell(f"{cuts.total()} of {count} power cuts: {len(faults)} faults", *faults[-1:])
    rows = [{"power cuts in": file, "kept": kept, "cuts": cuts[file, kept]} for file, kept in sorted(cuts)]
    return {"cuts": rows, "calls": len(recorded.calls), "faults": faults}


def restarted(urls: int, count: int, folder: Path, site: GeneratedSite) -> list[float]:
    """Start so many times from the folder of a killed crawl that knows so many URLs."""
    make_killed_crawl(folder / "known", f"{site.url}/", urls)
    seconds = []
    for number in range(count):
        data = shutil.copytree(folder / "known", folder / f"known-{number}")
        seconds.append(seconds_to_the_first_request(data, site, **SETTINGS))
        shutil.rmtree(data)
    return seconds


def make_killed_crawl(data: Path, seed: str, known: int) -> None:
    """Make a data folder as kill -9 leaves it, whose crawl knows so many URLs below `seed`; in a process that dies."""

    def crawl_and_die() -> None:
        _crawl(data, seed, known)
        os.kill(os.getpid(), signal.SIGKILL)

    with own_fork(crawl_and_die) as child:
        os.waitpid(child, 0)


def _crawl(data: Path, seed: str, known: int) -> None:
    # The next crawl has the same settings: with others it would review all URLs.
    settings = CommandSettings([f"DATA_DIR={data}", *(f"{name}={value}" for name, value in SETTINGS.items())])
    session = CrawlSettings.read(settings, SpiderArguments(seed)).open_session()
    for first in range(1, known, LINKS):
        [lease] = session.frontier.lease(1, lambda _: 1)
        links = tuple(
            Link(f"{seed}known/{number}.html", "a link") for number in range(first, min(first + LINKS, known))
        )
        text = f"This page is about number {first}."
        session.store.page(Page(lease.url, str(first), text, links=links, fetched_at=time.time(), status=200))
    session.frontier.lease(UNDER_WAY, lambda _: UNDER_WAY)


def seconds_to_the_first_request(data: Path, site: GeneratedSite, **settings: int) -> float:
    """Crawl one page in a process of its own; return the seconds until its first request."""
    site.begin_again()
    words = our_command("crawl", "site", "-a", f"seeds={site.url}/", "-a", "pages=1", DATA_DIR=data, **settings)
    began = time.monotonic()
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not site.log and process.poll() is None:
            time.sleep(WATCH_SECONDS)
        first = time.monotonic() - began
    return round(first, 3)


def main() -> int:
    """Kill, cut, and print the results."""
    parser = parser_of(__doc__, pages=30, seed=1, known=0)
    parser.add_argument("--kills", type=int, default=100, metavar="N", help="processes that are killed (100)")
    parser.add_argument("--cuts", type=int, default=40, metavar="N", help="power cuts (40)")
    parser.add_argument("--starts", type=int, default=3, metavar="N", help="starts until their first request (3)")
    options = parser.parse_args()
    report: dict[str, Any] = {"kills": [], "cuts": []}
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as name, GeneratedSite(options.seed, options.pages) as site:
        folder = Path(name)
        try:
            shim = build_shim(folder)
        except NoShim as reason:
            raise SystemExit(f"crash: {reason}") from None
        with ForkServer(folder, shim) as forks:
            for count, way in ((options.kills, killed), (options.cuts, cut)):
                if count:
                    report |= way(count, options.seed, folder, site, forks)
                    faults += report.pop("faults")
        report["starts"] = [seconds_to_the_first_request(folder / f"start-{n}", site) for n in range(options.starts)]
        report["known"] = options.known
        report["restarts"] = restarted(options.known, options.starts, folder, site) if options.known else []
    show(report | {"faults": faults}, options)
    return int(bool(faults))
