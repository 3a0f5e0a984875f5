"""How similar are two pages, and which pairs are worth comparing? Shingles, signatures and bands (Broder 1997).

A shingle is a few words in a row. The resemblance of two texts is the share of all their shingles that both have. A
word is what stands between blanks; in scripts without blanks each character is a word. So a Chinese name in an English
text does not change the words around it. Letter case does not count.

A signature has a byte for each of 128 random orders: the last byte of the number of the smallest shingle in that order
(pipelines/duplicates.py). The share of orders in which two signatures agree estimates the resemblance of two
pages. One byte of each number is kept instead of four: strangers agree in one byte of 256, and the estimate subtracts
that again (Li and König 2010, b-bit minwise hashing).

Comparing all pairs would be quadratic. So a signature is cut into bands of r bytes, and only pages that share one of
the b bands are compared. Two pages of resemblance s share one with the probability 1 - (1 - s^r)^b, an S-curve:

    resemblance          0.1   0.2   0.3   0.4   0.5   0.6   0.7   0.8   0.9
    chance to be met    0.03  0.21  0.55  0.85  0.98  1.00  1.00  1.00  1.00    with 29 bands of 3
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
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
def agreeing_at(resemblance: float) -> int:
    """Return in how many orders signatures agree at least whose resemblance is estimated as so much or more."""
    return next((count for count in range(ORDERS + 1) if resemblance_of(count) >= resemblance), ORDERS + 1)


def chance_to_meet(resemblance: float, bands: int, rows: int) -> float:
    """Return the probability with which two pages share one of `bands` bands of `rows` bytes: the S-curve."""
    return 1 - (1 - resemblance**rows) ** bands


@cache
def banding(threshold: float = THRESHOLD) -> tuple[int, int]:
    """Return how many bands of how many bytes catch pairs at the threshold best.

    The area below the S-curve left of the threshold is needless comparisons. The area above it on the right is
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

    return min(((b, r) for b in range(1, MAX_BANDS + 1) for r in range(1, ORDERS // b + 1)), key=error)


SHINGLE_LENGTH = 3  # words, or characters of CJK text
MIN_SHINGLES = 30  # shorter texts are alike by accident, as "Chapter 1" and "Chapter 2" are
MAX_SHINGLES = 100_000  # a page; the text of a thick book

_WORDS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")
CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")  # letters of scripts without blanks


def shingle_words(text: str, length: int = SHINGLE_LENGTH) -> list[str]:
    """Return the words of which at most MAX_SHINGLES shingles are made.

    The words behind these are never made: of 2,000,000 Chinese characters, each as a string, they would take 160 MB.
    """
    most = MAX_SHINGLES + length - 1
    lowered = text.lower()
    if lowered.isascii() or not CJK.search(lowered):
        return lowered.split(None, most)[:most]
    if len(lowered) <= most:  # it can't have more words, and this takes half the time
        return _WORDS.findall(lowered)
    return [found[0] for found in islice(_WORDS.finditer(lowered), most)]


def shingles(text: str, length: int = SHINGLE_LENGTH) -> set[bytes]:
    """Return the distinct shingles of a text."""
    words = shingle_words(text, length)
    rows = zip(*(words[start:] for start in range(length)), strict=False)
    # Encoded in one piece: no word holds a line feed. That takes two thirds of the time of one call a shingle.
    joined = "\n".join(map(" ".join, islice(rows, MAX_SHINGLES)))
    return set(joined.encode().split(b"\n")) if joined else set()


def resemblance(one: str, other: str) -> float:
    """Return the share of shingles that two texts have in common, of all that either has, 0 to 1."""
    first, second = shingles(one), shingles(other)
    return len(first & second) / len(first | second) if first and second else float(one == other)
