"""How does the index keep PageRank? In a file of its own next to the segments, so new ranks need no page indexed again.

    head        the state of the link graph that the ranks were computed from, as a line of JSON
    keys        of the URLs (`schema.url_key`), ascending
    texts       of links to each URL (`tokenizer.text_key`), ascending
    ranks       PageRank of the URL's page, as a multiple of the mean of all pages
    inlinks     number of other pages that link to the URL's page
    other_sites number of other sites that link to the URL's page
    urls        for each text the place of the URL among the keys
    links       for each text how many links with it lead to the URL

current.json names the file with its checksum, so ranks and pages are of one commit. A search needs no crawl database.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from indexer.faults import CorruptIndex

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

RANKS_SUFFIX = ".ranks"
MEAN = 1.0  # the rank of a page without known links, and of all pages in an index without ranks
_KEY, _RANK, _COUNT = np.dtype("<u8"), np.dtype("<f4"), np.dtype("<u4")


@dataclass(frozen=True, slots=True)
class GraphState:
    """The state of the link graph that ranks were computed from."""

    changes: int = 0  # links added or removed since the crawl began
    links: int = 0
    pages: int = 0  # in the graph
    damping: float = 0.0
    linking_sites: int | None = None  # sites that link to another site; None: an older version did not count them
    link_texts: int | None = None  # texts of links, once for each URL that they lead to; None: not counted


@dataclass(frozen=True, slots=True, eq=False)
class LinkTexts:
    """The texts of links, m pairs of a text and a URL; `documents` has the document of each URL in one segment."""

    keys: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, _KEY))  # m, ascending
    urls: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, _COUNT))  # m, places among the keys of URLs
    links: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, _COUNT))  # m
    documents: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))  # n; -1: it has none there


@dataclass(frozen=True, slots=True, eq=False)
class LinkRanks:
    """PageRank, inlinks and linking sites of n URLs, by their keys in ascending order."""

    state: GraphState = field(default_factory=GraphState)
    keys: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, _KEY))
    ranks: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, _RANK))
    inlinks: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, _COUNT))
    other_sites: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, _COUNT))  # empty: not counted
    texts: LinkTexts = field(default_factory=LinkTexts, kw_only=True)

    def __post_init__(self) -> None:
        if not len(self.other_sites):
            object.__setattr__(self, "other_sites", np.zeros(len(self.keys), _COUNT))

    def of(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.float32], NDArray[np.uint32], NDArray[np.uint32]]:
        """Return ranks, inlinks and linking sites of the documents with these keys, in their order.

        Unknown documents have MEAN, 0 and 0.
        """
        if not len(self.keys):
            return np.full(len(keys), MEAN, _RANK), np.zeros(len(keys), _COUNT), np.zeros(len(keys), _COUNT)
        place, known = self.places(keys)
        none = np.uint32(0)
        return (
            np.where(known, self.ranks[place], np.float32(MEAN)),
            np.where(known, self.inlinks[place], none),
            np.where(known, self.other_sites[place], none),
        )

    def texts_of(self, keys: NDArray[np.uint64]) -> LinkTexts:
        """Return the texts of links to the documents with these keys."""
        if not len(self.texts.keys):
            return self.texts
        place, known = self.places(keys)
        documents = np.full(len(self.keys), -1, np.int32)
        documents[place[known]] = np.flatnonzero(known)
        return replace(self.texts, documents=documents)

    def places(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the places of URLs among all with a rank, and which URLs are there."""
        if not len(self.keys):
            return np.zeros(len(keys), np.intp), np.zeros(len(keys), np.bool_)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return place, self.keys[place] == keys

    def dump(self) -> bytes:
        """Return the content of the file."""
        head = asdict(self.state) | {"urls": len(self.keys), "byte_order": "little", "counts": 2}
        numbers = self.inlinks, self.other_sites, self.texts.urls, self.texts.links
        arrays: list[NDArray[Any]] = [self.keys.astype(_KEY), self.texts.keys.astype(_KEY), self.ranks.astype(_RANK)]
        arrays += [each.astype(_COUNT) for each in numbers]
        return json.dumps(head).encode() + b"\n" + b"".join(array.tobytes() for array in arrays)

    @classmethod
    def load(cls, content: bytes) -> LinkRanks:
        """Read what `dump` wrote. Raises ValueError and others for anything else.

        A file with one count is of a version that did not count sites: each URL then has 0.
        """
        head, _, rest = content.partition(b"\n")
        described: dict[str, Any] = json.loads(head)
        count, order, counts = described.pop("urls"), described.pop("byte_order"), described.pop("counts", 1)
        if counts not in {1, 2}:
            raise ValueError(f"ranks with {counts} counts of a URL")
        of_texts = described.get("link_texts") or 0
        layout: list[tuple[np.dtype[Any], int]] = [(_KEY, count), (_KEY, of_texts), (_RANK, count)]
        layout += [(_COUNT, count)] * counts + [(_COUNT, of_texts)] * 2
        sizes = [kind.itemsize * rows for kind, rows in layout]
        whole = {type(count), type(of_texts)} == {int} and min(sizes) >= 0 and len(rest) == sum(sizes)
        if order != sys.byteorder or not whole:
            raise ValueError("ranks that are cut, or of a machine with another byte order")
        begins = accumulate(sizes, initial=0)
        arrays = [np.frombuffer(rest, kind, rows, at) for (kind, rows), at in zip(layout, begins, strict=False)]
        keys, of_links, ranks, *of_urls = arrays[:-2]
        texts = LinkTexts(of_links, *arrays[-2:])
        if (keys[1:] <= keys[:-1]).any() or not np.isfinite(ranks).all() or (ranks < 0).any():
            raise ValueError("ranks that are none, or keys that do not ascend")
        if (texts.keys[1:] < texts.keys[:-1]).any() or (texts.urls >= count).any():
            raise ValueError("texts of links that do not ascend, or that lead to no URL")
        return cls(GraphState(**described), keys, ranks, *of_urls, texts=texts)


def read_link_ranks(build: Path, files: dict[str, int]) -> LinkRanks:
    """Read the file of ranks that a generation names, with its CRC-32; without a file, return no ranks.

    Raises FileNotFoundError, and CorruptIndex for a file that is not as it was written.
    """
    for name, written in files.items():
        content = (build / name).read_bytes()
        if crc32(content) != written:
            raise CorruptIndex(build.parent, f"{build.name}/{name} is not as it was written")
        try:
            return LinkRanks.load(content)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise CorruptIndex(build.parent, f"{build.name}/{name} has no ranks of links: {error}") from error
    return LinkRanks()
