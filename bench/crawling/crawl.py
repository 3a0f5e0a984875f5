"""How does the cost of a crawl compare with Scrapy that only follows links, and with the textbook engine?

    bench/crawl --site URL [--site URL …] [--repeats 3] [--json]
    bench/crawl lossy         what would a Bloom filter for its URLs lose? bench/crawling/lossy.py
    bench/crawl rendering     what does a page cost that scripts fill? bench/crawling/rendering.py
    bench/crawl textbook      what does the textbook engine lack? bench/crawling/textbook_engine.py

Ours is the whole of it: robots, parse, duplicates, store, journal and the index, whose writer is a second process. The
textbook engine (textbook/) is Scrapy, BeautifulSoup, MinHashLSH and Whoosh, as their own tutorials use them. Each run
has a fresh folder and a fresh process; the three take turns, and the order changes with each repeat. Sites must be on
this machine: other sites would be fetched many times, at full speed.

A machine is never equally busy twice, so a ratio is taken between runs of the same repeat. The median of these ratios
counts. Runs that fetched different numbers of pages did different work: the exit code is then 1.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bench.harness.cost import Cost, measure_command
from bench.harness.program import in_turns, paired_ratio, parser_of, show, tell
from bench.harness.start import ROOT
from spiders.downloader.address_policy import is_loopback
from tests.own_commands import our_command

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = {
    "ours": "Breadcrumb, all of it",
    "a": "(a) Scrapy, links only",
    "b": "(b) the textbook engine",
}
# These sites, unlike the practice web, have an end, and the textbook engine may reach it, as the others do.
UNBOUNDED = ("CLOSESPIDER_PAGECOUNT=0", "DEPTH_LIMIT=0")
FETCHED = re.compile(r"Fetched ([\d,]+) pages? with ([\d,]+) requests?")
MAX_APART = 0.02  # share of the pages by which runs may differ: crawlers treat a site's traps and odd links differently
CPU_AIM = 0.5  # of rival (b)'s CPU time, at most
WALL_AIM = 1.5  # times rival (a)'s wall time, less than
MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One crawl: pages with status 200, requests of all kinds, and the cost."""

    pages: int
    requests: int
    cost: Cost


RunsByCrawler = dict[str, list[MeasuredRun]]  # by crawler, in the order of the repeats


def numbers_of(runs: Sequence[MeasuredRun]) -> dict[str, Any]:
    """Return the medians of a crawler's runs."""
    return {
        "pages": median(run.pages for run in runs),
        "requests": median(run.requests for run in runs),
        "wall_s": median(run.cost.wall for run in runs),
        "pages_per_s": median(run.pages / run.cost.wall for run in runs),
        "cpu_s": median(run.cost.cpu for run in runs),
        "cpu_s_per_1000_pages": median(1000 * run.cost.cpu / run.pages for run in runs),
        "processes": max(len(run.cost.peaks) for run in runs),
        "peak_mib": median(run.cost.largest for run in runs) / MIB,
        "peak_mib_all": median(run.cost.together for run in runs) / MIB,
    }


def paired_ratios(runs: RunsByCrawler, ours: str) -> dict[str, dict[str, dict[str, float]]]:
    """Return our ratios to each rival, in wall time and in CPU time per page."""
    return {
        rival: {
            "wall": paired_ratio(runs[ours], other, lambda run: run.cost.wall / run.pages),
            "cpu": paired_ratio(runs[ours], other, lambda run: run.cost.cpu / run.pages),
        }
        for rival, other in runs.items()
        if rival != ours
    }


def disagreement(runs: RunsByCrawler) -> str | None:
    """Return how far the numbers of pages differ, or None: the same work was done."""
    counts = {name: [run.pages for run in done] for name, done in runs.items()}
    every = [count for of_one in counts.values() for count in of_one]
    apart = (max(every) - min(every)) / max(every)
    if apart <= MAX_APART:
        return None
    told = ", ".join(f"{name} {min(of_one)} to {max(of_one)}" for name, of_one in counts.items())
    return f"the runs fetched different numbers of pages ({told}): they lie {apart:.1%} apart, {MAX_APART:.0%} may be"


def crawl_as(who: str, sites: list[str], folder: Path) -> MeasuredRun:
    """Crawl the sites into a folder with one of the three crawlers."""
    if who == "ours":
        crawling = our_command("crawl", "site", "-a", f"seeds={','.join(sites)}", DATA_DIR=folder)
        cost, _ = measure_command(crawling, cwd=folder)
        _, output = measure_command(our_command("report", "--json", DATA_DIR=folder), cwd=folder)
        report = json.loads(output)
        return MeasuredRun(report["pages"]["stored"], report["requests"], cost)
    if who == "b":
        words = ["-a", f"seeds={','.join(sites)}", *(word for each in UNBOUNDED for word in ("-s", each))]
        cost, output = measure_command(our_command("crawl", "textbook", *words, DATA_DIR=folder / "data"), cwd=folder)
        pages, requests = (int(number.replace(",", "")) for number in FETCHED.findall(output)[0])
        return MeasuredRun(pages, requests, cost)
    cost, output = measure_command([sys.executable, "-m", "bench.crawling.follower", *sites], cwd=ROOT)
    fetched = json.loads(output.splitlines()[-1])
    return MeasuredRun(fetched["pages"], fetched["requests"], cost)


def race(sites: list[str], repeats: int) -> RunsByCrawler:
    """Run all three in turns."""

    def run(who: str) -> MeasuredRun:
        with tempfile.TemporaryDirectory(prefix="bench-crawl-") as folder:
            return crawl_as(who, sites, Path(folder))

    runs: RunsByCrawler = {who: [] for who in NAMES}
    for repeat, who, done in in_turns(NAMES, repeats, run):
        runs[who].append(done)
        took = f"{done.pages} pages, {done.cost.wall:.1f} s, CPU {done.cost.cpu:.1f} s"
        tell(f"{repeat + 1}/{repeats} {NAMES[who]}: {took}")
    return runs


def report_on(runs: RunsByCrawler, sites: list[str]) -> dict[str, Any]:
    """Return the whole report."""
    ratios = paired_ratios(runs, "ours")
    return {
        "sites": sites,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": {name: importlib.metadata.version(name) for name in ("scrapy", "whoosh3", "datasketch", "lxml")},
        "repeats": len(runs["ours"]),
        "crawlers": {who: {"name": NAMES[who]} | numbers_of(done) for who, done in runs.items()},
        "ratios": ratios,
        "cpu_aim_met": ratios["b"]["cpu"]["median"] <= CPU_AIM,
        "wall_aim_met": ratios["a"]["wall"]["median"] < WALL_AIM,
        "disagreement": disagreement(runs),
    }


def loopback_site(text: str) -> str:
    """Check a URL of the command line."""
    parts = urlsplit(text)
    if parts.scheme != "http" or not is_loopback(parts.hostname or ""):
        raise argparse.ArgumentTypeError(f"{text!r} is not on this machine: give a URL like http://127.0.0.1:8000/")
    return text


def main() -> int:
    """Measure and print; exit code 1 if the numbers of pages differ too much."""
    parser = parser_of(__doc__, repeats=3)
    parser.add_argument("--site", type=loopback_site, action="append", required=True, metavar="URL", dest="sites")
    options = parser.parse_args()
    report = report_on(race(options.sites, options.repeats), options.sites)
    show(report, options)
    return int(report["disagreement"] is not None)
