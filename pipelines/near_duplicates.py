"""What is a page's signature? MinHash: in each of 128 random orders, its smallest shingle (Broder 1997).

A page is the set of its shingles: each few neighbouring words of its main text (pages/content/shingles.py). Two pages
have the same smallest shingle in a random order as often as they share shingles. So 128 small numbers stand for a text
of any length, and `pages/content/resemblance.py` compares them. Which pages then come together,
`crawldb/pages/clusters.py` decides.

Limits: a translation shares nothing with its original, and a page that lies within a longer one shares little of it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pages.content.resemblance import ALPHABET, ORDERS
from pages.content.shingles import MIN_SHINGLES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEED = 1  # of the random orders: another one would make stored signatures strangers to new ones
BATCH = 1024  # shingles at a time: 512 kB in numpy stay in the cache of a core


def signature(text: str) -> bytes:
    """Return the MinHash of a text, a byte for each order; empty where it is too short to compare.

    It is what datasketch's `update_batch` returns, in a third of its time: that makes a list of each batch's numbers.
    """
    from pages.content.shingle_numbers import shingle_numbers  # loads numpy, 0.1 s, that only a crawl needs

    checksums = shingle_numbers(text, MIN_SHINGLES)
    if not len(checksums):
        return b""
    import numpy as np

    factor, shift = (each[:, np.newaxis] for each in random_orders())
    least = np.full(ORDERS, np.iinfo(np.uint32).max, np.uint32)
    numbers = _mixed(checksums)
    for start in range(0, len(numbers), BATCH):
        orders = factor * numbers[start : start + BATCH]  # a row for each order: its smallest stand side by side
        orders += shift
        np.minimum(least, orders.min(axis=1), out=least)
    return bytes((least % ALPHABET).astype("u1").tobytes())


def _mixed(numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Spread numbers over all bits (the finalizer of MurmurHash3), as the scheme "affine32" of datasketch does."""
    import numpy as np

    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        numbers = (numbers ^ (numbers >> np.uint32(shift))) * np.uint32(factor)
    return numbers ^ (numbers >> np.uint32(16))


@cache
def random_orders() -> NDArray[np.uint32]:
    """Return what makes the random orders: a row of odd factors and one of shifts, modulo 2**32.

    They are drawn as datasketch draws those of its scheme "affine32", without what else it loads: 0.1 s at each start.
    """
    import numpy as np

    draw = np.random.RandomState(SEED).randint
    factors = draw(0, 1 << 31, ORDERS, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return np.array([factors, draw(0, 1 << 32, ORDERS, dtype=np.uint32)])
