"""What does a lossy visited set lose? With VISITED = "bloom" the bits decide, and the exact set counts their errors.

A robot that kept nothing but the bits could not know which pages it lost. Here the exact set stands beside them, so
each URL that the bits take for known, and that was never met, keeps its row: suppressed by the rule `presence`, with a
line in the journal. A crawl with VISITED = "exact" brings all of them back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from crawldb.tables.journal import Journal
from crawldb.tables.urls import State
from urls.records import Refusal

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase


PRESENCE = "presence"  # the rule of what the bits took for known


@dataclass(frozen=True, slots=True)
class PresenceRule:
    """For how many URLs the bit array is made, and which share of errors it may have when it holds so many."""

    urls: int = 1_000_000
    errors: float = 0.001

    def __post_init__(self) -> None:
        """Raise ValueError for what no array can be made for."""
        bits_for(self.urls, self.errors)


class VisitedSet(Enum):
    """What decides whether a URL is new."""

    EXACT = "exact"
    BLOOM = "bloom"


class Presence:
    """The bits of one run, filled from the database; counts what they were asked and what they got wrong."""

    def __init__(self, database: CrawlDatabase, run: int, rule: PresenceRule) -> None:
        self._database = database
        self._run = run
        self._rule = rule
        self.asked = 0  # about URLs that the exact set does not have
        self.lost = 0  # of them, taken for known
        self.rolled_back()

    def rolled_back(self) -> None:
        """Fill the bits from what is stored: what a transaction that came to nothing had set must not stay."""
        self.bits = PresenceBits(self._rule.urls, self._rule.errors)
        for (url,) in self._database.connection.execute("SELECT url FROM url"):
            self.bits.add(url)

    def refusal(self, url: str) -> Refusal | None:
        """Return why a URL that was never met is not taken in, or None; from then on it is known to the bits."""
        self.asked += 1
        if not self.bits.add(url):
            return None
        self.lost += 1
        bits = self.bits
        return Refusal(
            PRESENCE, f"all {bits.hashes} bits of it were set by other URLs, so VISITED=bloom takes it for known"
        )

    def note(self) -> None:
        """Write what the bits cost and lost in this run. The caller holds the transaction."""
        bits = self.bits
        self._database.connection.execute(
            "INSERT OR REPLACE INTO presence (run, bits, hashes, urls, asked, lost, expected) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (self._run, bits.bits, bits.hashes, bits.added, self.asked, self.lost, bits.expected_errors()),
        )


def give_back(database: CrawlDatabase, run: int) -> int:
    """Queue what the bits of earlier runs had lost, now that the exact set decides; return how many URLs they were."""
    with database.transaction() as connection:
        rows = connection.execute(
            "SELECT id, url FROM url WHERE state = ? AND rule = ?", (State.SUPPRESSED, PRESENCE)
        ).fetchall()
        if rows:
            reason = "the bits had taken them for known; with VISITED=exact they are asked for"
            Journal(database, run).write(None, "given-back", reason, [url for _, url in rows], count=len(rows))
        for identity, _ in rows:
            connection.execute("DELETE FROM suppression WHERE url = ?", (identity,))
            connection.execute("UPDATE url SET state = ?, rule = NULL WHERE id = ?", (State.QUEUED, identity))
    return len(rows)


def measured(database: CrawlDatabase) -> dict[str, Any] | None:
    """Return what the bits of the newest run cost and lost; None where that run had none."""
    row = database.connection.execute(
        "SELECT bits, hashes, urls, asked, lost, expected FROM presence WHERE run = (SELECT max(id) FROM run)"
    ).fetchone()
    if row is None:
        return None
    bits, hashes, urls, asked, lost, expected = row
    return {
        "bits": bits, "hashes": hashes, "bytes": (bits + 7) // 8, "urls": urls, "asked": asked, "lost": lost,
        "errors": lost / asked if asked else 0.0, "expected": expected,
    }  # fmt: skip


# -- Can a few bits tell whether we were there? Nearly: what was added is always known, a little else is too.
#
# This is the lossy visited set of the book ("lossy presence bit arrays"): each URL sets some bits of an array, and one
# whose bits are all set already is taken for known. B. H. Bloom, "Space/Time Trade-offs in Hash Coding with Allowable
# Errors" (1970); with several bits a URL it bears his name.
#
# For n URLs and a share p of errors: m = -n ln p / (ln 2)² bits, of which a URL sets k = m/n ln 2. The k places come
# from
# two hashes, h1 + i·h2 mod m (A. Kirsch, M. Mitzenmacher, "Less Hashing, Same Performance", 2006).

MAX_BITS = 8 * 1024**3  # 1 GiB, for 596 million URLs at one error in a thousand
_HALF = 1 << 64


def bits_for(urls: int, errors: float) -> tuple[int, int]:
    """Return how many bits hold `urls` URLs with that share of errors, and how many of them each URL sets."""
    if urls < 1 or not 0 < errors < 1:
        raise ValueError(f"urls={urls} and errors={errors}: give at least one URL, and a share between 0 and 1")
    bits = math.ceil(-urls * math.log(errors) / math.log(2) ** 2)
    if bits > MAX_BITS:
        raise ValueError(f"{urls} URLs with a share of {errors} errors need {bits} bits; {MAX_BITS} are the most")
    return max(bits, 8), max(1, round(bits / urls * math.log(2)))


class PresenceBits:
    """A bit array that has no errors about what was added, and few about what was not."""

    def __init__(self, urls: int, errors: float) -> None:
        self.bits, self.hashes = bits_for(urls, errors)
        self.added = 0
        self._array = bytearray((self.bits + 7) // 8)

    @property
    def octets(self) -> int:
        """Memory of the array, in bytes."""
        return len(self._array)

    def expected_errors(self) -> float:
        """Return the share of new URLs that would now be taken for known: (1 - e^(-kn/m))^k."""
        return float((1 - math.exp(-self.hashes * self.added / self.bits)) ** self.hashes)

    def _places(self, url: str) -> list[int]:
        number = int.from_bytes(blake2b(url.encode("utf-8", "surrogatepass"), digest_size=16).digest())
        first, step = divmod(number, _HALF)
        step |= 1  # never 0, or all places would be one
        return [(first + turn * step) % self.bits for turn in range(self.hashes)]

    def __contains__(self, url: str) -> bool:
        array = self._array
        return all(array[place >> 3] >> (place & 7) & 1 for place in self._places(url))

    def add(self, url: str) -> bool:
        """Set the bits of `url`; return whether all of them were set before: it is known, or taken for it."""
        array, known = self._array, True
        for place in self._places(url):
            bit = 1 << (place & 7)
            if not array[place >> 3] & bit:
                array[place >> 3] |= bit
                known = False
        self.added += not known
        return known
