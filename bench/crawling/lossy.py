"""How many pages would a crawl lose with a Bloom filter for its URLs? As many as the formula says, and then some.

    bench/crawl lossy [--pages 100000] [--errors 0.001] [--made-for 100000] [--json]

It crawls a generated web of so many pages with presence bits next to an exact set. --made-for: URLs that the bits have
room for, with --errors as their share of errors when full. The product's own visited set is exact: crawldb/visited.py.

A URL that the bits mistake for known is never queued, and a robot with bits alone could not name it. Here the exact set
names it. Such a page is lost, and so are the pages that only lost ones link to. The crawl runs in memory: there is no
server, and a page is its number and its links.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.harness.program import parser_of, positive, show
from extensions.course.presence_bits import PresenceBits

if TYPE_CHECKING:
    from collections.abc import Iterator

BRANCHES = 3  # links of a page that form a tree: through it the exact crawl reaches every page
SHORTCUTS = 1  # links of a page to random pages: through them a page can be reached although its parent is lost


@dataclass(frozen=True, slots=True)
class Losses:
    """The errors of the bits in a crawl of `urls` pages, next to those that the formula expects."""

    urls: int
    made_for: int  # URLs that the array has room for …
    errors: float  # … with this share of errors at the end
    bits: int
    bytes: int
    hashes: int  # bits that a URL sets
    expected: float  # URLs mistaken for known on the way, summed up
    taken_for_known: int
    strangers_expected: float  # share of errors among unseen URLs, at the end
    strangers_found: float
    lost: int  # pages that the crawl never reaches
    cut_off: int  # of them, those that only lost pages link to


def address(number: int) -> str:
    """Return a URL as documentation sites have them, about 60 characters, in no order."""
    place = number * 2_654_435_761 % 2**32  # Knuth's multiplicative hash maps each number to another one
    return f"http://docs-{place % 97}.example/library/{place % 1009}/chapter-{place:08x}.html"


def lossy_crawl(urls: int, made_for: int, errors: float) -> Losses:
    """Crawl a web of `urls` pages, breadth first, with bits for `made_for` URLs. Raises ValueError as bits_for()."""
    bits = PresenceBits.made_for(made_for, errors)
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


def main() -> None:
    """Crawl, and print."""
    parser = parser_of(__doc__, pages=100_000)
    parser.add_argument("--errors", type=float, default=0.001, metavar="SHARE", help="default 0.001")
    parser.add_argument("--made-for", type=positive, metavar="N", help="default: the pages")
    options = parser.parse_args()
    try:
        losses = lossy_crawl(options.pages, options.made_for or options.pages, options.errors)
    except ValueError as reason:
        parser.error(str(reason))
    show(losses, options)
