"""How long does a search take, and how does that grow? Compared with whoosh3 and tantivy, over pages of real manuals.

    bench/search FOLDER [--manuals FOLDER …] [--pages 20000] [--questions 200] [--rebuild] [--json]
    bench/search FOLDER --short 1000000 [--only ours] [--questions 200] [--rebuild] [--json]
    bench/search static DATA  what does a search without a server cost? bench/indexing/static.py

Milliseconds of CPU: the median and the 95th percentile. Each query runs once, so no cache has its results. "ranking"
finds the ten best, "with snippets" also shows their snippets; phrases are in quotes. The first run reads the HTML files
below the folders of --manuals into FOLDER/docs.jsonl.gz, and each engine indexes them below FOLDER. Meanwhile it is
also searched at a sixteenth, an eighth … of the pages: that is the growth. Later runs search the existing indexes;
`--rebuild` indexes again with our current code. `--short` searches passages of 60 words cut from these pages.
`--only ours` leaves the other engines out.

An engine that is not installed is left out. tantivy is not among our packages:

    pip install --target /somewhere tantivy
    PYTHONPATH=/somewhere bench/search …
"""

from __future__ import annotations

import shutil
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.harness.collection import DOCUMENTS, read_pages
from bench.harness.program import cpu_ms, p50_p95, parser_of, positive, show, tell
from bench.indexing.engines import ENGINES
from bench.indexing.manual_pages import passages, questions_on, write_collection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bench.indexing.engines import Engine
    from urls.records import Page

WARMING = 20  # queries before the first timed one: they import modules and fill the system's file cache
STEPS = 5  # sizes at which an engine is searched while it indexes, each twice the one before
OURS = "ours"
Times = dict[str, dict[str, float]]  # by kind of query: p50 and p95 in CPU milliseconds


def timed(engine: Engine, questions: Sequence[str], *, snippets: bool) -> dict[str, float]:
    """Run each query once and return the milliseconds of CPU."""
    return p50_p95([cpu_ms(partial(engine.ask, question, snippets=snippets)) for question in questions])


def ask_all(engine: Engine, questions: dict[str, list[str]]) -> Times:
    """Run the queries of each kind: one half without snippets, the other with them, so none runs twice."""
    told: Times = {"open": p50_p95([cpu_ms(engine.open)])}
    for question in questions["warming"]:
        engine.ask(question, snippets=True)
    for kind in ("headings", "two words", "phrases"):
        half = len(questions[kind]) // 2
        told[f"{kind}, ranking"] = timed(engine, questions[kind][:half], snippets=False)
        told[f"{kind}, with snippets"] = timed(engine, questions[kind][half:], snippets=True)
    return told


def indexed(
    name: str, folder: Path, pages: Callable[[], Iterator[Page]], sizes: Sequence[int], questions: dict[str, list[str]]
) -> tuple[Engine, dict[int, Times]]:
    """Open an engine's index; if there is none, make it, and search it at each size but the last."""
    if folder.exists():
        return ENGINES[name](folder), {}
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    growth = {}
    rest, engine = pages(), ENGINES[name](unfinished)
    for before, size in pairwise((0, *sizes)):
        engine.add(islice(rest, size - before))
        if size != sizes[-1]:
            growth[size] = ask_all(engine, questions)
        tell(f"{name}: {size} pages indexed")
    unfinished.rename(folder)
    return ENGINES[name](folder), growth


def measure(
    folder: Path, pages: Callable[[], Iterator[Page]], count: int, asked: int, only: Sequence[str] = ()
) -> dict[str, Any]:
    """Let each engine index and search; the pages are read again for each, so they are never all in memory."""
    questions = questions_on(pages(), 2 * asked + WARMING)
    warming = min(WARMING, len(questions["headings"]) // 4)
    questions = {kind: texts[warming : warming + 2 * asked] for kind, texts in questions.items()} | {
        "warming": questions["headings"][:warming]
    }
    sizes = [max(1, count >> step) for step in reversed(range(STEPS))]
    report: dict[str, Any] = {"pages": count, "questions": asked, "engines": {}, "growth": {}, "missing": []}
    for name in only or ENGINES:
        try:
            engine, growth = indexed(name, folder / name, pages, sizes, questions)
        except ImportError:
            report["missing"].append(name)
            continue
        report["engines"][engine.name] = ask_all(engine, questions)
        if growth:
            report["growth"][engine.name] = growth | {count: report["engines"][engine.name]}
    return report


def main() -> None:
    """Read the command line, make what is missing, search, print."""
    parser = parser_of(__doc__, pages=20_000, questions=200)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the pages and the indexes are kept")
    parser.add_argument(
        "--manuals", type=Path, nargs="+", default=[], metavar="FOLDER", help="HTML files, at any depth"
    )
    parser.add_argument("--short", type=positive, metavar="N", help="search N passages instead of the pages")
    parser.add_argument("--only", nargs="+", choices=ENGINES, default=[], help="leave the other engines out")
    parser.add_argument("--rebuild", action="store_true", help="index again with ours")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if not (options.folder / DOCUMENTS).exists():
        if not options.manuals:
            parser.error(f"{options.folder / DOCUMENTS} is not there yet: give --manuals FOLDER …")
        write_collection(options.folder, options.manuals, options.pages)
    kind, count = ("short", options.short) if options.short else ("pages", options.pages)
    kept = options.folder / f"{kind}-{count}"
    read = partial(read_pages, options.folder)

    def pages() -> Iterator[Page]:
        return passages(read, count) if options.short else islice(read(), count)

    if options.rebuild:
        shutil.rmtree(kept / OURS, ignore_errors=True)
    kept.mkdir(exist_ok=True)
    show(measure(kept, pages, count, options.questions, options.only), options)
