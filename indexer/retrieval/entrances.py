"""Which pages are the first of a site? Who types `sqlite` wants that page, though each page there has the word."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from indexer.segments.schema import SITE, URL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from indexer.segments.segment import SegmentFile

MAX_SITES = 10_000  # of a segment, whose first pages are known as such
ENTRANCES = "", "index.html", "index.htm", "index.php"  # what the first page of a site is called
_LABELS = re.compile(r"[^\W_]+")


class Entrances:
    """The first pages of sites in a snapshot of `size` pages: `sites` has the site of each by its number."""

    def __init__(self, sites: Mapping[int, str], size: int) -> None:
        self.sites = sites
        self.mask: NDArray[np.bool_] = np.zeros(size, np.bool_)
        self.mask[list(sites)] = True
        self._labelled: dict[str, list[int]] = defaultdict(list)
        for page, site in sites.items():
            for label in labels_of(site):
                self._labelled[label].append(page)

    def labelled(self, word: str) -> list[int]:
        """Return the entrances of sites that have a word in their names."""
        return self._labelled.get(word, [])


def labels_of(site: str) -> set[str]:
    """Return the words of a site's name."""
    return set(_LABELS.findall(site.lower()))


def entrances_in(file: SegmentFile) -> dict[int, str]:
    """Return the first pages of sites in a segment."""
    sites = file.terms(SITE)[:MAX_SITES]
    urls = [(f"{scheme}://{site}/{name}", site) for site in sites for scheme in ("http", "https") for name in ENTRANCES]
    return {document: site for url, site in urls for document in file.documents(URL, url)}
