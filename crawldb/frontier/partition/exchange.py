"""How does a URL get to the part that has its host? By an exchange, which loses nothing and may bring a thing twice.

This is the seam at which another transport can stand, a remote frontier's for example. It promises, and
tests/crawldb/frontier/partition/test_exchange.py holds each implementation to it:

- what was handed over in a transaction that was committed is taken at least once, whatever is killed in between;
- a URL that is handed over again, or taken again, does no harm: it is known by its canonical form;
- what was handed over in a transaction that came to nothing was never handed over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.page import CanonicalUrl


@dataclass(frozen=True, slots=True)
class Letter:
    """A URL on its way to part `to`, `depth` links from a seed, found `by` link, redirect or seed on page `on`."""

    url: CanonicalUrl
    to: int
    depth: int
    by: str
    on: str = ""


@dataclass(frozen=True, slots=True)
class Delivery:
    """Letters that came from one part, and the `receipt` by which that part's exchange knows what was taken."""

    sender: int
    receipt: int
    letters: tuple[Letter, ...]


class Exchange(Protocol):
    """Hands over and takes. The caller holds the transaction of `hand_over` and of `acknowledge`."""

    def hand_over(self, letter: Letter) -> None:
        """Give a URL to the part that has its host."""

    def waiting(self) -> Iterable[Delivery]:
        """Yield what others have handed over to this part and nobody has acknowledged."""

    def acknowledge(self, delivery: Delivery) -> None:
        """Note that a delivery was stored, in the transaction that stored it."""
