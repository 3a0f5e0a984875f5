"""How good is the ranking? Graded queries over collections read from a path, or over sites that were crawled.

    bench/relevance FOLDER[=DATA_DIR]... [--misses N] [--json] [--ranking anchors=2,title=1] [--meaning]
    bench/relevance FOLDER... --readings [--kana]
    bench/relevance questions FOLDER --site NAME=URL …    what a person asks: bench/judged/questions.py
    bench/relevance snippets DATA_DIR --site NAME=URL …   what the snippets say: bench/judged/snippets.py
    bench/relevance weights FOLDER...                     whether the weights hold: bench/judged/weights.py

`bench/judged/graded.py` describes a FOLDER and the measures.
With --meaning it first reads the pages by meaning, shows the time and the size of that, and queries use both. It needs
the extra: ./breadcrumb index --meaning installs it.
With --readings it reads Japanese (the setting READINGS). With --kana each query is typed in kana alone, as it is
spoken: 東京の高さ as とうきょうのたかさ. The extra is installed by ./breadcrumb index --readings.
With --misses N it shows N queries without a right page.
"""

from __future__ import annotations

import re
import tempfile
import time
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

import indexer
from bench.harness.program import cpu_ms, p50_p95, parser_of, show, size_of, tell
from bench.judged.graded import DEPTH, Graded, Question, found_by
from commands.frame.command_settings import CommandSettings
from extension_points import call_extensions
from indexer.analysis.readings import available_readers
from indexer.evaluation import ndcg, reciprocal_rank
from indexer.ranking.weights import Formula, weights_from
from indexer.segments.generation import index_folder

if TYPE_CHECKING:
    from indexer.retrieval.searcher import Searcher


def evaluate(searcher: Searcher, judged: Graded, misses: int, *, kana: bool = False) -> dict[str, Any]:
    """Run every query and return the means."""
    listed = judged.listed()
    gains, ranks, times = [], [], []
    for query in in_kana(judged.questions()) if kana else judged.questions():
        times.append(cpu_ms(searcher.search, query.text, DEPTH))
        found, grades = found_by(searcher, query.text, listed), query.grades
        gains.append(ndcg(found, grades))
        ranks.append(reciprocal_rank(found, grades))
        if not ranks[-1] and misses:
            misses -= 1
            tell(f"missed: {query.text!r}: {sorted(grades)} not in {found[:3]}…")
    return {
        "queries": len(gains),
        "ndcg@10": round(mean(gains), 4),
        "mrr@10": round(mean(ranks), 4),
        "success@10": round(mean(rank > 0 for rank in ranks), 4),
    } | {f"ms_{quantile}": time for quantile, time in p50_p95(times).items()}


def read_by_meaning(data: Path, pages: int) -> dict[str, float]:
    """Read the pages of an index by meaning; return the cost of each page."""
    options = ArgumentParser()
    for added in call_extensions("command_options", command="index"):
        added.add_arguments(options)
    (work,) = call_extensions("index_work", arguments=options.parse_args(["--meaning"]), settings=CommandSettings())
    before, reading = size_of(index_folder(data)), work.begin(data)
    start = time.process_time()
    while reading.step():
        pass
    spent = time.process_time() - start
    size = size_of(index_folder(data)) - before
    return {"page_ms": round(spent * 1_000 / (reading.done or 1), 2), "page_kb": round(size / 1_024 / pages, 3)}


def in_kana(questions: list[Question]) -> list[Question]:
    """Return queries as they are spoken, in hiragana: all words and particles, without signs."""
    from sudachipy import Dictionary, SplitMode  # noqa: PLC0415 - an extra

    tokenizer = Dictionary(dict="small").tokenizer(mode=SplitMode.A)
    hiragana = {code: code - 0x60 for code in range(0x30A1, 0x30F5)}

    def spoken(text: str) -> str:
        read = "".join(word.reading_form() for word in tokenizer.tokenize(text)).translate(hiragana)
        return re.sub(r"[^\u3041-\u3096ー]+", " ", read)

    return [replace(each, text=spoken(each.text)) for each in questions]


def measure_collection(judged: Graded, formula: Formula, misses: int, *, kana: bool = False) -> dict[str, Any]:
    """Index a collection into a temporary folder, unless it was crawled, and evaluate it."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        data = judged.index_into(Path(folder))
        spent = time.process_time() - start
        searcher = indexer.open_index(data, formula=formula)
        told: dict[str, Any] = {"collection": judged.name, "pages": searcher.documents}
        told |= {"index_ms": round(spent * 1_000 / searcher.documents, 2)}  # a page
        told |= {"index_kb": round(size_of(data, "*.seg") / 1024 / told["pages"], 2)}
        if formula.contributors:
            told |= read_by_meaning(data, searcher.documents)
            searcher.search("load the network")
        return told | evaluate(searcher, judged, misses, kana=kana)


def main() -> None:
    """Read the command line, measure, print."""
    parser = parser_of(__doc__, misses=0)
    parser.add_argument("collections", nargs="+", type=Graded.named, metavar="FOLDER[=DATA_DIR]")
    parser.add_argument("--ranking", default="", metavar="NAME=NUMBER,…", help="weights that differ from the defaults")
    parser.add_argument("--meaning", action="store_true", help="read pages and questions by meaning, too")
    parser.add_argument("--readings", action="store_true", help="read Japanese, as the setting READINGS does")
    parser.add_argument("--kana", action="store_true", help="type each question in kana alone")
    options = parser.parse_args()
    weights = weights_from(filter(None, options.ranking.split(",")))
    settings = CommandSettings(["MEANING=yes"] * options.meaning + ["READINGS=yes"] * options.readings)
    call_extensions("settings_chosen", settings=settings)
    formula = Formula(weights, contributors=tuple(call_extensions("score_contributors", settings=settings)))
    if options.readings and not available_readers():
        parser.error("--readings: what reads Japanese is not installed: ./breadcrumb index --readings adds it")
    rows = [measure_collection(judged, formula, options.misses, kana=options.kana) for judged in options.collections]
    show(rows, options)
