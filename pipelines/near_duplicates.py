"""Does another page say nearly the same? MinHash estimates how many word groups two pages share (Broder 1997).

A page is the set of its shingles: each three neighbouring words, or in scripts without blanks each three neighbouring
characters. Each of 128 random orders keeps the smallest shingle. The share of orders in which two pages agree estimates
the share of shingles that both have, give or take 0.03 near 0.9. Comparing all pairs would be quadratic. So the
signature is cut into bands, and only pages that share a band are compared. The crawl database keeps the bands in a
table.
"""

from __future__ import annotations

import re
import sys
import zlib
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from itertools import islice
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from datasketch import MinHash

    from urls.records import CanonicalUrl

PERMUTATIONS = 128  # 512 bytes a page
THRESHOLD = 0.9  # similarity from which the later page is a near duplicate of the earlier
SHINGLE_LENGTH = 3  # words, or characters of CJK text
MIN_SHINGLES = 30  # shorter texts are alike by accident, as "Chapter 1" and "Chapter 2" are
MAX_SHINGLES = 100_000  # a page; the text of a thick book
BATCH = 4096  # shingles at a time: 2 MB in numpy
# Of the two errors of banding, a missed pair is final and a needless comparison costs microseconds.
STEPS = 200  # of an integral over a smooth curve
FALSE_POSITIVE_WEIGHT, FALSE_NEGATIVE_WEIGHT = 0.1, 0.9

_TOKENS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\\W_]+")
CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")  # letters of scripts without blanks


def shingles(text: str) -> set[bytes]:
    """Return the distinct shingles of a text, letter case and punctuation aside."""
    lowered = text.lower()
    words = _TOKENS.findall(lowered) if CJK.search(lowered) else lowered.split()
    rows = zip(*(words[start:] for start in range(SHINGLE_LENGTH)), strict=False)
    return {" ".join(row).encode() for row in islice(rows, MAX_SHINGLES)}


def signature(text: str) -> bytes:
    """Return the MinHash of a text, 128 little-endian 32-bit numbers; empty where it is too short to compare."""
    members = shingles(text)
    if len(members) < MIN_SHINGLES:
        return b""
    sketch = _blank().copy()
    for batch in _batches(members):
        sketch.update_batch(batch)
    return bytes(sketch.hashvalues.astype("<u4").tobytes())


def similarity(first: bytes, second: bytes) -> float:
    """Estimate from two signatures which share of the shingles two texts have in common, 0 to 1."""
    if not first or len(first) != len(second):
        return 0.0
    pairs = zip(memoryview(first).cast("I"), memoryview(second).cast("I"), strict=True)
    return sum(one == other for one, other in pairs) / (len(first) // 4)


def bands(sketch: bytes, threshold: float = THRESHOLD) -> tuple[int, ...]:
    """Return the signature's bands, each a signed 64-bit number that fits a column of SQLite."""
    if not sketch:
        return ()
    count, rows = banding(threshold)
    width = rows * 4
    return tuple(
        int.from_bytes(
            blake2b(sketch[band * width : (band + 1) * width], digest_size=8, salt=bytes([band])).digest(),
            signed=True,
        )
        for band in range(count)
    )


@cache
def banding(threshold: float = THRESHOLD) -> tuple[int, int]:
    """Return how many bands of how many numbers catch pairs at the threshold best.

    Two pages of similarity s share one of b bands of r numbers with the probability 1 - (1 - s^r)^b, an S-curve. What
    lies below it left of the threshold is needless comparisons, what lies above it right of that is missed pairs.
    """
    import numpy as np

    middles = (np.arange(STEPS) + 0.5) / STEPS
    least, most = middles * threshold, threshold + middles * (1 - threshold)

    def error(choice: tuple[int, int]) -> float:
        count, rows = choice
        needless = threshold * float(np.mean(1 - (1 - least**rows) ** count))
        missed = (1 - threshold) * float(np.mean((1 - most**rows) ** count))
        return FALSE_POSITIVE_WEIGHT * needless + FALSE_NEGATIVE_WEIGHT * missed

    return min(((b, r) for b in range(1, PERMUTATIONS + 1) for r in range(1, PERMUTATIONS // b + 1)), key=error)


def nearest(
    sketch: bytes, candidates: Iterable[tuple[CanonicalUrl, bytes]], threshold: float = THRESHOLD
) -> tuple[CanonicalUrl, float] | None:
    """Return the candidate that is most alike with its similarity, the first of equals; None below the threshold."""
    alike = [(url, similarity(sketch, other)) for url, other in candidates]
    return max((each for each in alike if each[1] >= threshold), key=lambda each: each[1], default=None)


@cache
def _blank() -> MinHash:
    """Return an empty sketch; its random orders are drawn once, from a fixed seed, and all copies share them."""
    with _without_integrals():
        from datasketch import MinHash  # loads numpy, 0.1 s

    # CRC-32 is enough: it only numbers the shingles, datasketch mixes the numbers; ten times as fast as SHA-1.
    return MinHash(num_perm=PERMUTATIONS, hashfunc=zlib.crc32, scheme="affine32")


@contextmanager
def _without_integrals() -> Iterator[None]:
    """Keep what is imported meanwhile from loading scipy.integrate, which takes 52 MB and 0.4 s.

    datasketch names it for the parameters of an LSH table of its own, and ours come from `banding`.
    """
    name = "scipy.integrate"
    if name in sys.modules:
        yield
        return
    stand_in: Any = ModuleType(name)
    stand_in.quad = None
    sys.modules[name] = stand_in
    try:
        yield
    finally:
        del sys.modules[name]


def _batches(members: set[bytes]) -> Iterator[list[bytes]]:
    rest = iter(members)
    while batch := list(islice(rest, BATCH)):
        yield batch
