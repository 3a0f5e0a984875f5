"""What did the crawl itself write down? The table `fetch`: a row for each request that ended, kept with what it taught.

The row of a page has the time of its end, that of a robots.txt the time of its start; each redirect on the way to a
robots.txt has a row of its own. A request whose end was never seen has no row: it was under way when the crawl was
killed or stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawldb.figures.fetch_log import logged_fetches, robots_addresses, stopped_requests, unfinished_runs
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
    for origin, address in robots_addresses(database):
        (begun if address == robots_url(origin) else ended).add(origin)
    return frozenset(ended - begun)


def _visits(database: CrawlDatabase, log: Log, redirected: frozenset[str]) -> Iterator[LoggedRequest]:
    for fetch in logged_fetches(database):
        log.lines += 1
        parts = urlsplit(fetch.url)
        named = logged_host(parts.netloc, parts.scheme)
        if named is None or not named.origins:
            log.cannot_read(fetch.place)
            continue
        robots = fetch.origin is not None
        by_redirect = fetch.origin in redirected  # `seconds` has the way of these in it, whose beginning is not known
        yield LoggedRequest(
            fetch.place,
            fetch.start,
            fetch.start if by_redirect else fetch.end,
            url=fetch.url,
            path=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
            host=named.host,
            origins=named.origins,
            status=fetch.status,
            rules_of=(fetch.origin or named.origins[0]) if robots else "",
            robots=robots,
            round=fetch.round,
            moved=fetch.rule in {RobotsFetch.MOVED, RobotsFetch.CHECKED},
            again=(bool(fetch.journaled) and fetch.rule in RETRIED) or bool(fetch.asked_twice),
            timed=robots or fetch.status is not None or fetch.seconds > 0,
        )


def _unlogged(database: CrawlDatabase, redirected: frozenset[str]) -> Iterator[str]:
    killed = unfinished_runs(database)
    if killed:
        runs = counted(killed, "run")
        yield f"{runs} did not end by itself (killed, or still at work): what it was just asking for is not in the log"
    stopped = stopped_requests(database)
    if stopped:
        cut = counted(stopped, "request")
        yield f"{cut} may have been under way when a crawl was stopped, and then are not in the log"
    if redirected:
        yield f"the redirects that led to the robots.txt of {', '.join(sorted(redirected)[:3])} are not in the log"
