"""Which pages are the first of a site? Who types `sqlite` wants that page, though each page there has the word.

It is the page at the root, `/`. Where the index has none (the root leads to `/3/`, or the crawl keeps to `/manual/`),
it is the home page of the folder that is next to the root, if at least half as many pages link to it as to any page of
the site: menus lead home.
"""

from __future__ import annotations

import re
from collections import defaultdict
from heapq import nlargest
from typing import TYPE_CHECKING

import numpy as np

from indexer.segments.schema import SITE, URL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.segments.segment import SegmentFile
    from indexer.snapshot.snapshot import SegmentView

MAX_SITES = 10_000  # of a segment, whose first pages are known as such
ENTRANCES = "", "index.html", "index.htm", "index.php"  # what the first page of a site is called
MAX_ROOTLESS = 100  # sites without a page at the root, those with most pages, whose home is looked for
LEAST_LINKED = 0.5  # of the pages that link to the most linked page of the site
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


def roots_in(file: SegmentFile) -> dict[int, str]:
    """Return the pages at the roots of sites in a segment."""
    sites = file.terms(SITE)[:MAX_SITES]
    urls = [(f"{start}{name}", site) for site in sites for start in _starts(site) for name in ENTRANCES]
    return {document: site for url, site in urls for document in file.documents(URL, url)}


def entrances_of(views: Sequence[SegmentView], starts: Sequence[int]) -> dict[int, str]:
    """Return the first pages of all sites, by their numbers in a snapshot whose segments begin at `starts`."""
    each, found = list(zip(starts, views, strict=True)), known_entrances(views, starts)
    rootless = {site for view in views for site in view.file.terms(SITE)[:MAX_SITES]} - set(found.values())
    for site in nlargest(MAX_ROOTLESS, rootless, lambda site: sum(view.file.count_of(SITE, site) for view in views)):
        page = _home_of(site, each)
        if page is not None:
            found[page] = site
    return found


def known_entrances(views: Sequence[SegmentView], starts: Sequence[int]) -> dict[int, str]:
    """Return the pages at the roots of sites, by their numbers in a snapshot whose segments begin at `starts`."""
    each = zip(starts, views, strict=True)
    return {
        start + document: site for start, view in each for document, site in view.roots.items() if view.live[document]
    }


def _home_of(site: str, segments: Sequence[tuple[int, SegmentView]]) -> int | None:
    """Return the page of a site that is home, as far as addresses and links tell."""
    homes: list[tuple[int, int, int]] = []  # folders on the way to it, pages that link to it, less than 0, and itself
    most = 0
    for start, view in segments:
        pages = [document for document in view.file.documents(SITE, site) if view.live[document]]
        most = max(most, int(view.inlinks[pages].max(initial=0)))
        for beginning in _starts(site):
            for url in view.file.terms(URL, beginning):
                depth = entrance_depth(url, site)
                found = view.file.documents(URL, url) if depth is not None else []
                homes += [(depth or 0, -int(view.inlinks[each]), start + each) for each in found if view.live[each]]
    _, linked, page = min(homes, default=(0, 0, -1))
    return page if page >= 0 and -linked >= LEAST_LINKED * most else None


def entrance_depth(url: str, site: str) -> int | None:
    """Return how many folders lead to a page that is called like a first page, 0: it is at the root; else None."""
    beginning = next((start for start in _starts(site) if url.startswith(start)), "")
    *folders, name = url.removeprefix(beginning).split("/")
    return len(folders) if beginning and name in ENTRANCES else None


def _starts(site: str) -> tuple[str, str]:
    return f"http://{site}/", f"https://{site}/"
