"""How does indexing compare with whoosh3 and tantivy; how does an update's cost grow with the index?

    bench/index FOLDER… [--pages 400] [--repeats 3] [--opensearch] [--json]
    bench/index kills         what is lost when nodes of OpenSearch are killed? bench/indexing/killed_nodes.py

A FOLDER holds `docs.jsonl.gz` (id, title, text); if it has too few pages, they come again under other URLs. The
writers index the same pages by turns, each in a process of its own, so a busy machine slows them alike. The median of
the ratios between them counts. Times are CPU seconds without the reading of the pages; memory is the peak of the
process. tantivy is found if it is installed (`bench/search` says how). `--opensearch` also writes into a node on
loopback (tests/extensions/machines/opensearch/nodes.py): seconds and memory are then those of our process, and the
CPU seconds of the node for each of them stand next to them.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import random
import resource
import tempfile
import time
from importlib.util import find_spec
from itertools import cycle, islice
from operator import itemgetter
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.harness.collection import read_pages
from bench.harness.program import in_turns, paired_ratio, parser_of, show, size_of
from bench.indexing.engines import ENGINES
from bench.indexing.opensearch import OpenSearch
from indexer import open_writer
from tests.extensions.machines.opensearch.nodes import missing
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Iterator

UPDATES = 20  # pages replaced at each size
SIZES = (200, 400, 800, 1_600, 3_200)  # pages in the index when updates are timed


def sample_pages(folders: list[Path], count: int) -> Iterator[Page]:
    """Yield so many pages, spread over the collections; with too few, all of them again and again."""
    every = [row for folder in folders for row in _plain_pages(folder)]
    step = max(1, len(every) // count)
    for number, page in enumerate(islice(cycle(every[::step]), count)):
        turn = number * step // len(every)
        yield dataclasses.replace(page, url=CanonicalUrl(f"{page.url}?{turn}")) if turn else page


def _plain_pages(folder: Path) -> Iterator[Page]:
    """Yield what all engines index of a page."""
    for page in read_pages(folder, f"http://{folder.name}.test/"):
        yield Page(page.url, page.title, page.text, language="en")


class TimedPages:
    """Pages that measure the CPU seconds of their reading."""

    def __init__(self, pages: Iterator[Page]) -> None:
        self._pages = pages
        self.seconds = 0.0
        self.characters = 0

    def __iter__(self) -> Iterator[Page]:
        while True:
            start = time.process_time()
            page = next(self._pages, None)
            self.seconds += time.process_time() - start
            if page is None:
                return
            self.characters += len(page.title) + len(page.text)
            yield page


def index_once(name: str, folders: list[Path], count: int) -> dict[str, float]:
    """Index pages with one of the engines, and return the cost."""
    with tempfile.TemporaryDirectory() as folder:
        pages = TimedPages(sample_pages(folders, count))
        engine = OpenSearch(Path(folder)) if name == "opensearch" else ENGINES[name](Path(folder))
        start = time.process_time()
        engine.add(pages)
        seconds = time.process_time() - start - pages.seconds
        node = engine.node if isinstance(engine, OpenSearch) else {"bytes": size_of(Path(folder))}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "characters": pages.characters, "memory_mib": memory, "node_s": 0.0} | node


def in_a_process(name: str, folders: list[Path], count: int) -> dict[str, float]:
    """Do that in a process of its own, with its own memory."""
    with multiprocessing.get_context("spawn").Pool(1) as process:
        return process.apply(index_once, (name, folders, count))


def compare_writers(folders: list[Path], count: int, repeats: int, *, opensearch: bool) -> dict[str, Any]:
    """Index the same pages by turns with all engines; `times_ours` is the others' CPU time divided by ours."""
    names = [name for name in ENGINES if name != "tantivy" or find_spec("tantivy")] + ["opensearch"] * opensearch
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for _, name, row in in_turns(names, repeats, lambda name: in_a_process(name, folders, count)):
        rows[name].append(row)
    return {
        name: {
            "pages_per_s": round(median(count / row["seconds"] for row in of_one), 1),
            "times_ours": round(paired_ratio(of_one, rows["ours"], itemgetter("seconds"))["median"], 2),
            "bytes_per_page": round(median(row["bytes"] / count for row in of_one)),
            "bytes_per_character": round(median(row["bytes"] / row["characters"] for row in of_one), 3),
            "memory_mib": round(median(row["memory_mib"] for row in of_one)),
            "node_s_per_s": round(median(row["node_s"] / row["seconds"] for row in of_one), 2),
        }
        for name, of_one in rows.items()
    }


def updates(pages: list[Page]) -> list[dict[str, float]]:
    """Time the replacement of pages, and the addition of as many, in an index that grows."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, open_writer(Path(folder)) as writer:
        count = 0
        for size in SIZES:
            while count < size:
                writer.put(renamed(pages, count))
                count += 1
            writer.commit()
            row: dict[str, float] = {"index": size}
            for name, numbers in (
                ("update", random.sample(range(size), UPDATES)),
                ("add", range(size, size + UPDATES)),
            ):
                start = time.process_time()
                for number in numbers:
                    writer.put(renamed(pages, number))
                writer.commit()
                row[f"{name}_ms"] = round((time.process_time() - start) * 1_000 / UPDATES, 2)
            count = max(count, size + UPDATES)
            rows.append(row)
    return rows


def renamed(pages: list[Page], number: int) -> Page:
    """Return one of the pages under a URL of its own, cut to a fixed length: only the index's size then differs."""
    page = pages[number % len(pages)]
    return dataclasses.replace(page, url=CanonicalUrl(f"http://updates.test/{number}"), text=page.text[:4_000])


def main() -> None:
    """Read the command line, measure, print."""
    parser = parser_of(__doc__, pages=400, repeats=3)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--opensearch", action="store_true", help="write into OpenSearch, too")
    options = parser.parse_args()
    if options.opensearch and (lacking := missing()):
        parser.error(lacking)
    indexing = compare_writers(options.folders, options.pages, options.repeats, opensearch=options.opensearch)
    pages = list(sample_pages(options.folders, min(options.pages, SIZES[-1])))
    show({"indexing": indexing, "updates": updates(pages)}, options)
