"""Is a difference more than chance, and does a tuned choice hold? A paired randomisation test, and cross-validation.

The test is that of Smucker, Allan and Carterette, 2007. If two rankings were equally good, each query's difference
could have either sign. So how often do random signs give a mean as far from 0? Queries are in folds by number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Gains = Mapping[str, NDArray[np.float64]]  # by collection: the gain of each query

DRAWS = 10_000


def gains_of(found: Mapping[str, Sequence[float]]) -> Gains:
    """Return the gains as arrays."""
    return {name: np.array(values, dtype=np.float64) for name, values in found.items()}


def mean_of(gains: Gains) -> float:
    """Return the mean over collections of equal weight."""
    return float(np.mean([values.mean() for values in gains.values()]))


def p_value(differences: NDArray[np.float64]) -> float:
    """Return how often differences of random sign have a mean as far from 0."""
    dice = np.random.default_rng(1)
    found = differences[differences != 0]
    means = [(found * dice.choice((-1.0, 1.0), len(found))).sum() for _ in range(DRAWS)] if len(found) else [0.0]
    return float(np.mean(np.abs(means) >= abs(found.sum()) - 1e-12))


def cross_validated(now: Gains, tried: Mapping[str, Gains], folds: int) -> tuple[float, float]:
    """Return the gain of tuning on unseen queries, and on those used for it: means over collections."""
    chosen: dict[str, list[float]] = {name: [] for name in now}
    seen = []
    for fold in range(folds):
        inside = {name: np.arange(len(values)) % folds != fold for name, values in now.items()}
        brings = {
            change: np.mean([np.mean((gains[name] - now[name])[inside[name]]) for name in now])
            for change, gains in tried.items()
        }
        best = max(brings, key=lambda change: brings[change])
        seen.append(max(brings[best], 0.0))
        for name in now:
            held = (tried[best][name] - now[name])[~inside[name]] * (brings[best] > 0)
            chosen[name] += held.tolist()
    return float(np.mean([np.mean(values) for values in chosen.values()])), float(np.mean(seen))
