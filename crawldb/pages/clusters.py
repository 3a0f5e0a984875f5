"""Which pages are near duplicates, and which page represents them? Clusters, and their canonicals.

A cluster has a centre: the signature of its first page. A page belongs to the nearest cluster whose centre is near its
own signature. Pages are compared with the centre and never with each other. So a chain A~B~C, in which A and C have
little in common, can't grow. A page that is parsed again stays in its cluster as long as it is near enough. A flood of
near duplicates has one signature to be compared with, however many pages it brings.

The canonical is elected at the end of a run, among the members in the index. Each criterion decides where those before
it do not:

1. another member declares it (RFC 6596), and it declares none of them;
2. it is on the host that another member's robots.txt names;
3. most redirects lead to it;
4. most pages link to it;
5. its URL is the shortest;
6. it is the oldest.

Until the first election it is the first page. Only the sentences of `why` and the evidence on mirrors use it: a search
shows the member that matches best.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.database import in_index
from pages.content.similarity import THRESHOLD, banding, similarity
from robots import is_host_of, origin_of
from urls.records import CanonicalUrl
from urls.wording import ExplainedWord

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.neighbours import Neighbours

MAX_ELECTED = 50  # members, the oldest, among which a new canonical is chosen when the old one leaves
MAX_INLINKS = 100  # of a page that are counted: beyond, both are well known
MAX_HOST_LINES = 50  # of the members' robots.txt files that are looked at


class CanonicalReason(ExplainedWord):
    """Why a member is the canonical of its cluster (column `cluster.reason`), in the order of the criteria."""

    DECLARED = "declared", "another of them names it as its canonical address"
    HOST = "host", "it is on the host that the robots.txt of another of them names"
    REDIRECTS = "redirects", "more URLs redirect to it than to the others"
    INLINKS = "inlinks", "more pages link to it than to the others"
    SHORTEST = "shortest", "it has the shortest URL of them"
    OLDEST = "oldest", "it was discovered before the others"
    FIRST = "first", "it was the first of them to be read; the end of the run chooses"


_IN_ORDER = (*CanonicalReason,)[:-1]


@dataclass(frozen=True, slots=True)
class Placement:
    """The cluster of a page: the canonical of the other members, and how near the page is to the centre."""

    moved: bool  # to another cluster than before, or out of all
    canonical: CanonicalUrl | None = None  # None: it is alone
    similarity: float = 0.0


class Clusters:
    """Puts pages into clusters, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase, threshold: float = THRESHOLD) -> None:
        self._database = database
        self.threshold = threshold
        self._neighbours: Neighbours | None = None

    def rolled_back(self) -> None:
        """Forget what a transaction that came to nothing had put into memory."""
        self._neighbours = None

    def of(self, url: int) -> int | None:
        """Return the cluster of a stored page."""
        return self._database.count("SELECT cluster FROM page WHERE url = ?", url) or None

    def place(self, url: int, signature: bytes) -> Placement:
        """Put a stored page where it belongs now."""
        cluster = self.of(url)
        if not signature:
            if cluster is not None:
                leave(self._database, url)
            return Placement(moved=cluster is not None)
        if cluster is not None and self._still_belongs(url, cluster, signature):
            return self._among_others(url, cluster, signature, moved=False)
        known = self.nearest(signature, besides=cluster)
        if cluster is not None:
            if known is None and not _others(self._database, cluster, url):
                self._move_centre(cluster, signature)
                return Placement(moved=False)
            leave(self._database, url)
        chosen = self._begun_with(url, signature) if known is None else known
        self._database.connection.execute("UPDATE page SET cluster = ? WHERE url = ?", (chosen, url))
        return Placement(moved=True) if known is None else self._among_others(url, chosen, signature, moved=True)

    def nearest(self, signature: bytes, *, besides: int | None = None) -> int | None:
        """Return the cluster to whose centre a signature is nearest, if it is near any."""
        for cluster, _ in self._known_neighbours().nearest(signature, self.threshold) if signature else ():
            # It may have moved, or be gone, since it became known here.
            if cluster != besides and similarity(signature, self._centre(cluster)) >= self.threshold:
                return cluster
        return None

    def likeness(self, signature: bytes) -> float:
        """Return how near a signature is to the nearest cluster; 0 where it is near none."""
        cluster = self.nearest(signature)
        return 0.0 if cluster is None else similarity(signature, self._centre(cluster))

    def _still_belongs(self, url: int, cluster: int, signature: bytes) -> bool:
        """Return whether a page need not move. One that is alone looks for others: the threshold may be lower now."""
        centre = self._centre(cluster)
        near = signature == centre or similarity(signature, centre) >= self.threshold
        return near and _others(self._database, cluster, url)

    def _centre(self, cluster: int) -> bytes:
        found = self._database.value("SELECT signature FROM cluster WHERE id = ?", cluster)
        return found if isinstance(found, bytes) else b""

    def _begun_with(self, url: int, signature: bytes) -> int:
        cursor = self._database.connection.execute(
            "INSERT INTO cluster (signature, canonical, reason) VALUES (?, ?, ?)",
            (signature, url, CanonicalReason.FIRST),
        )
        cluster = int(cursor.lastrowid or 0)
        self._known_neighbours().add(cluster, signature)
        return cluster

    def _move_centre(self, cluster: int, signature: bytes) -> None:
        if signature == self._centre(cluster):
            return
        sql = "UPDATE cluster SET signature = ? WHERE id = ?"
        self._database.connection.execute(sql, (signature, cluster))
        self._known_neighbours().add(cluster, signature)

    def _among_others(self, url: int, cluster: int, signature: bytes, *, moved: bool) -> Placement:
        # Its canonical, or else the oldest. A page that names this one as its canonical address makes no copy of this.
        member = (
            "SELECT url.url FROM indexed_page AS page JOIN url ON url.id = page.url WHERE {} AND page.url != ?2 "
            "AND page.canonical IS NOT ?2 ORDER BY page.url LIMIT 1"
        )
        canonical = member.format("page.url = (SELECT canonical FROM cluster WHERE id = ?1)")
        oldest = member.format("page.cluster = ?1")
        name = self._database.value(f"SELECT coalesce(({canonical}), ({oldest}))", cluster, url)
        if name is None:
            return Placement(moved)
        return Placement(moved, CanonicalUrl(str(name)), similarity(signature, self._centre(cluster)))

    def _known_neighbours(self) -> Neighbours:
        if self._neighbours is None:
            from crawldb.neighbours import Neighbours  # noqa: PLC0415 - numpy, that only a crawl needs

            self._neighbours = Neighbours(*banding(self.threshold))
            self._neighbours.add_all(self._database.connection.execute("SELECT id, signature FROM cluster ORDER BY id"))
        return self._neighbours


def _others(database: CrawlDatabase, cluster: int, url: int) -> bool:
    return database.value("SELECT 1 FROM page WHERE cluster = ? AND url != ? LIMIT 1", cluster, url) is not None


def leave(database: CrawlDatabase, url: int) -> None:
    """Take a page out of its cluster, within the caller's transaction; an empty cluster goes, a headless one elects."""
    row = database.connection.execute(
        "SELECT cluster.id, cluster.canonical FROM page JOIN cluster ON cluster.id = page.cluster WHERE url = ?", (url,)
    ).fetchone()
    if row is None:
        return
    cluster, canonical = row
    database.connection.execute("UPDATE page SET cluster = NULL WHERE url = ?", (url,))
    if not _others(database, cluster, url):
        database.connection.execute("DELETE FROM cluster WHERE id = ?", (cluster,))
    elif canonical == url:
        elect(database, cluster, MAX_ELECTED)


def inherit(database: CrawlDatabase, heir: int, url: int) -> None:
    """Put an exact copy into the cluster of its original, within the caller's transaction."""
    database.connection.execute(
        "UPDATE page SET cluster = (SELECT cluster FROM page WHERE url = ?) WHERE url = ?", (url, heir)
    )


def settle(database: CrawlDatabase) -> None:
    """Choose the canonical of every cluster that has several members, within the caller's transaction."""
    rows = database.connection.execute(
        "SELECT cluster FROM page WHERE cluster IS NOT NULL GROUP BY cluster HAVING count(*) > 1"
    ).fetchall()
    for (cluster,) in rows:
        elect(database, cluster)


@dataclass(frozen=True, slots=True)
class _Candidate:
    url: int
    name: str
    declared: int
    redirects: int
    inlinks: int

    def claims(self, host_lines: Sequence[tuple[str, str]]) -> tuple[int, ...]:
        """Return its values in the order of `CanonicalReason`: the larger tuple wins."""
        named = any(is_host_of(host, self.name) and not is_host_of(host, origin) for origin, host in host_lines)
        return self.declared, int(named), self.redirects, self.inlinks, -len(self.name), -self.url


def elect(database: CrawlDatabase, cluster: int, most: int = -1) -> None:
    """Choose the canonical of a cluster among its members in the index, of `most` the oldest; -1: of all."""
    rows = database.connection.execute(
        "SELECT url.id, url.url, "
        # The plus keeps SQLite from looking through the whole cluster for each member.
        "EXISTS (SELECT 1 FROM page AS other WHERE other.canonical = page.url AND +other.cluster = page.cluster) AND "
        "NOT EXISTS (SELECT 1 FROM page AS named WHERE named.url = page.canonical AND named.cluster = page.cluster), "
        "(SELECT count(*) FROM url AS alias WHERE alias.moved_to = page.url), "
        "(SELECT count(*) FROM (SELECT DISTINCT source FROM link WHERE target = page.url LIMIT ?)), "
        f"{in_index('page.url')} "
        "FROM page JOIN url ON url.id = page.url WHERE cluster = ? ORDER BY page.url LIMIT ?",
        (MAX_INLINKS, cluster, most),
    ).fetchall()
    shown = [_Candidate(*row[:-1]) for row in rows if row[-1]] or [_Candidate(*row[:-1]) for row in rows]
    if not shown:
        return
    host_lines = _host_lines(database, shown)
    ranking = sorted(((each.claims(host_lines), each.url) for each in shown), reverse=True)
    (claims, canonical), *others = ranking
    reason = next(
        (why for why, own, next_ in zip(_IN_ORDER, claims, others[0][0], strict=True) if own != next_)
        if others
        else iter((CanonicalReason.FIRST,))
    )
    database.connection.execute(
        "UPDATE cluster SET canonical = ?1, reason = ?2 WHERE id = ?3 AND (canonical, reason) != (?1, ?2)",
        (canonical, reason, cluster),
    )


def _host_lines(database: CrawlDatabase, members: Sequence[_Candidate]) -> list[tuple[str, str]]:
    """Return the origins of some members whose robots.txt names the host of their mirrors, each with that host."""
    origins = list(dict.fromkeys(origin_of(CanonicalUrl(each.name)) for each in members))[:MAX_HOST_LINES]
    lines = [(f"{origin}/", database.value("SELECT host FROM robots WHERE origin = ?", origin)) for origin in origins]
    return [(origin, host) for origin, host in lines if isinstance(host, str) and host]


@dataclass(frozen=True, slots=True)
class ClusterMembers:
    """The cluster of a page: `others` are members in the index, the oldest first."""

    id: int
    canonical: str
    reason: CanonicalReason
    pages: int  # members in the index
    others: tuple[str, ...]  # a few of them, without the page itself


def cluster_members(database: CrawlDatabase, url: int, most: int = 5) -> ClusterMembers | None:
    """Return what is known of the cluster of a page, with `most` others of it at most; None where it is alone."""
    row = database.connection.execute(
        "SELECT cluster.id, url.url, reason, "
        "(SELECT count(*) FROM indexed_page AS member WHERE member.cluster = cluster.id) "
        "FROM page JOIN cluster ON cluster.id = page.cluster JOIN url ON url.id = cluster.canonical WHERE page.url = ?",
        (url,),
    ).fetchone()
    if row is None:
        return None
    cluster, canonical, reason, pages = row
    others = database.connection.execute(
        "SELECT url.url FROM indexed_page AS page JOIN url ON url.id = page.url "
        "WHERE cluster = ? AND page.url != ? ORDER BY url.id LIMIT ?",
        (cluster, url, most),
    )
    found = tuple(other for (other,) in others)
    return ClusterMembers(cluster, canonical, CanonicalReason(reason), pages, found) if found else None


def joined_elsewhere(database: CrawlDatabase, url: int, parts: Iterable[CrawlDatabase]) -> tuple[str, ...]:
    """Return the pages that stand, in other parts, for the clusters that are one with a page's."""
    number = database.value("SELECT joined FROM page JOIN cluster ON id = page.cluster WHERE page.url = ?", url)
    sql = "SELECT url.url FROM cluster JOIN url ON url.id = canonical WHERE joined = ? ORDER BY cluster.id"
    others = (part for part in parts if number is not None and part.path != database.path)
    return tuple(name for part in others for (name,) in part.connection.execute(sql, (number,)))


def near_copies(database: CrawlDatabase) -> int:
    """Return how many pages in the index say nearly what the canonical of their cluster says, themselves aside."""
    return database.count(
        "SELECT coalesce(sum(pages - 1), 0) FROM "
        "(SELECT count(*) AS pages FROM indexed_page WHERE cluster IS NOT NULL GROUP BY cluster)"
    )
