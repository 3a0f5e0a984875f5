"""Which weights rank the judged queries better, for sure? One at a time, measured on queries that did not choose it.

Each round tries each weight at no, half and twice its value. The queries are in five folds: the value that is best on
four of them is measured on the fifth (significance.py). So each query has a difference by a value that it did
not choose. The weight with the greatest mean difference is changed if chance brings as much less than 5 of 100 times.
The test counts that many weights were tried. Then the next round begins, up to MAX_ROUNDS. This is coordinate ascent
(Metzler and Croft, "Linear Feature-Based Models for Information Retrieval", 2007) with a test at each step.

It is pure: `measure` returns the nDCG@10 of each query by some weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from extensions.tune.significance import CERTAIN, held_out, p_values
from indexer.ranking.weights import MAX_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from indexer.ranking.weights import Weights

    Gains = NDArray[np.float64]  # by query

LEAST_QUERIES = 20  # four in each fold; with fewer, hardly any difference is certain
MAX_ROUNDS = 3  # weights that are changed
FACTORS = 0.0, 0.5, 2.0
# Weights that depend on a site. `body` is the unit of the others; halves and lengths hold for texts of any site.
MOVED = (
    "name", "title", "title_said", "anchors", "url_words", "headings", "description", "template",
    "near_text", "near_name", "section", "all_words", "link_text", "entrance", "pagerank",
)  # fmt: skip
TOGETHER = {"name": ("name", "sentence_name")}  # for a short query and for a long one


@dataclass(frozen=True, slots=True)
class WeightChange:
    """A weight with its value before and after."""

    name: str
    before: float
    after: float

    def __str__(self) -> str:
        return f"{self.name} {self.before:g} → {self.after:g}"


@dataclass(frozen=True, slots=True)
class WeightTrial:
    """A weight at the value that is best on all queries, and what choosing a value brings on queries that did not.

    `before` and `after` are means of nDCG@10. `better` and `worse` count queries. `p` is the share of chance.
    """

    changes: tuple[WeightChange, ...]
    before: float
    after: float
    better: int
    worse: int
    p: float

    @property
    def gain(self) -> float:
        """By how much nDCG@10 rises."""
        return self.after - self.before

    @property
    def is_certain(self) -> bool:
        """Whether the ranking gets better, and not by chance."""
        return self.gain > 0 and self.p < CERTAIN

    def __str__(self) -> str:
        return ", ".join(map(str, self.changes))


@dataclass(frozen=True, slots=True)
class Tuning:
    """New weights, the trials that changed them, and those of the last round that changed nothing, the best first."""

    weights: Weights
    kept: tuple[WeightTrial, ...]
    others: tuple[WeightTrial, ...]


def tune(weights: Weights, added: Iterable[str], measure: Callable[[Weights], Gains]) -> Tuning:
    """Return better weights, as far as the queries show them; weights of extensions, `added`, are tried too."""
    names, kept = (*MOVED, *added), []
    for _ in range(MAX_ROUNDS):
        trials = _round(weights, names, measure)
        if not trials or not trials[0].is_certain:
            break
        best, *trials = trials
        kept.append(best)
        weights = _changed(weights, best.changes)
    return Tuning(weights, tuple(kept), tuple(trials))


def measurements(weights: Weights, added: Sequence[str]) -> int:
    """Return how many weights the first round measures: so a run is at most MAX_ROUNDS times as long."""
    return 1 + sum(len(_values(weights, name)) for name in (*MOVED, *added))


def _round(weights: Weights, names: Sequence[str], measure: Callable[[Weights], Gains]) -> list[WeightTrial]:
    """Return a trial of each weight, those that are certain first, then those that bring most.

    No weight is tried where every query has its best possible list.
    """
    now = measure(weights)
    if now.min() >= 1:
        return []
    found = []
    for values in (values for name in names if (values := _values(weights, name))):
        differences = np.array([measure(_changed(weights, changes)) - now for changes in values])
        found.append((values, differences, held_out(differences)))
    certainty = p_values(np.array([held for _, _, held in found]))
    trials = [
        WeightTrial(
            values[int(differences.mean(axis=1).argmax())],
            before=float(now.mean()),
            after=float((now + held).mean()),
            better=int((held > 0).sum()),
            worse=int((held < 0).sum()),
            p=float(p),
        )
        for (values, differences, held), p in zip(found, certainty, strict=True)
    ]
    return sorted(trials, key=lambda trial: (not trial.is_certain, -trial.gain))


def _values(weights: Weights, name: str) -> list[tuple[WeightChange, ...]]:
    """Return the changes of a weight to try; none for a weight that is 0."""
    now = {each: float(getattr(weights, each)) for each in TOGETHER.get(name, (name,))}
    if not now[name]:
        return []
    return [
        tuple(WeightChange(each, value, min(value * factor, MAX_WEIGHT)) for each, value in now.items())
        for factor in FACTORS
    ]


def _changed(weights: Weights, changes: Iterable[WeightChange]) -> Weights:
    return replace(weights, **{each.name: each.after for each in changes})
