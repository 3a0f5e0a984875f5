"""What does a lossy visited set lose? A made-up web is crawled with presence bits, and an exact set stands beside them.

A URL that the bits take for known is never queued, and a robot that kept nothing but bits could not say which it was.
Here the exact set names it. Such a page is lost, and so are the pages that only lost ones lead to. The crawl runs in
memory: there is no server, and a page is its number and its links.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.seen.bits import PresenceBits

if TYPE_CHECKING:
    from collections.abc import Iterator

BRANCHES = 3  # links of a page that make a tree: through it the exact crawl reaches every page
SHORTCUTS = 1  # links of a page to anywhere: through them a page may be reached though its parent is lost


@dataclass(frozen=True, slots=True)
class Losses:
    """What the bits got wrong in a crawl of `urls` pages, beside what the formula expects."""

    urls: int
    made_for: int  # URLs that the array has room for …
    errors: float  # … with this share of errors at the end
    bits: int
    bytes: int
    hashes: int  # bits that a URL sets
    expected: float  # URLs that would be taken for known on the way, summed up
    taken_for_known: int
    strangers_expected: float  # share of URLs that were never met, asked about at the end
    strangers_found: float
    lost: int  # pages that the crawl never reaches
    cut_off: int  # of them, those that only lost pages lead to


def address(number: int) -> str:
    """Return the address of a page as documentation sites have them, about 60 characters, in no order."""
    place = number * 2_654_435_761 % 2**32  # Knuth's multiplicative hash takes each number to another one
    return f"http://docs-{place % 97}.example/library/{place % 1009}/chapter-{place:08x}.html"


def lossy_crawl(urls: int, made_for: int, errors: float) -> Losses:
    """Crawl a web of so many pages, breadth first, with bits made for so many URLs. Raises ValueError as bits_for()."""
    bits = PresenceBits(made_for, errors)
    met, wrong, expected = {0}, set[int](), 0.0
    bits.add(address(0))
    queue = deque([0])
    while queue:
        for linked in _links(queue.popleft(), urls):
            taken_for_known = bits.add(address(linked))
            if linked in met:
                continue
            expected += bits.expected_errors(len(met))
            met.add(linked)
            if taken_for_known:
                wrong.add(linked)
            else:
                queue.append(linked)
    at_the_end = bits.expected_errors(len(met))
    strangers = sum(address(number) in bits for number in range(urls, 2 * urls))
    unmet = urls - len(met)
    return Losses(
        urls,
        made_for,
        errors,
        bits.bits,
        bits.octets,
        bits.hashes,
        expected,
        len(wrong),
        at_the_end,
        strangers / urls,
        len(wrong) + unmet,
        unmet,
    )


def _links(page: int, urls: int) -> Iterator[int]:
    """Yield the pages that a page links to, the same each time."""
    yield from range(page * BRANCHES + 1, min((page + 1) * BRANCHES + 1, urls))
    dice = random.Random(page)
    yield from (dice.randrange(urls) for _ in range(SHORTCUTS))
