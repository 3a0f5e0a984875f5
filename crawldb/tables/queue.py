"""Which URLs are queued, which of them are due, and which does a rule hold back?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawldb.tables.urls import IS_QUEUED, Kind, State, Urls
from urls.records import FoundBy
from urls.schedule import Mode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from crawldb.database import CrawlDatabase
    from urls.records import CanonicalUrl
    from urls.rules import Rule


_LEADS_TO_PAGES = (FoundBy.LINK, FoundBy.REFRESH, FoundBy.CANONICAL, FoundBy.SITEMAP)


@dataclass(frozen=True, slots=True)
class Lease:
    """A URL to fetch, with the data of its request."""

    id: int
    url: CanonicalUrl
    site: str
    depth: int
    attempts: int  # failed requests in this round
    seed: bool  # in the root set: it may be anywhere its operator wants
    referer: str  # the page that it was found on, or ""
    etag: str
    last_modified: str
    kind: Kind = Kind.PAGE
    probes: str = ""  # its purpose, a word of `Purpose`; "": it is no probe


# In the order of the fields, without the id.
_LEASED_ROW = (
    "url, (SELECT name FROM site WHERE id = url.site), depth, attempts, seed, "
    "coalesce((SELECT parent.url FROM url AS parent WHERE parent.id = url.found_on), ''), "
    + "".join(
        f"coalesce((SELECT {tag} FROM page WHERE page.url = url.id), iif(kind = {Kind.SITEMAP:d}, "
        f"(SELECT {tag} FROM sitemap WHERE sitemap.url = url.id), "
        f"(SELECT {tag} FROM stylesheet WHERE stylesheet.url = url.id)), ''), "
        for tag in ("etag", "last_modified")
    )
    + "kind, coalesce((SELECT purpose FROM probe WHERE probe.url = url.id), '')"
)


class Queue:
    """The queued URLs that a run asks for, those of a site in one order: `order_by`, in SQL."""

    def __init__(self, database: CrawlDatabase, mode: Mode, order_by: str) -> None:
        self._database = database
        self._connection = database.connection
        self._urls = Urls(database)
        self._order_by = order_by
        # DUE has put aside what the run does not want when it began (frontier/rounds.py).
        self._wanted = IS_QUEUED
        if mode is Mode.DISCOVER:
            self._wanted += f" AND (ended_in IS NULL OR kind = {Kind.SITEMAP:d})"

    def sites(self, now: float) -> set[tuple[int, str]]:
        """Return ids and names of the sites that have a queued URL, and whose hosts do not rest."""
        rows = self._connection.execute(
            "SELECT id, name FROM site WHERE rests_until <= ? "
            f"AND EXISTS (SELECT 1 FROM url WHERE site = site.id AND {self._wanted})",
            (now,),
        )
        return set(rows.fetchall())

    def sites_due(self, until: float) -> list[str]:
        """Return the names of the sites that have a queued URL which is due, and whose hosts are awake, by then."""
        rows = self._connection.execute(
            "SELECT name FROM site WHERE rests_until <= ? "
            f"AND EXISTS (SELECT 1 FROM url WHERE site = site.id AND {self._wanted} AND due_at <= ?)",
            (until, until),
        )
        return [name for (name,) in rows]

    def next_of(self, site: int, now: float, limit: int) -> list[int]:
        """Return the ids of the first URLs of a site that are due."""
        rows = self._connection.execute(
            f"SELECT id FROM url WHERE site = ? AND {self._wanted} AND due_at <= ? ORDER BY {self._order_by} LIMIT ?",
            (site, now, limit),
        )
        return [identity for (identity,) in rows]

    def first_due(self, site: int) -> float | None:
        """Return when the first queued URL of a site is due; None: none is queued."""
        due_at = self._database.value(f"SELECT min(due_at) FROM url WHERE site = ? AND {self._wanted}", site)
        return due_at if isinstance(due_at, (int, float)) else None

    def first_due_of_all(self) -> float | None:
        """Return when the first queued URL is due and its host awake; None: none is queued."""
        due_at = self._database.value(
            "SELECT min(max(rests_until, "
            f"(SELECT min(due_at) FROM url WHERE site = site.id AND {self._wanted}))) FROM site"
        )
        return due_at if isinstance(due_at, (int, float)) else None

    def take(self, url: int, now: float) -> Lease | None:
        """Lease a URL, within the caller's transaction; None where it is not due any longer, or its host rests."""
        row = self._urls.lease(url, now, _LEASED_ROW)
        if row is None:
            return None
        lease = Lease(url, *row)
        return replace(lease, seed=bool(lease.seed), kind=Kind(lease.kind))

    def due(self, now: float) -> str:
        """Return the condition, in SQL, of the URLs that this run asks for and that are due."""
        return f"{self._wanted} AND due_at <= {now!r}"


def leased(database: CrawlDatabase) -> int:
    """Return how many leases have not ended yet."""
    return database.count("SELECT count(*) FROM url WHERE state = ?", State.LEASED)


def queued(database: CrawlDatabase) -> int:
    """Return how many URLs wait for their turn."""
    return database.count("SELECT count(*) FROM url WHERE state = ?", State.QUEUED)


def ready(database: CrawlDatabase, now: float) -> int:
    """Return how many URLs are queued that were not deferred, on hosts that do not rest."""
    return database.count(
        "SELECT count(*) FROM url JOIN site ON site.id = url.site WHERE state = ? AND due_at = 0 AND rests_until <= ?",
        State.QUEUED,
        now,
    )


def queued_sites(database: CrawlDatabase) -> list[tuple[int, CanonicalUrl]]:
    """Return the ids of the sites that have a queued URL, each with such a URL."""
    sql = f"SELECT id, (SELECT url FROM url WHERE site = site.id AND {IS_QUEUED} LIMIT 1) AS queued FROM site"
    return database.connection.execute(f"{sql} WHERE queued IS NOT NULL").fetchall()


def sitemaps_by_scope(database: CrawlDatabase, rules: Sequence[Rule]) -> list[tuple[int, CanonicalUrl, int]]:
    """Return ids and URLs of sitemaps that are queued, or held back by rules, and whether they are."""
    return database.connection.execute(
        # A queue of a million pages has few sitemaps.
        f"SELECT id, url, state = {State.SUPPRESSED:d} FROM url INDEXED BY url_sitemap WHERE kind = {Kind.SITEMAP:d} "
        f"AND ({IS_QUEUED} OR (state = {State.SUPPRESSED:d} AND rule IN ({', '.join('?' * len(rules))})))",
        rules,
    ).fetchall()


def queued_pages(
    database: CrawlDatabase, site: int, *, deeper_than: int = -1, probes: bool = False
) -> list[tuple[int, CanonicalUrl]]:
    """Return ids and URLs of the pages of a site that wait for their turn, but for seeds; with `probes`, these too.

    `deeper_than`: only those that are more links from a seed.
    """
    return database.connection.execute(
        "SELECT id, url FROM url WHERE site = ? AND state = ? AND seed = 0 AND kind = ? AND depth > ? "
        "AND (? OR id NOT IN (SELECT url FROM probe))",
        (site, State.QUEUED, Kind.PAGE, deeper_than, probes),
    ).fetchall()


def is_wanted_as_page(database: CrawlDatabase, url: int) -> bool:
    """Return whether a URL that was named as a sitemap, and is none, is to be fetched as a page."""
    sql = (
        f"SELECT 1 FROM url WHERE id = ? AND (seed = 1 OR found_by IN ({', '.join('?' * len(_LEADS_TO_PAGES))}) "
        "OR EXISTS (SELECT 1 FROM link WHERE target = url.id))"
    )
    return database.connection.execute(sql, (url, *_LEADS_TO_PAGES)).fetchone() is not None


def held_back(database: CrawlDatabase, site: int, rule: Rule) -> list[tuple[int, CanonicalUrl]]:
    """Return ids and URLs of what a rule holds back of a site."""
    return database.connection.execute(
        "SELECT id, url FROM url WHERE site = ? AND state = ? AND rule = ?", (site, State.SUPPRESSED, rule)
    ).fetchall()


def suppressed_by(database: CrawlDatabase, rule: Rule) -> list[tuple[int, str, int]]:
    """Return ids, addresses and depths of all that a rule holds back."""
    return database.connection.execute(
        "SELECT id, url, depth FROM url WHERE state = ? AND rule = ?", (State.SUPPRESSED, rule)
    ).fetchall()


def pages_of(database: CrawlDatabase, site: str, *, besides: Sequence[Rule]) -> list[tuple[int, str, int, int]]:
    """Return id, address, depth and whether it is a seed of the pages of a site, but for those by some rules."""
    return database.connection.execute(
        "SELECT id, url, depth, seed FROM url WHERE site = (SELECT id FROM site WHERE name = ?) AND kind = ? "
        f"AND (rule IS NULL OR rule NOT IN ({', '.join('?' * len(besides))})) ORDER BY id",
        (site, Kind.PAGE, *besides),
    ).fetchall()


def held_back_pages(database: CrawlDatabase, rules: Sequence[Rule]) -> list[tuple[int, str, int, int]]:
    """Return ids, addresses, sites and depths of the pages that rules hold back, nearest to a seed first."""
    return database.connection.execute(
        "SELECT id, url, site, depth FROM url "
        f"WHERE state = ? AND kind = ? AND rule IN ({', '.join('?' * len(rules))}) ORDER BY depth, id",
        (State.SUPPRESSED, Kind.PAGE, *rules),
    ).fetchall()


def pages_not_fetched_yet(database: CrawlDatabase) -> Iterator[tuple[int, str, int]]:
    """Yield ids, URLs and depths of queued pages outside the root set that were never stored; of no probes."""
    yield from database.connection.execute(
        f"SELECT id, url, depth FROM url WHERE {IS_QUEUED} AND kind = ? AND seed = 0 "
        "AND id NOT IN (SELECT url FROM page) AND id NOT IN (SELECT url FROM probe)",
        (Kind.PAGE,),
    )


def held_back_as(database: CrawlDatabase, rules: Collection[Rule], url: str, *, wide: bool) -> list[tuple[int, str]]:
    """Return id and URL of a URL that rules hold back; `wide`: of all that begin so."""
    places = ", ".join("?" * len(rules))
    matching = "substr(url, 1, ?) = ?" if wide else "length(url) = ? AND url = ?"
    return database.connection.execute(
        f"SELECT id, url FROM url WHERE state = ? AND rule IN ({places}) AND {matching}",
        (State.SUPPRESSED, *rules, len(url), url),
    ).fetchall()
