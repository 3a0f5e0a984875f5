"""What did the crawl itself write down? The table `fetch`: a row for each request that ended, kept with what it taught.

The row of a page has the time of its end, that of a robots.txt the time of its start; each redirect on the way to a
robots.txt has a row of its own. A request whose end was never seen has no row: it was under way when the crawl was
killed or stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawldb.tables.fetches import RobotsFetch
from reports.audit.logged_requests import FETCH_LOG, Log, LoggedRequest, logged_host
from reports.wording import counted
from robots import robots_url
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crawldb.database import CrawlDatabase

# Endings that a retry may mend (spiders/lease/outcome.py); the journal has each retry.
RETRIED = frozenset({
    Rule.SERVER_ERROR, Rule.TOO_MANY_REQUESTS, Rule.TIMEOUT, Rule.REFUSED_CONNECTION, Rule.DNS, Rule.BROKEN_OFF,
    Rule.NETWORK, Rule.PROTOCOL, Rule.NO_SITEMAP,
})  # fmt: skip
BY_REDIRECT = "its robots.txt came by redirects, and this older fetch log shows only the last of them"

_VISITS = """
SELECT fetch.id,
       CASE WHEN fetch.url IS NULL THEN fetch.at ELSE fetch.at - fetch.seconds END AS start,
       CASE WHEN fetch.url IS NULL THEN fetch.at + fetch.seconds ELSE fetch.at END,
       fetch.seconds, fetch.status, fetch.rule, coalesce(url.url, fetch.address, ''), fetch.origin, run.round,
       EXISTS (SELECT 1 FROM journal
               WHERE journal.url = fetch.url AND journal.run = fetch.run AND journal.rule = fetch.rule),
       EXISTS (SELECT 1 FROM journal LEFT JOIN probe ON probe.url = journal.url
               WHERE journal.url = fetch.url AND journal.rule = 'probe' AND journal.samples = '[]'
                 AND journal.at >= fetch.at AND coalesce(purpose, 'twice') = 'twice')
FROM fetch JOIN run ON run.id = fetch.run LEFT JOIN url ON url.id = fetch.url
ORDER BY start, fetch.id
"""


def read_fetches(database: CrawlDatabase) -> tuple[Log, Callable[[LoggedRequest], str]]:
    """Return the fetch log, and the excuse for what it does not show: see RobotsFirst."""
    redirected = _redirected(database)
    log = Log(f"the fetch log of {database.path.parent}", FETCH_LOG)
    log.unlogged = list(_unlogged(database, redirected))
    log.visits = _visits(database, log, redirected)
    return log, lambda request: BY_REDIRECT if request.origin in redirected else ""


def _redirected(database: CrawlDatabase) -> frozenset[str]:
    """Return the origins of whose redirects the log has the end only, as older logs do."""
    begun: set[str] = set()
    ended: set[str] = set()
    rows = database.connection.execute("SELECT DISTINCT origin, address FROM fetch WHERE origin != ''")
    for origin, address in rows:
        (begun if address == robots_url(origin) else ended).add(origin)
    return frozenset(ended - begun)


def _visits(database: CrawlDatabase, log: Log, redirected: frozenset[str]) -> Iterator[LoggedRequest]:
    for row in database.connection.execute(_VISITS):
        place, start, end, seconds, status, rule, url, origin, number, journaled, asked_twice = row
        log.lines += 1
        parts = urlsplit(url)
        named = logged_host(parts.netloc, parts.scheme)
        if named is None or not named.origins:
            log.cannot_read(place)
            continue
        robots = origin is not None
        if origin in redirected:
            end = start  # `seconds` has the way of the redirects in it, whose beginning is not known
        yield LoggedRequest(
            place,
            start,
            end,
            url=url,
            path=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
            host=named.host,
            origins=named.origins,
            status=status,
            rules_of=(origin or named.origins[0]) if robots else "",
            robots=robots,
            round=number,
            moved=rule in {RobotsFetch.MOVED, RobotsFetch.CHECKED},
            again=(journaled and rule in RETRIED) or bool(asked_twice),
            timed=robots or status is not None or seconds > 0,
        )


def _unlogged(database: CrawlDatabase, redirected: frozenset[str]) -> Iterator[str]:
    killed = database.count("SELECT count(*) FROM run WHERE ending = 'killed' OR ended_at IS NULL")
    if killed:
        runs = counted(killed, "run")
        yield f"{runs} did not end by itself (killed, or still at work): what it was just asking for is not in the log"
    stopped = database.count(f"SELECT count(*) FROM journal WHERE rule = '{Rule.STOPPED}'")
    if stopped:
        cut = counted(stopped, "request")
        yield f"{cut} may have been under way when a crawl was stopped, and then are not in the log"
    if redirected:
        yield f"the redirects that led to the robots.txt of {', '.join(sorted(redirected)[:3])} are not in the log"
