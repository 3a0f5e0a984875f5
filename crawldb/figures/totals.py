"""What does a crawl hold, and what has it done, in numbers? Counts over its tables, of one moment.

Each function is one query. Read several that must agree within one state (`CrawlDatabase.one_state`). Bytes are of
bodies after decompression, times are seconds since the epoch, durations are in seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypedDict

from crawldb.database import in_index
from crawldb.learnt import Purpose
from crawldb.tables.hosts import read_host
from crawldb.tables.robots_files import silent_sites
from crawldb.tables.runs import SECONDS_OF_RUN
from crawldb.tables.urls import State
from urls.canonical import host_of_site
from urls.records import FoundBy
from urls.rules import Rule

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

GOT_A_PAGE = f"('{Rule.FETCHED}', '{Rule.NOT_MODIFIED}')"  # for SQL: a page came, or is as it was
# With these alone and no page, a site is down: a recrawl by night must not look like one that found nothing due.
NOT_REACHED = (Rule.DNS, Rule.REFUSED_CONNECTION, Rule.TIMEOUT, Rule.TLS, Rule.NETWORK, Rule.SERVER_ERROR)
OF_ROUND = "run IN (SELECT id FROM run WHERE round = ?)"  # for SQL, of a row of table `fetch`


def urls_by_state(database: CrawlDatabase) -> dict[State, int]:
    """Return how many URLs are in each state; a state in which none is, is left out."""
    rows = database.connection.execute("SELECT state, count(*) FROM url GROUP BY state")
    return {State(state): count for state, count in rows}


def urls_by_rule(database: CrawlDatabase, state: State) -> dict[str, int]:
    """Return how many URLs each rule has brought into a state, the most first."""
    sql = "SELECT rule, count(*) FROM url WHERE state = ? GROUP BY rule ORDER BY count(*) DESC, rule"
    return dict(database.connection.execute(sql, (state,)).fetchall())


def known_urls(database: CrawlDatabase) -> int:
    """Return how many URLs were discovered."""
    return database.count("SELECT count(*) FROM url")


class PageCounts(NamedTuple):
    """How many pages are stored, and what became of them; those that another filter rejected are the rest."""

    stored: int
    indexed: int
    duplicates: int
    noindex: int


def page_counts(database: CrawlDatabase) -> PageCounts:
    """Return how many pages are stored, and how many of them are in the index, exact copies, or say noindex."""
    row = database.connection.execute(
        "SELECT (SELECT count(*) FROM page), (SELECT count(*) FROM indexed_page), "
        "(SELECT count(*) FROM page WHERE duplicate_of IS NOT NULL), "
        f"(SELECT count(*) FROM page WHERE refusals LIKE '[[\"{Rule.NOINDEX}\"%')"
    ).fetchone()
    return PageCounts(*row)


def pages_counted(database: CrawlDatabase) -> int:
    """Return how many pages are stored."""
    return database.count("SELECT count(*) FROM page")


class FilteredPage(NamedTuple):
    """A stored page: whether it is in the index, the rule of the filter that rejected it, and its cluster."""

    url: str
    indexed: int  # 1: it is
    rejected_by: str | None
    cluster: int | None


def filtered_pages(database: CrawlDatabase) -> list[FilteredPage]:
    """Return all stored pages with the results of the filters."""
    rows = database.connection.execute(
        f"SELECT url.url, {in_index('page.url')}, json_extract(refusals, '$[0][0]'), cluster "
        "FROM page JOIN url ON url.id = page.url"
    )
    return [FilteredPage(*row) for row in rows]


def sites_with_pages(database: CrawlDatabase) -> int:
    """Return how many sites have a stored page."""
    return database.count("SELECT count(DISTINCT site) FROM page JOIN url ON url.id = page.url")


def pages_by_site(database: CrawlDatabase) -> dict[str, int]:
    """Return how many pages of each site are stored, by its name; in the order in which the sites were met."""
    rows = database.connection.execute(
        "SELECT name, count(page.url) FROM site JOIN url ON url.site = site.id "
        "LEFT JOIN page ON page.url = url.id GROUP BY site.id ORDER BY site.id"
    )
    return dict(rows.fetchall())


class SitemapCounts(NamedTuple):
    """Sitemaps that were read, the entries in them, and pages that a sitemap names and no page links to."""

    files: int
    entries: int
    only_there: int


def sitemap_counts(database: CrawlDatabase) -> SitemapCounts:
    """Return how many sitemaps were read, and what they held."""
    files, entries = database.connection.execute(
        "SELECT count(*), coalesce(sum(entries), 0) FROM sitemap WHERE form != ''"
    ).fetchone()
    alone = (
        f"SELECT count(*) FROM url WHERE kind = 0 AND found_by = '{FoundBy.SITEMAP}' "
        "AND NOT EXISTS (SELECT 1 FROM link WHERE target = url.id)"
    )
    return SitemapCounts(files, entries, database.count(alone))


def links_counted(database: CrawlDatabase) -> int:
    """Return how many links there are, each of its words once."""
    return database.count("SELECT count(*) FROM link")


def probes_by_purpose(database: CrawlDatabase) -> dict[str, int]:
    """Return how many requests of probes were sent for each purpose.

    A page that was fetched twice no longer counts once it is compared.
    """
    rows = database.connection.execute(
        "SELECT coalesce(purpose, ?), count(*) FROM fetch LEFT JOIN probe USING (url) WHERE fetch.rule = ? GROUP BY 1",
        (Purpose.TWICE, Rule.PROBE),
    )
    return {str(purpose): 0 for purpose in Purpose} | dict(rows.fetchall())


class RequestCounts(TypedDict):
    """The requests of one run, or of all: `status` has a count each ("none": no response came), `seconds` of runs."""

    status: dict[str, int]
    requests: int
    bytes: int
    seconds: float


def request_counts(database: CrawlDatabase, run: int | None = None) -> RequestCounts:
    """Return how many requests were sent, what came of them, and how long the runs took; of `run`, or of all."""
    where, runs = ("", "") if run is None else (f"WHERE run = {run:d}", f"WHERE id = {run:d}")
    connection = database.connection
    requests, size = connection.execute(f"SELECT count(*), coalesce(sum(size), 0) FROM fetch {where}").fetchone()
    status = connection.execute(
        f"SELECT coalesce(CAST(status AS TEXT), 'none'), count(*) FROM fetch {where} GROUP BY status ORDER BY status"
    ).fetchall()
    seconds = database.value(f"SELECT sum({SECONDS_OF_RUN}) FROM run {runs}")
    return RequestCounts(
        status=dict(status),
        requests=requests,
        bytes=size,
        seconds=round(float(seconds), 3) if isinstance(seconds, (int, float)) else 0.0,
    )


def outcomes_of_run(database: CrawlDatabase, run: int) -> dict[str, int]:
    """Return how many requests of a run ended by each rule, the most first."""
    sql = "SELECT rule, count(*) FROM fetch WHERE run = ? GROUP BY rule ORDER BY count(*) DESC"
    return dict(database.connection.execute(sql, (run,)).fetchall())


def has_idle_site(database: CrawlDatabase, run: int) -> bool:
    """Return whether no URL of a site with stored pages waits after a run, and its server was not down."""
    sql = (
        "SELECT 1 FROM site WHERE id IN "
        f"(SELECT site FROM page JOIN url ON url.id = page.url WHERE state = {State.DONE:d}) "
        f"AND id NOT IN (SELECT site FROM url WHERE state IN ({State.QUEUED:d}, {State.LEASED:d})) "
        "AND id NOT IN (SELECT site FROM fetch JOIN url ON url.id = fetch.url WHERE run = ? GROUP BY site "
        f"HAVING min(fetch.rule IN ({', '.join('?' * len(NOT_REACHED))})))"
    )
    return database.connection.execute(sql, (run, *NOT_REACHED)).fetchone() is not None


class RoundCounts(NamedTuple):
    """How many rounds were begun, and how many of them are open: one or none."""

    begun: int
    open: int


def round_counts(database: CrawlDatabase) -> RoundCounts:
    """Return how many rounds there were; a part of a divided crawl that came back has begun none."""
    return RoundCounts(
        database.count("SELECT count(*) FROM round WHERE NOT continues"),
        database.count("SELECT count(*) FROM round WHERE closed_at IS NULL"),
    )


class RoundTotals(NamedTuple):
    """The totals of a round so far; `over` when it has ended."""

    requests: int
    pages: int
    bytes: int
    seconds: float
    over: bool


def round_totals(database: CrawlDatabase, round_: int) -> RoundTotals:
    """Return what a round has taken so far."""
    requests, pages, bodies = database.connection.execute(
        f"SELECT count(*), count(*) FILTER (WHERE rule IN {GOT_A_PAGE}), coalesce(sum(size), 0) "
        f"FROM fetch WHERE {OF_ROUND}",
        (round_,),
    ).fetchone()
    seconds = database.value(f"SELECT coalesce(sum({SECONDS_OF_RUN}), 0.0) FROM run WHERE round = ?", round_)
    over = database.value("SELECT closed_at FROM round WHERE id = ?", round_) is not None
    return RoundTotals(requests, pages, bodies, float(seconds) if isinstance(seconds, float) else 0.0, over)


def faults(database: CrawlDatabase, limit: int) -> dict[str, str]:
    """Return URLs that failed by a fault of Breadcrumb's own, each with its newest reason; those met first."""
    sql = (
        "SELECT url.url, reason FROM url JOIN journal ON journal.id = "
        "(SELECT max(id) FROM journal WHERE journal.url = url.id AND rule = url.rule) "
        "WHERE state = ? AND url.rule = ? ORDER BY url.id LIMIT ?"
    )
    return dict(database.connection.execute(sql, (State.FAILED, Rule.FAULT, limit)).fetchall())


def block_bytes(database: CrawlDatabase) -> int:
    """Return the bytes of a block of the database's file."""
    return database.count("PRAGMA page_size")


def urls_asked_by_run(database: CrawlDatabase, run: int) -> list[str]:
    """Return the URL of each request of a run, without its probes."""
    sql = "SELECT url.url FROM fetch JOIN url ON url.id = fetch.url WHERE run = ? AND fetch.rule != 'probe'"
    return database.column(sql, run)


def made_up_urls(database: CrawlDatabase) -> set[str]:
    """Return the URLs of probes for missing pages, which Breadcrumb generated."""
    return set(database.column("SELECT url FROM url WHERE found_by = ?", FoundBy.PROBE))


def urls_ended_otherwise(database: CrawlDatabase) -> dict[str, str]:
    """Return the URLs that last ended without a page, or are held back, each with its rule."""
    return dict(database.connection.execute(f"SELECT url, rule FROM url WHERE rule NOT IN {GOT_A_PAGE}").fetchall())


def due_by_site(database: CrawlDatabase) -> list[tuple[str, float]]:
    """Return the sites with queued URLs, each with when the first URL is due."""
    sql = (
        "SELECT site.name, min(url.due_at) FROM url JOIN site ON site.id = url.site "
        f"WHERE url.state = {int(State.QUEUED)} GROUP BY site.id"  # the literal lets SQLite use the index `url_due`
    )
    return database.connection.execute(sql).fetchall()


class NextRun:
    """When the next run may send its requests. Its begin ends waits for silent sites (`end_waits`, tables/urls.py)."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._at_once = frozenset(filter(self._has_new, silent_sites(database).values()))

    def first_request(self, site: str, due: float, *, is_new: bool = True) -> float:
        """Return when it may request a URL of a site that is `due`; 0 if at once.

        `is_new`: the URL, or one of several, was not requested in this round.
        """
        host = read_host(self._database, host_of_site(site))
        return 0.0 if is_new and site in self._at_once else max(due, host.rests_in_next_run if host else 0.0)

    def _has_new(self, site: str) -> bool:
        sql = (
            "SELECT 1 FROM url JOIN site ON site.id = url.site "
            f"WHERE url.state = {int(State.QUEUED)} AND attempts = 0 AND site.name = ?"
        )
        return self._database.connection.execute(sql, (site,)).fetchone() is not None


class DeferredUrls(NamedTuple):
    """URLs that wait until a later time for the same reason: the first that is due, and how many there are."""

    url: str
    reason: str
    urls: int
    due: float  # when that one is due
    new: int  # of them, those that were not requested in this round


def deferred_by_reason(database: CrawlDatabase, limit: int) -> list[DeferredUrls]:
    """Return the URLs that wait until a later time, by their reasons, each with the URL that is due first.

    The most frequent reason is the first. One row speaks for all URLs of an origin that is closed: the latest rows of
    the others may be why their turns in an earlier round ended, which is not why they wait.
    """
    rows = database.connection.execute(
        "SELECT url.url, reason, count(*), min(url.due_at), sum(url.attempts = 0) "
        "FROM journal JOIN url ON url.id = journal.url LEFT JOIN run ON run.id = journal.run "
        "WHERE url.state = ? AND url.due_at > 0 "
        "AND journal.id = (SELECT max(latest.id) FROM journal AS latest WHERE latest.url = url.id) "
        "AND (url.attempts > 0 OR url.ended_in IS NULL OR run.round > url.ended_in) "
        "GROUP BY reason ORDER BY count(*) DESC LIMIT ?",
        (State.QUEUED, limit),
    )
    return [DeferredUrls(*row) for row in rows]
