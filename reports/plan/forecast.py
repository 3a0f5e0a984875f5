"""What would a round cost, as things stand in this folder? Its measured sites, each with the pace it is promised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.database import CACHE_KIB
from crawldb.figures.totals import block_bytes, content_bytes, empty_bytes, known_urls, pages_counted, round_totals
from crawldb.tables.hosts import read_host
from crawldb.tables.runs import newest_ids, usage_of_round
from crawldb.tables.seeds import seed_urls
from indexer.segments.generation import index_folder
from reports.plan.actual import folder_size
from reports.plan.estimate import Estimate, Memory, Rates, SiteEstimate, estimate, estimate_site
from reports.plan.measurement import Measurement, measure
from reports.why.site_files import RobotsAnswer, robots_answer
from urls.canonical import canonicalize
from urls.site import host_of_site

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crawldb.database import CrawlDatabase


UNFILLED = 4  # of a block of the file, what a long row leaves empty at its end: a quarter, measured on four crawls


@dataclass(frozen=True, slots=True)
class RunTerms:
    """What the settings say of a run: `product` is the token that a robots.txt calls us by, the last two are budgets.

    `delay_of` gives for a host the seconds that it is promised between two requests.
    """

    product: str
    delay_of: Callable[[str], float]
    site_pages: int
    pattern_pages: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """The estimate, what the robots.txt files say of the seeds, and the run that was measured."""

    estimate: Estimate
    seeds: tuple[tuple[str, RobotsAnswer], ...]
    run: int
    round: int
    pages: int  # that the round has fetched so far
    requests: int  # that it has sent, robots.txt files included


def forecast(database: CrawlDatabase, terms: RunTerms) -> Forecast:
    """Estimate what a round in this folder costs, from what its latest round has measured."""
    round_, run = newest_ids(database)
    measured = measure(database, round_)
    rates = _rates(database, terms, round_)
    sites = [_site(database, terms, one, rates) for one in measured]
    used = usage_of_round(database, round_)
    cache = _room_in_cache(database, measured, sum(site.urls.upper for site in sites))
    whole = estimate(
        sites, Memory(used.peak_memory, used.index_memory, cache), {one.site: one.known for one in measured}
    )
    return Forecast(
        whole,
        tuple((url, robots_answer(database, canonicalize(url), terms.product)) for url in seed_urls(database)),
        run,
        round_,
        sum(one.pages for one in measured),
        round_totals(database, round_).requests,
    )


def _site(database: CrawlDatabase, terms: RunTerms, measured: Measurement, rates: Rates) -> SiteEstimate:
    host = host_of_site(measured.site)
    known = read_host(database, host)
    delay = max(terms.delay_of(host.strip("[]")), known.delay if known else 0.0)
    return estimate_site(measured, host, delay, rates)


def _rates(database: CrawlDatabase, terms: RunTerms, round_: int) -> Rates:
    bodies = round_totals(database, round_).bytes
    received = usage_of_round(database, round_).received
    stored, known = pages_counted(database), known_urls(database)
    grown = max(0, folder_size(database.path.parent) - empty_bytes(database))
    of_pages = min(grown, _size_of_pages(database, stored))
    packing = received / bodies if received and bodies else 1.0
    disk, url_disk = of_pages / max(stored, 1), (grown - of_pages) / max(known, 1)
    return Rates(terms.site_pages, terms.pattern_pages, packing, disk, url_disk if stored else 0.0)


def _size_of_pages(database: CrawlDatabase, stored: int) -> int:
    """Return the bytes of what comes with each page: its body, its record, and its part of the index.

    The rest comes with each URL that is known, of which the first pages of a site name most.
    """
    unfilled = 2 * stored * block_bytes(database) // UNFILLED
    return content_bytes(database) + unfilled + folder_size(index_folder(database.path.parent))


def _room_in_cache(database: CrawlDatabase, measured: Sequence[Measurement], urls: float) -> int:
    """Return by how much SQLite's cache will grow: with the database, up to its limit."""
    known = sum(one.known for one in measured)
    now = database.path.stat().st_size
    later = now * urls / known if known else now
    limit = CACHE_KIB * 1024
    return int(min(later, limit) - min(now, limit))
