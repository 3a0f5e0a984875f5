"""Which pages of different parts say nearly the same? Clusters of parts become one where their centres are near.

The rule is that of one crawl (crawldb/pages/clusters.py): a cluster has a centre, and belongs to the nearest of those
that came before it, part after part; here a part's cluster stands for all of its pages. Candidates share a band of
their signatures. Clusters that are one have one number in every part, made of the address of the first one's
canonical, and a search shows one page of them all.

A page that joins its cluster later is with them at once; new clusters wait until this is done once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from crawldb.database import CrawlDatabase
from crawldb.neighbours import Neighbours
from crawldb.tables.feed import Feed
from indexer.following import catch_up
from urls.content.resemblance import THRESHOLD, banding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from cluster.jobs.places import PartsPlace

NUMBER_BITS = 62  # of a joined cluster: two of a million share one with a chance of 1 to 9 million


class Centre(NamedTuple):
    """A cluster of a part with a page in the index: its MinHash, and the address of the page that stands for it."""

    part: int
    cluster: int
    signature: bytes
    canonical: str


@dataclass(frozen=True, slots=True)
class JoinedClusters:
    """How many clusters of parts are one with another one, and how many they are together."""

    joined: int
    clusters: int


def join_copies(place: PartsPlace, threshold: float = THRESHOLD) -> JoinedClusters:
    """Join the clusters of all parts, and let each part's index know; a second time changes nothing."""
    centres = [centre for part in place.parts for centre in place.ask(part, partial(centres_in, part=part.number))]
    numbers = joined_numbers(centres, threshold)
    for part in place.parts:
        own = {cluster: number for (of, cluster), number in numbers.items() if of == part.number}
        if place.ask(part, partial(differs, numbers=own)):
            place.change(part, partial(put_numbers, numbers=own))
    return JoinedClusters(len(numbers), len(set(numbers.values())))


def joined_numbers(centres: Iterable[Centre], threshold: float = THRESHOLD) -> dict[tuple[int, int], int]:
    """Return by (part, cluster) the number of those that are one with another cluster."""
    neighbours = Neighbours(*banding(threshold))
    heads: list[Centre] = []
    members: dict[int, list[Centre]] = {}
    for centre in sorted(centres):
        near = neighbours.nearest(centre.signature, threshold)
        head = near[0][0] if near else len(heads)
        if not near:
            heads.append(centre)
            neighbours.add(head, centre.signature)
        members.setdefault(head, []).append(centre)
    return {
        (each.part, each.cluster): number_of(heads[head].canonical)
        for head, several in members.items()
        if len({each.part for each in several}) > 1
        for each in several
    }


def number_of(canonical: str) -> int:
    """Return the number of a joined cluster, above 0."""
    digest = blake2b(canonical.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest) >> (64 - NUMBER_BITS)) | 1


def centres_in(folder: Path, part: int) -> list[Centre]:
    """Return the clusters of a part that have a page in the index."""
    sql = (
        "SELECT cluster.id, signature, url.url FROM cluster JOIN url ON url.id = canonical "
        "WHERE EXISTS (SELECT 1 FROM page WHERE page.cluster = cluster.id AND refusals = '[]') ORDER BY cluster.id"
    )
    with CrawlDatabase(folder, readonly=True) as database:
        return [Centre(part, *row) for row in database.connection.execute(sql)]


def differs(folder: Path, numbers: Mapping[int, int]) -> bool:
    """Return whether the clusters of a part have other numbers than these."""
    with CrawlDatabase(folder, readonly=True) as database:
        return _numbers(database) != numbers


def put_numbers(folder: Path, numbers: Mapping[int, int]) -> None:
    """Let the clusters of a part have these numbers, and its index the pages of those that had others."""
    with CrawlDatabase(folder) as database:
        before = _numbers(database)
        changed = [each for each in before.keys() | numbers.keys() if before.get(each) != numbers.get(each)]
        with database.transaction() as connection:
            connection.executemany(
                "UPDATE cluster SET joined = ? WHERE id = ?", [(numbers.get(each), each) for each in changed]
            )
            for each in sorted(changed):
                pages = connection.execute("SELECT url FROM page WHERE cluster = ? AND refusals = '[]'", (each,))
                Feed(database).announce([url for (url,) in pages.fetchall()])
        database.seal()
    catch_up(folder)


def _numbers(database: CrawlDatabase) -> dict[int, int]:
    rows = database.connection.execute("SELECT id, joined FROM cluster WHERE joined IS NOT NULL")
    return dict(rows.fetchall())
