"""How alike are two pages, and which pairs are worth comparing? Signatures estimate it, and bands choose (Broder 1997).

A signature has a byte for each of 128 random orders: the end of the number of the smallest shingle in that order
(pipelines/duplicates.py). The share of orders in which two signatures agree estimates the resemblance of two
pages: of all word groups that either has, the share that both have. One byte of each number is kept instead of four:
strangers agree in one byte of 256, which is taken off again (Li and König 2010, b-bit minwise hashing).

Comparing all pairs would be quadratic. So a signature is cut into bands of r bytes, and only pages that share one of
the b bands are compared. Two pages of resemblance s do so with the probability 1 - (1 - s^r)^b, an S-curve:

    resemblance          0.1   0.2   0.3   0.4   0.5   0.6   0.7   0.8   0.9
    chance to be met    0.03  0.21  0.55  0.85  0.98  1.00  1.00  1.00  1.00    with 29 bands of 3
"""

from __future__ import annotations

from functools import cache
from operator import eq

ORDERS = 128  # bytes of a signature: an estimate near 0.5 is right within 0.09 in 95 cases of 100
ALPHABET = 256  # values of a byte
THRESHOLD = 0.45  # resemblance from which two pages say nearly the same: see decision 0021
MAX_BANDS = 32  # 256 bytes of memory a page; more bands find hardly more
# Of the two errors of banding, a missed pair is final and a needless comparison costs microseconds.
STEPS = 200  # of an integral over a smooth curve
FALSE_POSITIVE_WEIGHT, FALSE_NEGATIVE_WEIGHT = 0.1, 0.9


def similarity(first: bytes, second: bytes) -> float:
    """Estimate from two signatures which share of the shingles two texts have in common, 0 to 1."""
    if not first or len(first) != len(second):
        return 0.0
    return resemblance_of(sum(map(eq, first, second)), len(first))


def resemblance_of(agreeing: int, orders: int = ORDERS) -> float:
    """Return the resemblance at which so many orders agree, without those that agree by chance."""
    by_chance = 1 / ALPHABET
    return max(0.0, (agreeing / orders - by_chance) / (1 - by_chance))


@cache
def agreeing_at(resemblance: float, orders: int = ORDERS) -> int:
    """Return in how many orders signatures agree at least whose resemblance is estimated as so much or more."""
    return next((count for count in range(orders + 1) if resemblance_of(count, orders) >= resemblance), orders + 1)


def chance_to_meet(resemblance: float, bands: int, rows: int) -> float:
    """Return the probability with which two pages share one of `bands` bands of `rows` bytes: the S-curve."""
    return 1 - (1 - resemblance**rows) ** bands


@cache
def banding(threshold: float = THRESHOLD, most: int = MAX_BANDS) -> tuple[int, int]:
    """Return how many bands, `most` at most, of how many bytes catch pairs at the threshold best.

    What lies below the S-curve left of the threshold is needless comparisons, what lies above it right of that is
    missed pairs.
    """
    import numpy as np

    middles = (np.arange(STEPS) + 0.5) / STEPS
    least, largest = middles * threshold, threshold + middles * (1 - threshold)

    def error(choice: tuple[int, int]) -> float:
        bands, rows = choice
        needless = threshold * float(np.mean(1 - (1 - least**rows) ** bands))
        missed = (1 - threshold) * float(np.mean((1 - largest**rows) ** bands))
        return FALSE_POSITIVE_WEIGHT * needless + FALSE_NEGATIVE_WEIGHT * missed

    return min(((b, r) for b in range(1, most + 1) for r in range(1, ORDERS // b + 1)), key=error)
