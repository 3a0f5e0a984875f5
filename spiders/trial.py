"""How much of a trial is left? So many pages in all, or so many requests of each site; a crawl that is none has no end.

A trial shows at a small price what a big run would do (the book, 9.5). It leaves its round open: the next crawl goes on
from there, and asks for nothing twice.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Trial:
    """Counts pages against `pages`, and requests by site against `each`; 0 limits nothing."""

    def __init__(self, pages: int = 0, each: int = 0) -> None:
        self._pages = pages
        self._each = each
        self._fetched = 0
        self._asked: Counter[str] = Counter()

    def leased(self, site: str) -> None:
        """Count a URL that is about to be asked for."""
        self._asked[site] += 1

    def not_asked(self, site: str) -> None:
        """Take back a count: the URL was refused before any request was sent."""
        self._asked[site] -= 1

    def fetched(self) -> None:
        """Count a page."""
        self._fetched += 1

    def limit(self, wanted: int, under_way: int) -> int:
        """Return how many of `wanted` leases may begin beside those under way."""
        return min(wanted, self._pages - self._fetched - under_way) if self._pages else wanted

    def room(self, site: str, wanted: int) -> int:
        """Return how many of `wanted` leases of a site may begin."""
        return min(wanted, self._each - self._asked[site]) if self._each else wanted

    def is_over(self) -> bool:
        """Return whether the pages in all have been fetched."""
        return bool(self._pages) and self._fetched >= self._pages

    def has_had(self, sites: Iterable[str]) -> bool:
        """Return whether each of `sites`, those that still have something due, has had its requests."""
        return bool(self._each) and all(self._asked[site] >= self._each for site in sites)
