"""How does `tune` report what it found? Lines for a person, JSON, and a settings file with its reasons.

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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commands.frame.terminal import hanging, pasteable
from indexer.ranking.weights import changes_in
from indexer.significance import times_in_words
from reports.wording import calendar_day
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extensions.tune.tuning import Tuning, WeightTrial

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
