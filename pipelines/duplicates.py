"""Is this the same page again, or nearly? A hash for exact copies, a MinHash signature for near ones.

**Exact.** The book (9.1.6) finds duplicates by checksums, and says that MD5 is popular. This is BLAKE2b with 128 bits,
which is faster and not broken. It covers title and main text, so one article in two layouts is one page. It leaves out
the URLs of links, which aliases and session ids change, the words that a program writes at each visit
(pages/content/volatile.py), and lines that two fetches have shown to change by themselves
(pages/content/volatile.py). Limits: a page made for each visitor (greetings, random tips) has a new fingerprint
until two fetches have shown which lines these are. Two pages that differ only in a "last changed" date, a counter or in
pictures have the same fingerprint.

**Near.** A page is the set of its shingles: each few neighbouring words of its main text (pages/content/similarity.py).
Its signature is, in each of 128 random orders, its smallest shingle (MinHash, Broder 1997). Two pages agree in a random
order as often as they share shingles, so 128 small numbers stand for a text of any length.
`pages/content/similarity.py` compares them, and `crawldb/pages/clusters.py` decides which pages belong together.
Limits: a translation shares nothing with its original, and a page that lies within a longer one shares little of it.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from pages.content.similarity import ALPHABET, MIN_SHINGLES, ORDERS
from pages.content.volatile import steady_lines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pages.content.volatile import LearntLines
    from urls.records import Page

FINGERPRINT_BYTES = 16  # 128 bits: two among 10^9 pages agree by chance with a probability of 10^-21


SHORT_TEXT_CHARS = 40  # a main text of less is no proof: of such pages the template has to agree, too


def fingerprint(page: Page, learnt: LearntLines | None = None) -> bytes:
    """Return 16 bytes that are equal for pages which say the same; `learnt` are lines of its site that change."""
    digest = blake2b(page.title.encode(), digest_size=FINGERPRINT_BYTES)
    digest.update(b"\0")
    digest.update(_steady_text(page.text, learnt).encode())
    if len(page.text.encode()) < SHORT_TEXT_CHARS:
        digest.update(b"\0" + _steady_text(page.template_text, learnt).encode())
    return digest.digest()


def same_template(page: Page, other: Page) -> bool:
    """Return whether two pages have the same words around their main text, however their lines are divided."""
    both = (_steady_text(one.template_text) for one in (page, other))
    first, second = (sorted(text.split("\n")) for text in both)
    return first == second


def _steady_text(text: str, learnt: LearntLines | None = None) -> str:
    lines = text.split("\n")
    return "\n".join(steady_lines(learnt.steady_lines(lines) if learnt else lines))


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
