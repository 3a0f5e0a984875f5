"""Which pages are kept apart? Those of an area (urls/areas.py) that extensions name are in segments of their own.

Such a segment has the name of its area, so the index alone says what is apart.

A search that leaves out these segments then knows nothing of their pages: no word, no number, no part of a score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.segments.schema import URL
from urls.areas import area_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from indexer.segments.segment import SegmentReader


def areas_in(file: SegmentReader, areas: Collection[str]) -> frozenset[str]:
    """Return which of `areas` a segment has pages of, deleted ones too; "" stands for pages that are in none."""
    urls = {url for area in areas for url in file.terms(URL, area.rstrip("/"))}
    found = [area for url in urls if (area := area_of(url, areas))]
    return frozenset(found) if len(found) == file.count else frozenset(found) | {""}


@dataclass(frozen=True, slots=True)
class HiddenAreas:
    """What somebody may not see: the pages in `hidden`, which are some of the `areas` that are kept apart."""

    areas: frozenset[str]
    hidden: frozenset[str]

    def hides(self, url: str) -> bool:
        """Return whether a page is in a hidden area."""
        return area_of(url, self.areas) in self.hidden

    def shows(self, file: SegmentReader) -> bool:
        """Return whether a segment has no page of a hidden area, and none of an area that nobody knows here."""
        return file.area in {"", *self.areas} and self.hidden.isdisjoint(areas_in(file, self.areas))
