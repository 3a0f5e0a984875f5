"""Can a few bits remember the visited URLs? Nearly: they know every added URL, and mistake a few others for known.

This is the lossy visited set of the book ("lossy presence bit arrays"). Each URL sets some bits of an array. A URL
whose bits are all set already counts as known. B. H. Bloom, "Space/Time Trade-offs in Hash Coding with Allowable
Errors" (1970); with several bits a URL it bears his name.

For n URLs and a share p of errors: m = -n ln p / (ln 2)² bits, of which a URL sets k = m/n ln 2. The k places come from
two hashes, h1 + i·h2 mod m (A. Kirsch, M. Mitzenmacher, "Less Hashing, Same Performance", 2006).

The crawl does not use it: its visited set is exact (crawldb/visited.py). `bench/visited` shows the cost of these bits,
and what they would lose.
"""

from __future__ import annotations

import math
from hashlib import blake2b

MAX_BITS = 8 * 1024**3  # 1 GiB, for 596 million URLs at one error in a thousand
_HALF = 1 << 64


def bits_for(urls: int, errors: float) -> tuple[int, int]:
    """Return how many bits hold `urls` URLs with that share of errors, and how many bits each URL sets."""
    if urls < 1 or not 0 < errors < 1:
        raise ValueError(f"urls={urls} and errors={errors}: give at least one URL, and a share between 0 and 1")
    bits = math.ceil(-urls * math.log(errors) / math.log(2) ** 2)
    if bits > MAX_BITS:
        raise ValueError(f"{urls} URLs with a share of {errors} errors need {bits} bits; {MAX_BITS} are the most")
    return max(bits, 8), max(1, round(bits / urls * math.log(2)))


class PresenceBits:
    """A bit array without errors about added URLs, and with few about others."""

    def __init__(self, urls: int, errors: float) -> None:
        self.bits, self.hashes = bits_for(urls, errors)
        self.added = 0
        self._array = bytearray((self.bits + 7) // 8)

    @property
    def octets(self) -> int:
        """Memory of the array, in bytes."""
        return len(self._array)

    def expected_errors(self, urls: int | None = None) -> float:
        """Return the share of new URLs that would now count as known: (1 - e^(-kn/m))^k.

        n is `urls`, the number of different added URLs. Without it, n counts the URLs that did not already count as
        known: a good estimate as long as errors are few.
        """
        urls = self.added if urls is None else urls
        return float((1 - math.exp(-self.hashes * urls / self.bits)) ** self.hashes)

    def _places(self, url: str) -> list[int]:
        number = int.from_bytes(blake2b(url.encode("utf-8", "surrogatepass"), digest_size=16).digest())
        first, step = divmod(number, _HALF)
        step |= 1  # never 0, or all places would be the same
        return [(first + turn * step) % self.bits for turn in range(self.hashes)]

    def __contains__(self, url: str) -> bool:
        array = self._array
        return all(array[place >> 3] >> (place & 7) & 1 for place in self._places(url))

    def add(self, url: str) -> bool:
        """Set the bits of `url`; return whether all were set before: it is known, or a mistake."""
        array, known = self._array, True
        for place in self._places(url):
            bit = 1 << (place & 7)
            if not array[place >> 3] & bit:
                array[place >> 3] |= bit
                known = False
        self.added += not known
        return known
