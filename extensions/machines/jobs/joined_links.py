"""What is the graph of links of all parts together? Their rows with new numbers, so that it is weighed as one crawl's.

A link from part to part is known where it leads to: there the page it stands on has a name, and here the name has a
number again. Pages of different parts with the same content are one page, as they would be in one crawl: the first of
them counts.
"""

from __future__ import annotations

from itertools import accumulate, chain
from typing import TYPE_CHECKING

import numpy as np

from crawldb.tables.link_rows import LinkRows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from crawldb.tables.link_rows import PartLinks


def joined_links(parts: Sequence[PartLinks]) -> LinkRows:
    """Return the graph of all parts. The URLs stand part after part, each by its place among all of them."""
    begins = (0, *accumulate(len(part.rows.ids) for part in parts))
    placed = [_Places(part, begin) for part, begin in zip(parts, begins, strict=False)]
    return LinkRows(
        tuple(chain.from_iterable(part.rows.urls for part in parts)),
        np.arange(begins[-1]),
        _numbered([part.rows.sites for part in parts]),
        np.concatenate([part.rows.roots for part in parts]),
        _stacked(
            chain(
                (part.of(part.part.rows.links) for part in placed), [_between(placed, [part.foreign for part in parts])]
            )
        ),
        _stacked(
            chain(
                (part.of(part.part.rows.names) for part in placed),
                [_copies(placed), _between(placed, [part.named for part in parts])],
            )
        ),
        _clusters(placed),
    )


class _Places:
    """Where the URLs of a part stand among those of all."""

    def __init__(self, part: PartLinks, begin: int) -> None:
        self.part = part
        self.begin = begin

    def of(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(self.part.rows.ids, ids) + self.begin


def _stacked(pairs: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(list(pairs)).reshape(-1, 2)


def _numbered(several: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Number the sites of all parts from 0 up. No two parts have one site: its host is of one part."""
    found = []
    begin = 0
    for sites in several:
        names, own = np.unique(sites, return_inverse=True)
        found.append(own + begin)
        begin += len(names)
    return np.concatenate(found)


def _between(parts: Sequence[_Places], pairs: Sequence[Sequence[tuple[str, int]]]) -> NDArray[np.int64]:
    """Return pairs of a URL of another part and one of each part's own by their places."""
    wanted = {url for some in pairs for url, _ in some}
    place = {url: one.begin + number for one in parts for number, url in enumerate(one.part.rows.urls) if url in wanted}
    found = [
        (place[url], int(one.of(np.array(own))))
        for one, some in zip(parts, pairs, strict=True)
        for url, own in some
        if url in place
    ]
    return np.array(found, np.int64).reshape(-1, 2)


def _copies(parts: Sequence[_Places]) -> NDArray[np.int64]:
    first: dict[bytes, int] = {}
    pairs = []
    for one in parts:
        for url, mark in one.part.fingerprints:
            place = int(one.of(np.array(url)))
            if first.setdefault(mark, place) < one.begin:
                pairs.append((place, first[mark]))
    return np.array(pairs, np.int64).reshape(-1, 2)


def _clusters(parts: Sequence[_Places]) -> NDArray[np.int64]:
    """Return the cluster of each URL that has one: numbers that parts share are below 0, the others above it."""

    def rows() -> Iterator[NDArray[np.int64]]:
        begin = 0
        for one in parts:
            url, cluster = one.part.rows.clusters.T
            yield np.stack([one.of(url), np.where(cluster > 0, cluster + begin, cluster)], axis=1)
            begin += int(cluster.max(initial=0))

    return _stacked(rows())
