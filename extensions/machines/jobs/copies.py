"""Which pages of different parts say nearly the same? Clusters of different parts are joined if their centres are near.

The rule is that of one crawl (crawldb/pages/clusters.py). A cluster has a centre, and joins the nearest of the earlier
ones, part after part; here a part's cluster represents all its pages. Candidates share a band of their signatures.
Joined clusters have one number in every part, a hash of the first one's canonical URL. A search shows one page of them.

Here one process holds all centres, some 600 bytes each. `spark_copies.py` serves crawls too large for one machine, and
gives the same numbers. A page that enters its cluster later is joined at once; new clusters wait for the next run.

Which pages name a page of another part as their canonical URL, and is that one shown? Then they leave the index.

The rule is that of one crawl (crawldb/pages/copies.py). A page is out of the index while the named page is in it and
names no third one. The page comes back when the named page goes. Two parts know half of this each, so both are read.

The driver holds the pairs: some 200 bytes for each page that names one of another part. Few pages do.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from crawldb.database import CrawlDatabase
from crawldb.neighbours import band_keys, compared
from crawldb.pages.copies import follow
from crawldb.pages.feed import Feed
from crawldb.tables.journal import Journal
from extensions.machines.jobs.each_part import ask_each, ask_some, change_each
from extensions.machines.tables import (
    Centre,
    centres,
    joined_clusters,
    named_elsewhere,
    pages_in_index,
    put_joined,
    those_shown,
)
from extensions.machines.tasks.places import PartChange
from indexer.following import catch_up
from pages.content.similarity import ORDERS, THRESHOLD, agreeing_at, banding
from urls.canonical import site_of
from urls.records import CanonicalUrl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from extensions.machines.engines.staged import TaskRunner
    from extensions.machines.tasks.places import PartsPlace


def fold_canonicals(place: PartsPlace, runner: TaskRunner | None = None) -> int:
    """Take out of each index the pages whose canonical in another part is shown; return how many are out.

    Raises `PartsFailed`, and changes nothing, if a part can't be read.
    """
    named = ask_each(place, _named_in, runner)
    wanted: dict[int, set[str]] = {}
    for rows in named.values():
        for target, _ in rows.values():
            wanted.setdefault(place.parts[0].owner(site_of(CanonicalUrl(target))), set()).add(target)
    questions = {part: partial(_shown_in, targets=wanted[part.number]) for part in place.parts if part.number in wanted}
    shown = set[str]().union(*ask_some(place, questions, runner).values())
    stands = {part: {url: target in shown for url, (target, _) in rows.items()} for part, rows in named.items()}
    changes = {
        part: PartChange(partial(_follow, stands=changed), catch_up)
        for part, rows in named.items()
        if (changed := {url: stands[part][url] for url, (_, before) in rows.items() if stands[part][url] != before})
    }
    change_each(place, changes, runner)
    return sum(sum(each.values()) for each in stands.values())


def _named_in(folder: Path) -> dict[int, tuple[str, bool]]:
    with CrawlDatabase(folder, readonly=True) as database:
        return named_elsewhere(database)


def _shown_in(folder: Path, targets: Collection[str]) -> set[str]:
    with CrawlDatabase(folder, readonly=True) as database:
        return those_shown(database, targets)


def _follow(folder: Path, stands: Mapping[int, bool]) -> None:
    with CrawlDatabase(folder) as database:
        with database.transaction():
            Feed(database).announce(follow(database, Journal(database, None), stands))
        database.seal()


MAX_SHARING = 50  # centres, the first of those that share a band; each later one is compared with them
NUMBER_BITS = 62  # of a joined cluster: two of a million share one with a chance of 1 to 9 million


@dataclass(frozen=True, slots=True)
class JoinedClusters:
    """How many clusters of parts are joined with another one, and how many groups they form."""

    joined: int
    clusters: int


def join_copies(place: PartsPlace, threshold: float = THRESHOLD, runner: TaskRunner | None = None) -> JoinedClusters:
    """Join the clusters of all parts, and update each part's index; a second run changes nothing.

    Raises `PartsFailed`, and changes nothing, if a part can't be read.
    """
    found = ask_each(place, centres_in, runner)
    all_centres = [centre._replace(part=part.number) for part, some in found.items() for centre in some]
    numbers = joined_numbers(all_centres, threshold)
    before = {centre[:2]: centre.joined for centre in all_centres if centre.joined is not None}
    changed = {part for (part, _), _ in numbers.items() ^ before.items()}
    shares: dict[int, dict[int, int]] = {part: {} for part in changed}
    for (part, cluster), number in numbers.items():
        if part in changed:
            shares[part][cluster] = number
    changes = {
        part: PartChange(partial(put_numbers, numbers=shares[part.number]), catch_up)
        for part in place.parts
        if part.number in changed
    }
    change_each(place, changes, runner)
    return JoinedClusters(len(numbers), len(set(numbers.values())))


def joined_numbers(centres: Iterable[Centre], threshold: float = THRESHOLD) -> dict[tuple[int, int], int]:
    """Return the numbers of the joined clusters, by (part, cluster)."""
    known = sorted(centre for centre in centres if centre.shown)
    signatures, enough = signatures_of(known), agreeing_at(threshold)
    sharing: defaultdict[int, list[int]] = defaultdict(list)  # by band: the first centres that have it
    members: dict[int, list[Centre]] = {}  # by the place of the head, which is also a member
    for place, keys in enumerate(band_keys(signatures, *banding(threshold)).tolist()):
        heads = sorted({head for key in keys for head in sharing[key] if head in members})
        near = compared(signatures[place], signatures[heads], heads, enough)
        head = min(near, key=lambda each: (-each[0], each[1]))[1] if near else place
        members.setdefault(head, []).append(known[place])
        for key in keys:
            if len(sharing[key]) < MAX_SHARING:
                sharing[key].append(place)
    return {
        (each.part, each.cluster): number_of(known[head].canonical)
        for head, several in members.items()
        if len({each.part for each in several}) > 1
        for each in several
    }


def signatures_of(centres: Sequence[Centre]) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """Return the signatures of n centres, an array of (n, ORDERS)."""
    return np.frombuffer(b"".join(each.signature for each in centres), np.uint8).reshape(-1, ORDERS)


def number_of(canonical: str) -> int:
    """Return the number of a joined cluster, above 0."""
    digest = blake2b(canonical.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest) >> (64 - NUMBER_BITS)) | 1


def centres_in(folder: Path) -> list[Centre]:
    """Return the clusters in the folder of a part that have a page in the index or a number; their `part` is 0."""
    with CrawlDatabase(folder, readonly=True) as database:
        return centres(database)


def put_numbers(folder: Path, numbers: Mapping[int, int]) -> None:
    """Store these numbers for the clusters of a part, and announce the pages of changed clusters to its index."""
    with CrawlDatabase(folder) as database:
        before = joined_clusters(database)
        changed = [each for each in before.keys() | numbers.keys() if before.get(each) != numbers.get(each)]
        with database.transaction():
            put_joined(database, {each: numbers.get(each) for each in changed})
            for each in sorted(changed):
                Feed(database).announce(pages_in_index(database, each))
        database.seal()
