"""Can a few bits remember the visited URLs? Nearly: they know every added URL, and mistake a few others for known.

This is the lossy visited set of the book ("lossy presence bit arrays"). Each URL sets some bits of an array. A URL
whose bits are all set already counts as known. B. H. Bloom, "Space/Time Trade-offs in Hash Coding with Allowable
Errors" (1970); with several bits a URL it bears his name.

For n URLs and a share p of errors: m = -n ln p / (ln 2)² bits, of which a URL sets k = m/n ln 2. The k places come from
two hashes, h1 + i·h2 mod m (A. Kirsch, M. Mitzenmacher, "Less Hashing, Same Performance", 2006).

The crawl does not use it: its visited set is exact (crawldb/visited.py). `bench/crawl lossy` shows the cost of these
bits, and `/inside/bit-map` shows which URLs of a crawl they would lose.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Self

from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_BITS = 8 * 1024**3  # 1 GiB, for 596 million URLs at one error in a thousand
_HALF = 1 << 64


def bits_for(urls: int, errors: float) -> tuple[int, int]:
    """Return how many bits hold `urls` URLs with that share of errors, and how many bits each URL sets."""
    if urls < 1 or not 0 < errors < 1:
        raise ValueError(f"urls={urls} and errors={errors}: give at least one URL, and a share between 0 and 1")
    bits = math.ceil(-urls * math.log(errors) / math.log(2) ** 2)
    if bits > MAX_BITS:
        needs = f"{counted(urls, 'URL')} with a share of {errors} errors: {bits:,} bits are needed"
        raise ValueError(f"{needs}; {MAX_BITS:,} are the most")
    return max(bits, 8), max(1, round(bits / urls * math.log(2)))


class PresenceBits:
    """A bit array without errors about added URLs, and with few about others. Each URL sets `hashes` of its `bits`."""

    def __init__(self, bits: int, hashes: int) -> None:
        self.bits, self.hashes = bits, hashes
        self.added = 0
        self._array = bytearray((self.bits + 7) // 8)

    @classmethod
    def made_for(cls, urls: int, errors: float) -> Self:
        """Return an array for so many URLs, with that share of errors at the end. Raises ValueError as bits_for()."""
        return cls(*bits_for(urls, errors))

    @property
    def octets(self) -> int:
        """Memory of the array, in bytes."""
        return len(self._array)

    @property
    def set_bits(self) -> int:
        """The number of bits that are set."""
        return int.from_bytes(self._array).bit_count()

    def is_set(self, place: int) -> bool:
        """Return whether the bit at a place is set."""
        return bool(self._array[place >> 3] >> (place & 7) & 1)

    def expected_errors(self, urls: int | None = None) -> float:
        """Return the share of new URLs that would now count as known: (1 - e^(-kn/m))^k.

        n is `urls`, the number of different added URLs. Without it, n counts the URLs that did not already count as
        known: a good estimate as long as errors are few.
        """
        urls = self.added if urls is None else urls
        return float((1 - math.exp(-self.hashes * urls / self.bits)) ** self.hashes)

    def places(self, url: str) -> list[int]:
        """Return the places of the bits of a URL; two may be the same."""
        number = int.from_bytes(blake2b(url.encode("utf-8", "surrogatepass"), digest_size=16).digest())
        first, step = divmod(number, _HALF)
        step |= 1  # never 0, or all places would be the same
        return [(first + turn * step) % self.bits for turn in range(self.hashes)]

    def __contains__(self, url: str) -> bool:
        return all(map(self.is_set, self.places(url)))

    def add(self, url: str) -> bool:
        """Set the bits of `url`; return whether all were set before: it is known, or a mistake."""
        array, known = self._array, True
        for place in self.places(url):
            bit = 1 << (place & 7)
            if not array[place >> 3] & bit:
                array[place >> 3] |= bit
                known = False
        self.added += not known
        return known


@dataclass(frozen=True, slots=True)
class LostUrl:
    """A new URL whose bits were all set. `setters` has for each place the number of the URL that had set it."""

    number: int  # its place in the order of the URLs, from 0
    places: tuple[int, ...]
    setters: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FilledBits:
    """An array to which different URLs were added, and those that it took for known.

    `expected` is the number of such URLs by the formula: the sum of the shares of errors before each URL.
    """

    bits: PresenceBits
    lost: tuple[LostUrl, ...]
    expected: float


def fill(bits: PresenceBits, urls: Iterable[str]) -> FilledBits:
    """Add different URLs to an empty array, and return which of them it took for known."""
    setters: dict[int, int] = {}
    lost: list[LostUrl] = []
    expected = 0.0
    for number, url in enumerate(urls):
        expected += bits.expected_errors(number)
        places = bits.places(url)
        if bits.add(url):
            lost.append(LostUrl(number, tuple(places), tuple(setters[place] for place in places)))
        else:
            for place in places:
                setters.setdefault(place, number)
    return FilledBits(bits, tuple(lost), expected)
