"""How much does parsing and filtering a page cost, stage by stage? Compared with another reader, and on hostile pages.

    bench/parse FOLDER [FOLDER …] [--pages 400] [--rounds 3] [--json]
    bench/parse --hostile [N]

FOLDER holds HTML files, at any depth. It reads a random sample of so many pages from each folder. The table covers all
of them, and the lines below it give the time of a page in each folder. Both readers take turns on each page, so other
work on the machine slows them alike. The best of the rounds counts, in CPU time. The rival does less: BeautifulSoup
takes title, text and links. With --hostile, it reads hostile pages, or the
first N of them, each in a process of its own. It checks time and memory against MOST_MS (of 95 pages in 100),
MOST_OF_ONE_MS and MOST_MEMORY. Exit code 0: all held.
"""

from __future__ import annotations

import multiprocessing
import random
import resource
import tempfile
import time
import warnings
from collections import defaultdict
from contextlib import suppress
from itertools import islice
from pathlib import Path
from statistics import mean, median, quantiles
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning

from bench.harness.program import MIN_BYTES, html_files, parser_of, positive, show, tell
from crawldb.database import CrawlDatabase
from pages import FetchedBody, encoding, html_document, language, page_parser, parse_page
from pages.html_document import is_harmless
from pipelines.filters import FilterSettings, PageFilters
from tests.pages.hostile_pages import hostile_pages
from urls.records import CanonicalUrl

if TYPE_CHECKING:
    from collections.abc import Callable

    from urls.records import Page

warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)  # ours reads XHTML as HTML too
URL = CanonicalUrl("http://site.example/manual/page.html")
MOST_MS, MOST_OF_ONE_MS = 250.0, 2000.0  # CPU time for parsing and filtering one hostile page
MOST_MEMORY = 300 * 1024 * 1024  # bytes of a process that has read one
AIM_MS = 4.0  # of CPU, for parsing and filtering a page of a real site
# A crawl loads the language classifier, numpy and datasketch once: a page that needs all three comes first.
LOADING = b"<p>" + b" ".join(b"palabra%d" % number for number in range(3000))
WHOLE = "read and judged, all of it"
# The module of a stage, its name there, and its label. Labels that begin with dots are parts of a stage.
STAGES = (
    (encoding, "decode", "decode"),
    (page_parser, "made_safe", "prove that it is harmless, or make it so"),
    (page_parser, "read_structured_data", "structured data"),
    (page_parser, "read_html", "read the document"),
    (html_document, "LexborHTMLParser", "… parse"),
    (html_document, "extract_text", "… text"),
    (html_document, "main_text", "… main text"),
    (page_parser, "collect_links", "links"),
    (language, "languages", "languages"),
)


class Stages:
    """The CPU milliseconds of each stage for the current page."""

    def __init__(self) -> None:
        self.took: defaultdict[str, float] = defaultdict(float)

    def timed(self, call: Callable[..., Any], stage: str) -> Callable[..., Any]:
        """Return a wrapper of the call that adds up its time."""

        def measured(*arguments: Any, **named: Any) -> Any:
            start = time.process_time()
            try:
                return call(*arguments, **named)
            finally:
                self.took[stage] += (time.process_time() - start) * 1000

        return measured

    def watch(self, filters: PageFilters) -> None:
        """Time all stages and filters from now on."""
        for place, name, stage in STAGES:
            setattr(place, name, self.timed(getattr(place, name), stage))
        for each in filters._filters:  # noqa: SLF001 - who else would tell them apart?
            each.apply = self.timed(each.apply, f"filter: {type(each).__name__}")  # type: ignore[method-assign]


def read(body: bytes) -> Page:
    """Parse a page completely."""
    return parse_page(FetchedBody(body, URL, [("Content-Type", "text/html")]))


def read_with_soup(body: bytes) -> None:
    """Read title, text and absolute links with BeautifulSoup on lxml, as its first examples do."""
    tree = BeautifulSoup(body, "lxml")
    _ = tree.title and tree.title.get_text()
    tree.get_text(" ", strip=True)
    for anchor in tree.find_all("a", href=True):
        with suppress(ValueError):
            urljoin(URL, str(anchor["href"]))


def measure(bodies: list[bytes], rounds: int) -> dict[str, list[float]]:
    """Return the best time of each stage and of the rival, page by page."""
    rows: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="bench-parse-") as folder, CrawlDatabase(Path(folder)) as database:
        filters, stages = PageFilters(database, FilterSettings()), Stages()
        stages.watch(filters)
        both = stages.timed(lambda body: filters.apply(read(body)), WHOLE)
        rival = stages.timed(read_with_soup, "BeautifulSoup (lxml)")
        both(LOADING)
        for body in bodies:
            best: dict[str, float] = {}
            for _ in range(rounds):
                stages.took.clear()
                for reader in (both, rival):
                    reader(body)
                for stage, took in stages.took.items():
                    best[stage] = min(best.get(stage, took), took)
            for stage, took in best.items():
                rows[stage].append(took)
    return rows


def report(rows: dict[str, list[float]], bodies: list[bytes]) -> dict[str, Any]:
    """Return the figures: a stage that a page does not need counts as 0."""
    every = {stage: times + [0.0] * (len(bodies) - len(times)) for stage, times in rows.items()}
    return {
        "pages": len(bodies),
        "mean_kb": mean(len(body) / 1024 for body in bodies),
        "proved_harmless": sum(is_harmless(body.decode("utf-8", "replace")) for body in bodies),
        "CPU ms a page": {stage: {"median": median(times), "mean": mean(times)} for stage, times in every.items()},
    }


def read_hostile(body: bytes) -> tuple[float, int, tuple[str, ...]]:
    """Parse and filter one page. Return CPU milliseconds, this process's peak memory, and the page's warnings."""
    with tempfile.TemporaryDirectory(prefix="bench-parse-") as folder, CrawlDatabase(Path(folder)) as database:
        filters = PageFilters(database, FilterSettings())
        filters.apply(read(LOADING))
        start = time.process_time()
        page = filters.apply(read(body))
        took = (time.process_time() - start) * 1000
    return took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, page.warnings


def hostile(most: int | None) -> dict[str, Any]:
    """Read the hostile pages, at most so many, and return the cost of each."""
    rows: list[dict[str, Any]] = []
    for name, markup in islice(hostile_pages(), most):
        with multiprocessing.get_context("spawn").Pool(1) as process:
            milliseconds, memory, told = process.apply(read_hostile, (markup.encode(),))
        row = {"page": name, "MB": len(markup) / 1e6, "ms": milliseconds, "MiB": memory / 2**20}
        rows.append(row | {"warning": told[0][:70] if told else None})
        tell(f"{name}: {milliseconds:.0f} ms")
    took = [row["ms"] for row in rows]
    held = (
        ("95 in 100, ms", quantiles(took, n=20)[-1], MOST_MS),
        ("the slowest, ms", max(took), MOST_OF_ONE_MS),
        ("memory of a process, MiB", max(row["MiB"] for row in rows), MOST_MEMORY / 2**20),
    )
    return {"hostile": rows, "bounds": [{"bound": name, "found": found, "at_most": most} for name, found, most in held]}


def main() -> int:
    """Measure a sample of each folder's pages, or the hostile ones, and print the figures."""
    parser = parser_of(__doc__, pages=400, rounds=3)
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER")
    parser.add_argument("--hostile", type=positive, nargs="?", const=0, metavar="N", help="read pages made to hurt")
    given = parser.parse_args()
    if given.hostile is not None:
        found = hostile(given.hostile or None)
        show(found, given)
        return int(any(row["found"] > row["at_most"] for row in found["bounds"]))
    if not given.folders:
        parser.error("give a folder of HTML files, or --hostile")
    samples = {folder.name: sample(folder, given.pages) for folder in given.folders}
    if empty := [folder for folder, bodies in samples.items() if not bodies]:
        parser.error(f"{empty[0]}: no HTML file of {MIN_BYTES} bytes or more below it")
    bodies = [body for each in samples.values() for body in each]
    rows = measure(bodies, given.rounds)
    whole = iter(rows[WHOLE])
    folders = {folder: median(islice(whole, len(each))) for folder, each in samples.items()}
    show(report(rows, bodies) | {"median_ms": folders | {"all": median(rows[WHOLE]), "aim": AIM_MS}}, given)
    return 0


def sample(folder: Path, pages: int) -> list[bytes]:
    """Return some of the folder's pages, the same each time."""
    files = html_files(folder)
    return [path.read_bytes() for path in random.Random(0).sample(files, min(pages, len(files)))]
