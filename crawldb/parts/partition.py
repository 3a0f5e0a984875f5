"""Which part has a host? The part with the highest bid: every part can compute it, and all agree.

Thaler and Ravishankar, *Using Name-Based Mappings to Increase Hit Rates* (IEEE/ACM ToN 6(1), 1998): each pair of part
and name has a hash, and the greatest wins. With one part more, only the hosts move that the new part wins: one in n+1.

A divided crawl may be split again, into more parts (decision 0037). Then a host stays in the family of its part: that
part and the new parts that are split off from it bid again, with other hashes. Each new part is split off from the part
that is the largest then, by its share of all hosts. So all hosts of a part come from one part, whose database has all
that is known of them.

The hash is of the host and not of the site, since the pace applies to a host, whatever the port.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from hashlib import blake2b
from heapq import heapify, heappop, heappush

from urls.canonical import host_of_site

MAX_PARTS = 4096  # tasks of a cluster, far more than there are machines, so their load evens out

Family = tuple[int, ...]  # a part, and behind it those that were split off from it


@dataclass(frozen=True, slots=True)
class Partition:
    """Part `number`, from 1 up, `of` so many; `earlier` has how many there were before each time they were split."""

    number: int = 1
    of: int = 1
    earlier: tuple[int, ...] = field(default=(), compare=False)

    @property
    def whole(self) -> bool:
        """Whether nothing is divided."""
        return self.of == 1

    @property
    def counts(self) -> tuple[int, ...]:
        """How many parts there were from the beginning on, and are."""
        return *self.earlier, self.of

    def owner(self, site: str) -> int:
        """Return the number of the part that has a site."""
        return 1 if self.whole else winner(host_of_site(site), *self.counts)

    def owns(self, site: str) -> bool:
        """Return whether a site belongs to this part."""
        return self.whole or self.owner(site) == self.number

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


WHOLE = Partition()


@lru_cache(maxsize=100_000)
def winner(host: str, parts: int, *more: int) -> int:
    """Return the number of the part, of so many, that has a host; `more` is how many there were after each split."""
    part = max(range(1, parts + 1), key=lambda part: (bid(part, host), part))
    for split, families in enumerate(_families((parts, *more)), 1):
        part = max(families[part], key=lambda part: (bid(part, host, split), part))
    return part


def bid(part: int, host: str, split: int = 0) -> bytes:
    """Return the bid of a part for a host. Each split has other bids, or the winner of one would win the next."""
    return blake2b(host.encode(), digest_size=8, salt=part.to_bytes(2) + split.to_bytes(2)).digest()


def heirs_of(part: int, times: int, counts: tuple[int, ...]) -> Family:
    """Return what a part has become; it was one after `times` splits, and `counts` is as in `Partition.counts`."""
    heirs: Family = (part,)
    for families in _families(counts)[times:]:
        heirs = tuple(each for heir in heirs for each in families[heir])
    return heirs


def shares_of(counts: tuple[int, ...]) -> dict[int, Fraction]:
    """Return which share of all hosts each part has."""
    shares = dict.fromkeys(range(1, counts[0] + 1), Fraction(1, counts[0]))
    for families in _families(counts):
        shares = {each: shares[part] / len(family) for part, family in families.items() for each in family}
    return shares


@cache
def _families(counts: tuple[int, ...]) -> tuple[dict[int, Family], ...]:
    if len(counts) == 1:
        return ()
    before, fewer, more = counts[:-1], counts[-2], counts[-1]
    shares = shares_of(before)
    families = {part: [part] for part in shares}
    largest = [(-share, part) for part, share in shares.items()]
    heapify(largest)
    for new in range(fewer + 1, more + 1):
        _, part = heappop(largest)
        families[part].append(new)
        heappush(largest, (-shares[part] / len(families[part]), part))
    return *_families(before), {part: tuple(family) for part, family in families.items()}


def partition_of(text: str) -> Partition:
    """Read "2/3" as part 2 of 3; raise ValueError for what is no part of anything."""
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= MAX_PARTS):
        raise ValueError(f"part={text!r}: write 1/3 for the first of three; {MAX_PARTS} parts at most")
    return Partition(int(number), int(of))
