"""`tune`: finds ranking weights by judged queries, and writes them with their reasons into a settings file.

It writes at the end, a whole file or none. So Ctrl-C leaves no file, and a second run begins from the start.

How does `tune` report what it found? Lines for a person, JSON, and a settings file with its reasons.

An example of the file:

    # Made by breadcrumb tune on 2026-11-27 from 20 judged queries.
    # name 1 → 0, sentence_name 0.6 → 0
    #   nDCG@10 0.631 → 1.000 on queries that did not choose it: 20 better, 0 worse.
    #   Chance gives as much fewer than 1 of 100 times.
    # All changes, on all 20 queries: nDCG@10 0.631 → 1.000, MRR@10 0.500 → 1.000.
    # No other change of a weight is better on queries that did not choose it.
    RANKING = ["name=0", "sentence_name=0"]
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from commands.frame.command import Command
from commands.frame.data_folder import formula_under, open_searcher, open_to_read
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.terminal import ProgressLine, hanging, json_line, pasteable, printable
from extensions.tune.significance import times_in_words
from extensions.tune.tables import marked_results
from extensions.tune.tuning import LEAST_QUERIES, MAX_ROUNDS, measurements, tune
from indexer.evaluation import (
    MAX_FILE_BYTES,
    JudgedPage,
    first_urls,
    judged_queries,
    ndcg,
    read_judged_pages,
    reciprocal_rank,
)
from indexer.ranking.weights import changes_in
from reports.wording import calendar_day
from urls.wording import counted, shell_word

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence

    from commands.frame.command_settings import CommandSettings
    from extensions.tune.tuning import Gains, Tuning, WeightTrial
    from indexer.evaluation import JudgedQuery
    from indexer.ranking.weights import Formula, Weights
    from indexer.retrieval.searcher import Searcher


INDENT = 4


@dataclass(frozen=True, slots=True)
class MeanMeasures:
    """The means of a ranking over all judged queries, from 0 to 1."""

    ndcg: float
    mrr: float


@dataclass(frozen=True, slots=True)
class TuningReport:
    """The result of tuning with so many judged queries: means before and after."""

    tuning: Tuning
    queries: int
    before: MeanMeasures
    after: MeanMeasures

    def lines(self, file: str | None) -> Iterator[str]:
        """Yield the report; `file` is the settings file that was written."""
        for trial in self.tuning.kept:
            yield str(trial)
            yield from (line for each in _reasons(trial) for line in hanging("", each, INDENT))
        yield from hanging("", self.rest, 0)
        if file is None:
            stay = f"The weights stay. nDCG@10 is {self.before.ndcg:.3f}, MRR@10 {self.before.mrr:.3f}."
            yield from hanging("", stay, 0)
            return
        yield from hanging("", self.together, 0)
        weights = ",".join(changes_in(self.tuning.weights))
        yield from hanging("", f"Written: {file}. To keep its weights, copy its line RANKING into breadcrumb.toml.", 0)
        yield pasteable(f"To try them: ./breadcrumb search QUERY -s 'RANKING={weights}'")

    @property
    def together(self) -> str:
        """The figures before and after."""
        figures = f"nDCG@10 {_step(self.before.ndcg, self.after.ndcg)}, MRR@10 {_step(self.before.mrr, self.after.mrr)}"
        return f"All changes, on all {counted(self.queries, 'query', 'queries')}: {figures}."

    @property
    def rest(self) -> str:
        """Why no other weight was changed."""
        another = "another" if self.tuning.kept else "any"
        best = next((trial for trial in self.tuning.others if trial.gain > 0), None)
        if best is None:
            return (
                f"No{' other' * bool(self.tuning.kept)} change of a weight is better on queries that did not choose it."
            )
        return (
            f"Too little evidence for {another} change. With {counted(self.queries, 'query', 'queries')}, the best one "
            f"({best}) brings {best.gain:+.3f}, and chance gives as much {times_in_words(best.p)}."
        )

    def settings_file(self, now: float) -> str:
        """Return the content of the settings file; `now` is in seconds since the epoch."""
        queries = counted(self.queries, "judged query", "judged queries")
        lines = [f"Made by breadcrumb tune on {calendar_day(now)} from {queries}."]
        for trial in self.tuning.kept:
            lines += [str(trial), *(f"  {reason}" for reason in _reasons(trial))]
        comments = "".join(f"# {line}\n" for line in (*lines, self.together, self.rest))
        return f"{comments}RANKING = {json.dumps(changes_in(self.tuning.weights))}\n"

    def as_dict(self, file: str | None) -> dict[str, Any]:
        """Return the report for JSON."""
        return {
            "queries": self.queries,
            "before": {"ndcg": self.before.ndcg, "mrr": self.before.mrr},
            "after": {"ndcg": self.after.ndcg, "mrr": self.after.mrr},
            "changed": [_as_dict(trial) for trial in self.tuning.kept],
            "others": [_as_dict(trial) for trial in self.tuning.others],
            "ranking": changes_in(self.tuning.weights),
            "file": file,
            "notice": "" if file else self.rest,
        }


def _reasons(trial: WeightTrial) -> Iterator[str]:
    figures = f"nDCG@10 {_step(trial.before, trial.after)} on queries that did not choose it"
    yield f"{figures}: {trial.better} better, {trial.worse} worse."
    yield f"Chance gives as much {times_in_words(trial.p)}."


def _step(before: float, after: float) -> str:
    return f"{before:.3f} → {after:.3f}"


def _as_dict(trial: WeightTrial) -> dict[str, Any]:
    numbers = {name: getattr(trial, name) for name in ("before", "after", "better", "worse", "p")}
    return {"weights": {each.name: [each.before, each.after] for each in trial.changes}, **numbers}


FILE = "tuned.toml"
MISSING_SHOWN = 10  # judged pages that the index does not have


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--queries", metavar="FILE", help="judged queries: a query, a tab and its right page a line")
    parser.add_argument("--clicks", action="store_true", help="results that were marked as right at /admin/judge")
    parser.add_argument("--output", default=FILE, metavar="FILE", help=f"the settings file to write ({FILE})")
    parser.add_argument("--replace", action="store_true", help="replace that file if it exists")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Find weights, write them, and print the reasons."""
    output = Path(arguments.output)
    _check_output(output, replaced=arguments.replace)
    judgements = _judgements(arguments, settings)
    formula = formula_under(settings)
    searcher = open_searcher(settings.data_dir, formula, link_only=settings.getbool("LINK_ONLY_RESULTS"))
    searcher.ranked_by(formula)  # a Whoosh folder has no weights: it raises
    queries = _queries_with_pages(judgements, searcher)
    if len(queries) < LEAST_QUERIES:
        notice = f"Too little evidence: {counted(len(queries), 'query', 'queries')} with a right page in the index. "
        notice += f"At least {LEAST_QUERIES} are needed."
        result = {"queries": len(queries), "file": None, "notice": notice}
        print(*([json_line(result)] if arguments.json else hanging("", notice, 0)), sep="\n")
        return NO
    evaluation = Evaluation(searcher, formula, queries)
    tuning = evaluation.tune()
    figures = (evaluation.figures(weights) for weights in (formula.weights, tuning.weights))
    report = TuningReport(tuning, len(queries), *figures)
    file = str(output) if tuning.kept else None
    if file:
        write_settings_file(output, report.settings_file(time.time()))
    print(*([json_line(report.as_dict(file))] if arguments.json else report.lines(file)), sep="\n")
    return DONE if file else NO


def _judgements(arguments: Namespace, settings: CommandSettings) -> list[JudgedPage]:
    """Read the marked results, then the file, whose grades replace theirs."""
    if not (arguments.queries or arguments.clicks):
        raise CommandError("no judged queries: give --queries FILE, --clicks or both")
    found: list[JudgedPage] = []
    if arguments.clicks:
        with open_to_read(settings.data_dir) as databases:
            found += [JudgedPage(0, each.query, each.url) for each in marked_results(databases)]
        if not found:
            raise CommandError("--clicks: no result is marked as right yet; mark some at /admin/judge of the gateway")
    if arguments.queries:
        try:
            with Path(arguments.queries).open("rb") as file:
                found += read_judged_pages(file.read(MAX_FILE_BYTES + 1))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise CommandError(f"--queries {arguments.queries}: {reason}; docs/gateway.md shows such a file") from None
    return found


def _queries_with_pages(judgements: Sequence[JudgedPage], searcher: Searcher) -> tuple[JudgedQuery, ...]:
    """Return the queries without pages that the index does not have; name these on standard error."""
    right = [each for each in judgements if each.grade]
    known = {url: searcher.stored(url) is not None for url in {each.url for each in right}}
    missing = [each for each in right if not known[each.url]]
    for each in missing[:MISSING_SHOWN]:
        place = f"line {each.line}" if each.line else "--clicks"
        line = (
            f"{place}: {each.url} is not in the index, so it is left out. Why: ./breadcrumb why {shell_word(each.url)}"
        )
        print(*hanging("", printable(pasteable(line)), 0), sep="\n", file=sys.stderr)
    if len(missing) > MISSING_SHOWN:
        print(f"{counted(len(missing) - MISSING_SHOWN, 'more judged page')} not in the index.", file=sys.stderr)
    return judged_queries(each for each in right if known[each.url])


@dataclass(slots=True)
class Evaluation:
    """Judged queries, measured by any weights; it reports on a terminal how long that takes."""

    searcher: Searcher
    formula: Formula
    queries: Sequence[JudgedQuery]
    measured: int = 0
    most: int = 0  # measurements in a round
    began: float = field(default_factory=time.monotonic)
    progress: ProgressLine = field(default_factory=ProgressLine)

    def tune(self) -> Tuning:
        """Return better weights, as far as there is evidence for them."""
        added = tuple(each.name for each in self.formula.contributors)
        self.most = measurements(self.formula.weights, added) * len(self.queries)
        found = tune(self.formula.weights, added, self._gains)
        self.progress.clear()
        return found

    def figures(self, weights: Weights) -> MeanMeasures:
        """Return the means over all queries."""
        searcher = self.searcher.ranked_by(replace(self.formula, weights=weights))
        lists = [(first_urls(searcher, each.text), each.grades) for each in self.queries]
        measures = (np.mean([measure(*each) for each in lists]) for measure in (ndcg, reciprocal_rank))
        return MeanMeasures(*map(float, measures))

    def _gains(self, weights: Weights) -> Gains:
        searcher = self.searcher.ranked_by(replace(self.formula, weights=weights))
        return np.array([self._gain(searcher, each) for each in self.queries])

    def _gain(self, searcher: Searcher, query: JudgedQuery) -> float:
        self.measured += 1
        self.progress.write(self._time_left)
        return ndcg(first_urls(searcher, query.text), query.grades)

    def _time_left(self) -> str:
        rounds, measured = divmod(self.measured, self.most)
        left = (time.monotonic() - self.began) / self.measured * (self.most - measured)
        return f"tune: round {rounds + 1} of at most {MAX_ROUNDS}, about {left:.0f} s left of it"


def _check_output(path: Path, *, replaced: bool) -> None:
    """Raise CommandError if a file can't be written there: before minutes of work, not after."""
    if path.is_dir():
        raise CommandError(f"--output {path}: it is a folder; give the name of a file")
    if path.exists() and not replaced:
        raise CommandError(f"--output {path}: it exists; give --replace to replace it, or another name")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise CommandError(f"--output {path}: {error.strerror}; choose a file in a folder of yours") from None


def write_settings_file(path: Path, content: str) -> None:
    """Write a whole file or none. Raises CommandError."""
    name = ""
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            name = file.name
            file.write(content)
        Path(name).replace(path)
    except OSError as error:
        with suppress(OSError):
            Path(name).unlink()
        raise CommandError(f"--output {path}: {error.strerror}; nothing is written") from None


COMMAND = Command(
    name="tune",
    example="--queries judged.tsv --data demo",
    exits="0 better weights written, 1 too little evidence, nothing written, 2 failed",
    add_arguments=add_arguments,
    run=run,
)
