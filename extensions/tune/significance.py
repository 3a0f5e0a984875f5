"""Is a difference between two rankings more than chance? And does a choice hold on queries that did not make it?

**The test** is paired, by random signs (Fisher, 1935; for search engines Smucker, Allan and Carterette, 2007). If two
rankings were equally good, each query's difference could as well have the other sign. So p is a share of all sign
patterns: of those with a sum as far from 0 as the measured one.

**Several changes** on the same queries are tested together (Westfall and Young, 1993: "max T"). Of twenty changes that
bring nothing, one has p < .05 by itself. So p counts the patterns in which any change has a sum as far from 0. Each sum
is divided by the root of its sum of squares.

**Cross-validation.** A choice looks better on the queries that made it. So the queries are in folds, by their numbers.
The choice of the other folds is measured on each fold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Differences = NDArray[np.float64]

FOLDS = 5
CERTAIN = 0.05  # p below it is no chance; the usual value
DRAWS = 10_000  # sign patterns; where there are no more than that, all
_ALL_OF = 13  # queries with a difference: 2^13 patterns are fewer than DRAWS
_AT_ONCE = 500  # patterns
_NEARLY = 1e-9  # equal sums differ by less


def times_in_words(p: float) -> str:
    """Return p as a count: "31 of 100 times"; "fewer than 1 of 100 times" for less."""
    return f"{100 * p:.0f} of 100 times" if p >= 0.01 else "fewer than 1 of 100 times"  # noqa: PLR2004


def p_value(differences: Differences) -> float:
    """Return p of one difference, given by query: 0 to 1; 1 where no query differs."""
    return float(p_values(differences[np.newaxis])[0])


def p_values(differences: Differences) -> Differences:
    """Return p of each change, of shape (changes,), from their differences of shape (changes, queries)."""
    size = np.sqrt((differences**2).sum(axis=1))
    having = size > 0
    scaled = differences[having] / size[having, np.newaxis]
    scaled = scaled[:, scaled.any(axis=0)]
    measured = np.abs(scaled.sum(axis=1))
    reached, patterns = np.zeros(len(measured)), 0
    for signs in _sign_patterns(scaled.shape[1]):
        farthest = np.abs(signs @ scaled.T).max(axis=1, initial=0.0)
        reached += (farthest[:, np.newaxis] >= measured - _NEARLY).sum(axis=0)
        patterns += len(signs)
    found = np.ones(len(differences))
    found[having] = reached / patterns
    return found


def _sign_patterns(queries: int) -> Iterator[Differences]:
    """Yield patterns of 1 and -1, of shape (some, queries): all, or else the measured one and DRAWS - 1 random ones."""
    if queries <= _ALL_OF:
        bits = np.arange(2**queries)[:, np.newaxis] >> np.arange(queries) & 1
        yield np.where(bits, -1.0, 1.0)
        return
    yield np.ones((1, queries))
    dice = np.random.default_rng(1)
    for begin in range(1, DRAWS, _AT_ONCE):
        yield dice.choice((-1.0, 1.0), (min(_AT_ONCE, DRAWS - begin), queries))


def held_out(differences: Differences, folds: int = FOLDS) -> Differences:
    """Return the difference of each query by the choice of the other folds, of shape (queries,).

    `differences` has shape (choices, queries). Where no choice is better than none, none is made: the difference is 0.
    """
    fold_of = np.arange(differences.shape[1]) % folds
    found = np.zeros(differences.shape[1])
    for fold in range(folds):
        inside = fold_of == fold
        sums = differences[:, ~inside].sum(axis=1)
        if len(sums) and sums.max() > _NEARLY:
            found[inside] = differences[sums.argmax(), inside]
    return found
