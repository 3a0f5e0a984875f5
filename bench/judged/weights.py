"""Do the weights hold on queries they were not tuned on, and what does each add? Cross-validation and ablation.

    bench/relevance weights FOLDER[=DATA_DIR]... [--folds 5] [--off] [--only NAME...] [--every N]

It tries each weight at two thirds and at one and a half of its value; with --off at 0 alone, which shows what each
adds. With --every only each N-th query runs, in collections with more than 500. For each fold it takes the setting that
is best on the queries of the other folds, and measures it on this one. "chosen" is the gain of tuning on unseen
queries, "best" the apparent gain on those used for it. If chosen is not above 0, the weights are as good as the
collections can show.

The table has the mean difference to the current weights, over collections of equal weight. For each collection it has
the p value of a paired test by random signs (extensions/tune/significance.py): how often they give a difference as
large. MRR@10 counts for known items, whose queries have one right page each; else nDCG@10.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.harness.program import parser_of, show, tell
from bench.judged.graded import Graded, found_by
from extensions.tune.significance import FOLDS, held_out, p_value
from indexer.evaluation import ndcg, reciprocal_rank
from indexer.ranking.weights import Formula, Weights, weights_from
from indexer.retrieval.corpus import Visibility
from indexer.retrieval.searcher import Searcher

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Gains = Mapping[str, NDArray[np.float64]]  # by collection: the gain of each query

STEPS = 2 / 3, 1.5
MANY = 500  # queries of a collection


@dataclass(frozen=True, slots=True)
class Bench:
    """Collections, each with the folder of its index."""

    collections: tuple[tuple[Graded, Path], ...]
    every: int = 1  # of more than MANY queries, only each N-th runs

    def gains(self, change: str) -> Gains:
        """Return the gain of each query under changed weights."""
        formula = Formula(weights_from([change] if change else []))
        return {
            one.name: np.array(_gains(one, Searcher(data, Visibility(), formula), self.every))
            for one, data in self.collections
        }


def _gains(judged: Graded, searcher: Searcher, every: int) -> list[float]:
    questions = judged.questions()
    asked = questions[::every] if len(questions) > MANY else questions
    listed = judged.listed()
    known = judged.folder.name.startswith("ki_")
    measure = reciprocal_rank if known else ndcg
    return [measure(found_by(searcher, each.text, listed), each.grades) for each in asked]


def candidates(names: list[str], *, off: bool) -> list[str]:
    """Return the settings to try, each a change of one weight."""
    now = asdict(Weights())
    steps = (0.0,) if off else STEPS
    values = [(name, now[name] * step) for name in names for step in steps if now[name]]
    found = []
    for name, value in values:
        try:
            weights_from([f"{name}={value:.4g}"])
        except ValueError:
            continue  # a length above 1, a half of 0
        found.append(f"{name}={value:.4g}")
    return [change for change in found if float(change.partition("=")[2]) != now[change.partition("=")[0]]]


def equally_weighted(differences: Gains) -> NDArray[np.float64]:
    """Return the differences of all queries, whose mean is that over collections of equal weight."""
    queries = sum(map(len, differences.values()))
    return np.concatenate([each * queries / len(each) / len(differences) for each in differences.values()])


def gains_of_tuning(tried: Sequence[NDArray[np.float64]], folds: int) -> tuple[float, float]:
    """Return the mean gain of the best change on unseen queries, and on those it was chosen by."""
    differences = np.array(tried)
    return float(held_out(differences, folds).mean()), max(float(differences.mean(axis=1).max()), 0.0)


def main() -> None:
    """Read the command line, try, print."""
    parser = parser_of(__doc__, folds=FOLDS, every=1)
    parser.add_argument("collections", nargs="+", type=Graded.named, metavar="FOLDER[=DATA_DIR]")
    parser.add_argument("--off", action="store_true", help="try each weight at 0 alone: what does it bring?")
    parser.add_argument("--only", nargs="*", default=list(asdict(Weights())), metavar="NAME", help="weights to try")
    options = parser.parse_args()
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in options.collections]
        indexes = (judged.index_into(at) for judged, at in zip(options.collections, folders, strict=True))
        bench = Bench(tuple(zip(options.collections, indexes, strict=True)), options.every)
        now = bench.gains("")
        rows, tried = {}, []
        for change in candidates(options.only, off=options.off):
            gains = bench.gains(change)
            differences = {name: gains[name] - now[name] for name in now}
            tried.append(equally_weighted(differences))
            row = {"mean": float(tried[-1].mean())}
            for name, each in differences.items():
                row |= {name: float(each.mean()), f"{name} p": float(p_value(each))}
            rows[change] = {key: round(value, 4) for key, value in row.items()}
            tell(f"{change}: {row['mean']:+.4f}")
    chosen, best = gains_of_tuning(tried, options.folds)
    as_they_are = {name: round(float(each.mean()), 4) for name, each in now.items()}
    show({"as they are": as_they_are, "changes": rows, "folds": options.folds, "chosen": chosen, "best": best}, options)
