"""Which part has a host? The one that bids most for it: every part can work that out by itself, and all agree.

Thaler and Ravishankar, *Using Name-Based Mappings to Increase Hit Rates* (IEEE/ACM ToN 6(1), 1998): each pair of part
and name has a hash, and the greatest wins. With one part more, only the hosts move that the new one wins: one in n+1.

It is the host that is hashed and not the site, since the pace is a promise to a host, whatever the port.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from urls.site import host_of_site

MAX_PARTS = 4096  # tasks of a cluster, far more than there are machines, so that their load evens out


@dataclass(frozen=True, slots=True)
class Partition:
    """Part `number`, from 1 up, `of` so many."""

    number: int = 1
    of: int = 1

    @property
    def whole(self) -> bool:
        """Whether nothing is divided."""
        return self.of == 1

    def owner(self, site: str) -> int:
        """Return the number of the part that has a site."""
        return 1 if self.whole else winner(host_of_site(site), self.of)

    def owns(self, site: str) -> bool:
        """Return whether a site belongs to this part."""
        return self.whole or self.owner(site) == self.number

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


WHOLE = Partition()


@lru_cache(maxsize=100_000)
def winner(host: str, parts: int) -> int:
    """Return the number of the part, of so many, that has a host."""
    return max(range(1, parts + 1), key=lambda part: (bid(part, host), part))


def bid(part: int, host: str) -> bytes:
    """Return what a part bids for a host."""
    return blake2b(host.encode(), digest_size=8, salt=part.to_bytes(2)).digest()


def partition_of(text: str) -> Partition:
    """Read "2/3" as part 2 of 3; raise ValueError for what is no part of anything."""
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= MAX_PARTS):
        raise ValueError(f"part={text!r}: write 1/3 for the first of three; {MAX_PARTS} parts at most")
    return Partition(int(number), int(of))
