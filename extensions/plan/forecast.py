"""What will a round cost in this data folder? Measures its sites in the latest round, and estimates from that."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median
from typing import TYPE_CHECKING

from crawldb.database import CACHE_KIB
from crawldb.figures.totals import block_bytes, content_bytes, empty_bytes, known_urls, pages_counted, round_totals
from crawldb.tables.hosts import read_host
from crawldb.tables.runs import newest_ids, usage_of_round
from crawldb.tables.seeds import seed_urls
from extensions.plan.estimate import Estimate, Links, Memory, Rates, SiteEstimate, estimate, estimate_site
from extensions.plan.tables import (
    families_of_site,
    is_known_seed,
    pages_of_round,
    requests_of_site,
    sitemaps_of_site,
    sites_of_round,
    stored_pages_of_site,
    targets_within_site,
    urls_of_site,
)
from indexer.segments.generation import index_folder
from reports.actual import folder_size
from reports.why.site_files import RobotsStatus, robots_status
from urls.canonical import canonicalize
from urls.site import host_of_site, site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crawldb.database import CrawlDatabase
    from extensions.plan.tables import NamedSite
    from urls.records import CanonicalUrl

FAMILY = 5  # URLs that differ only in numbers, from which on there may be many more
COMMON = 0.5  # a link that stands on this share of the trial's pages is a menu's, and no sign of how much there is


@dataclass(frozen=True, slots=True)
class Measurement:
    """A site in one round: URLs are counted as they stand, `size` in bytes of bodies, times in seconds."""

    site: str
    known: int  # URLs that were asked for, refused by robots.txt, or wait
    queued: int  # of them, those that wait
    ended: int  # of them, those that are through
    requests: int
    pages: int
    size: int
    links: Links
    unread: int  # URLs that wait and were never visited, in this round or before
    read: int  # pages that are stored, of this round or before
    listed: int = 0  # URLs in the sitemaps that were read
    lists: int = 0  # sitemaps that were read
    unread_lists: int = 0  # sitemaps that were not
    families: tuple[int, ...] = ()  # URLs of each family that differs only in numbers
    latency: float = 0.0  # from a request to its answer, on average
    spacing: float = 0.0  # between two answers, on average, but for the longest such gap
    start: float = 0.0  # that gap: the first page waits for what is made ready once in a run
    typical_size: float = math.inf  # the median body; pages near the front are often large, and one may be huge
    typical_spacing: float = math.inf  # the median of the gaps, the longest aside


def measure(database: CrawlDatabase, round_: int) -> list[Measurement]:
    """Measure each site with a seed or with a request in the round."""
    return [_one(database, round_, site) for site in sites_of_round(database, round_)]


def _one(database: CrawlDatabase, round_: int, site: NamedSite) -> Measurement:
    urls = urls_of_site(database, round_, site.id)
    fetches = requests_of_site(database, round_, site.id)
    sizes, latencies = [fetch.size for fetch in fetches], [fetch.seconds for fetch in fetches]
    *gaps, start = sorted(one.at - other.at for other, one in pairwise(fetches) if one.run == other.run) or [0.0]
    sitemaps = sitemaps_of_site(database, site.id)
    latency = fmean(latencies) if latencies else 0.0
    return Measurement(
        site.name,
        known=urls.queued + urls.ended,
        queued=urls.queued,
        ended=urls.ended,
        requests=len(fetches),
        pages=sum(fetch.got_a_page for fetch in fetches),
        size=sum(sizes),
        links=_links(database, round_, site.id),
        unread=urls.unread,
        read=stored_pages_of_site(database, site.id),
        listed=sitemaps.listed,
        lists=sitemaps.lists,
        unread_lists=sitemaps.unread,
        families=families_of_site(database, site.id, FAMILY),
        latency=latency,
        spacing=fmean(gaps) if gaps else latency,
        start=start,
        typical_size=median(sizes) if sizes else math.inf,
        typical_spacing=median(gaps) if gaps else math.inf,
    )


def _links(database: CrawlDatabase, round_: int, site: int) -> Links:
    """Count the targets of links on the later half of the pages of a site, without menus.

    A page without other links counts as one link to a known URL.
    """
    pages = pages_of_round(database, round_, site)
    found: dict[int, set[int]] = {}  # by target, the pages that link to it
    unknown_before: set[tuple[int, int]] = set()
    for page in pages:
        for target, is_new in targets_within_site(database, round_, site, page):
            found.setdefault(target, set()).add(page)
            if is_new:
                unknown_before.add((page, target))
    later = set(pages[len(pages) // 2 :])
    telling = {
        (page, target)
        for target, sources in found.items()
        if len(sources) <= max(1.0, COMMON * len(pages))
        for page in sources & later
    }
    silent = later - {page for page, _ in telling}
    return Links(len(telling) + len(silent), len(telling & unknown_before))


def trial_is_complete(database: CrawlDatabase, seeds: Sequence[CanonicalUrl], requests: int) -> bool:
    """Return whether the latest round sent so many requests to each site, or all that the site needs.

    A seed that is new to the folder is not tried yet, even if its site is known.
    """
    round_, _ = newest_ids(database)
    tried = {one.site: one.requests >= requests or not one.queued for one in measure(database, round_)}
    known = all(is_known_seed(database, seed) for seed in seeds)
    return bool(tried) and known and all(tried.values()) and all(site_of(seed) in tried for seed in seeds)


UNFILLED = 4  # of a block of the file, what a long row leaves empty at its end: a quarter, measured on four crawls


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The settings of a run: product token, delay in seconds by host, and budgets."""

    product: str
    delay_of: Callable[[str], float]
    site_pages: int
    pattern_pages: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """The estimate, the robots.txt verdict of each seed, and the measured run."""

    estimate: Estimate
    seeds: tuple[tuple[str, RobotsStatus], ...]
    run: int
    round: int
    pages: int  # that the round has fetched so far
    requests: int  # that it has sent, robots.txt files included


def forecast(database: CrawlDatabase, terms: RunLimits) -> Forecast:
    """Estimate the cost of a round in this folder from its latest round."""
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
        tuple((url, robots_status(database, canonicalize(url), terms.product)) for url in seed_urls(database)),
        run,
        round_,
        sum(one.pages for one in measured),
        round_totals(database, round_).requests,
    )


def _site(database: CrawlDatabase, terms: RunLimits, measured: Measurement, rates: Rates) -> SiteEstimate:
    host = host_of_site(measured.site)
    known = read_host(database, host)
    delay = max(terms.delay_of(host.strip("[]")), known.delay if known else 0.0)
    return estimate_site(measured, host, delay, rates)


def _rates(database: CrawlDatabase, terms: RunLimits, round_: int) -> Rates:
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
