"""What will a round cost in this data folder? Measures its sites in the latest round, and estimates from that.

What will a round cost? Estimated for each site from its trial; the slowest host determines the time.

**URLs.** The lower figure is the known URLs. The upper figure is the larger of two estimates:

- By the links: if 8 of 100 links lead to an unknown URL, then about 8 in 100 URLs of the site are unknown.
  This is Turing's rule (Good, 1953). Links on most pages are menus and do not count. A trial is small, so the share is
  an interval, that of Agresti and Coull (1998). Its upper end is used.
- By the unread pages: each leads to 3 new URLs, and all together to at most twice the known URLs.
  If fewer than 50 pages were read, they may lead to more, in proportion: with 25 to twice as many.

The first estimate alone is too low. It assumes random links, but the URLs of a real site come in bursts: page 154 of
Django's manual names 256 new URLs, when 436 are known. The figures of the second estimate come from the link graphs of
seven manuals (Apache, Debian handbook, Django, git, PostgreSQL, Python, SQLite). From the fifth page on, their true
numbers always lie within the span. This is experience, not proof: a last page can name a thousand others.

A calendar has one new page per page, without end. So each family of URLs that differ only in numbers gets room up to
its first budget, PATTERN_PAGES. That budget grows only with pages that have new content. SITE_PAGES limits each site.

**Costs.** Requests, bytes and disk space are proportional to the trial's. The upper figure uses means, the lower one
medians: pages near the front of a site are often its largest, and a trial sees little else. Time differs: requests to
one host run one after another, each a delay or a response time apart, and hosts run in parallel. All figures are for
the whole round, including the trial.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from itertools import pairwise
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from crawldb.database import CACHE_KIB
from crawldb.figures.totals import block_bytes, known_urls, pages_counted, round_totals
from crawldb.tables.blocks import blacklist
from crawldb.tables.hosts import read_host
from crawldb.tables.runs import newest_ids, usage_of_round
from crawldb.tables.seeds import seed_urls
from extensions.plan.tables import (
    content_bytes,
    empty_bytes,
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
from reports.wording import Span, counted
from urls.canonical import canonicalize, host_of_site, site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from crawldb.database import CrawlDatabase
    from extensions.plan.tables import NamedSite
    from urls.records import CanonicalUrl


# Agresti and Coull: as if two more draws had been new and two had not, then two standard errors: about 95 in 100.
_ADDED = 2
_ERRORS = 2.0

NEW_URLS_A_PAGE = 3  # of a page that was not read; the last 158 pages of SQLite's manual had 426
NEW_URLS_A_KNOWN_URL = 2  # of all unread pages together; those of Apache's manual had 1.7 after 50 pages
ENOUGH_PAGES = 50  # read; PostgreSQL's manual had 4.5 times as many URLs as were known after 20 pages, 2 times after 50


@dataclass(frozen=True, slots=True)
class Links:
    """The links of the later half of a trial: `seen` pairs of page and target, `new` of them to unknown URLs."""

    seen: int
    new: int

    @property
    def share(self) -> float:
        """The upper end of the share of links that lead to something new."""
        draws = self.seen + 2 * _ADDED
        middle = (self.new + _ADDED) / draws
        return middle + _ERRORS * math.sqrt(middle * (1 - middle) / draws)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The progress on a site: known, queued and never fetched URLs, and read pages."""

    known: int
    queued: int
    unread: int
    pages: int  # that were read

    @property
    def unseen(self) -> float:
        """How many more URLs the unread pages may lead to."""
        most = min(NEW_URLS_A_KNOWN_URL * self.known, NEW_URLS_A_PAGE * self.unread)
        return most * max(1.0, ENOUGH_PAGES / max(1, self.pages))


def urls_in_all(coverage: Coverage, links: Links, limit: int, *, more: float = 0.0) -> Span:
    """Estimate the URLs of a site that a round will fetch.

    `more` may come from elsewhere than links; `limit` is SITE_PAGES. If nothing is queued, all URLs are known.
    """
    known = coverage.known
    if not coverage.queued:
        return Span(known, known)
    share = links.share
    by_links = known / (1 - share) if share < 1 else math.inf
    upper = max(by_links, known + coverage.unseen) + more
    return Span(known, max(known, math.ceil(min(limit, upper))))


NOTHING = Span(0, 0)
VAGUE = 3  # times the lower figure: a wider span flags nothing
BYTES_A_KNOWN_URL = 160  # bytes of memory for the id of one spelling, which frontier/discovery.py keeps


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates of all sites: budgets, received bytes per byte of body, disk bytes per page and per URL."""

    site_pages: int
    pattern_pages: int
    packing: float = 1.0
    disk: float = 0.0
    url_disk: float = 0.0


@dataclass(frozen=True, slots=True)
class Memory:
    """Peaks of the trial in bytes, of the process that fetches and of the index writer, and the database's cache."""

    crawl: int
    index: int = 0
    cache: int = 0  # how much larger the cache may still grow


@dataclass(frozen=True, slots=True)
class SiteEstimate:
    """The estimate of one site. `bytes` are received, `delay` is the seconds between requests."""

    site: str
    host: str
    urls: Span
    pages: Span
    requests: Span
    bytes: Span
    disk: Span
    seconds: Span
    delay: float
    basis: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of a round; `slowest` is the host that determines the time."""

    sites: tuple[SiteEstimate, ...]
    pages: Span
    requests: Span
    bytes: Span
    disk: Span
    memory: Span
    seconds: Span
    slowest: str

    @property
    def is_vague(self) -> bool:
        """Whether the sample of a site is too small: it may have `VAGUE` times its known pages."""
        return any(site.pages.upper > VAGUE * max(1.0, site.pages.lower) for site in self.sites)

    def as_dict(self) -> dict[str, Any]:
        """Return it ready for `json.dumps`: a span is an object with lower and upper."""
        return asdict(self)


def estimate_site(measured: Measurement, host: str, delay: float, rates: Rates) -> SiteEstimate:
    """Estimate one site from its trial; `delay` is what its host is promised."""
    per_list = measured.listed / measured.lists if measured.lists else 0.0
    room = sum(max(0, rates.pattern_pages - urls) for urls in measured.families)
    more = measured.unread_lists * per_list + room
    ended = measured.ended
    waiting = measured.queued if ended else 0  # of a site that could not be tried, only what is known counts
    coverage = Coverage(measured.known, waiting, measured.unread, measured.read)
    urls = urls_in_all(coverage, measured.links, rates.site_pages, more=more)
    # One request more: the robots.txt itself.
    requests = urls.times(measured.requests / ended if ended else 1.0).plus(Span(1, 1)).rounded_up()
    pages = urls.times(measured.pages / ended if ended else 0.0).rounded_up()
    mean = measured.size / measured.requests if measured.requests else 0.0
    # Where nothing waits the trial was the whole site, and its mean is no estimate.
    small = min(1.0, measured.typical_size / mean) if mean and waiting else 1.0
    size = requests.times(mean * rates.packing)
    disk = pages.times(rates.disk).from_lower(small).plus(urls.times(rates.url_disk))
    return SiteEstimate(
        measured.site,
        host,
        urls=urls,
        pages=pages,
        requests=requests,
        bytes=size.from_lower(small).rounded_up(),
        disk=disk.rounded_up(),
        seconds=_seconds(measured, requests, delay),
        delay=delay,
        basis=_basis(measured, urls, rates),
    )


def _seconds(measured: Measurement, requests: Span, delay: float) -> Span:
    if delay:
        return requests.times(max(delay, measured.latency))
    quick = min(1.0, measured.typical_spacing / measured.spacing) if measured.spacing and measured.queued else 1.0
    return requests.times(measured.spacing).from_lower(quick).plus(Span(measured.start, measured.start))


def _basis(measured: Measurement, urls: Span, rates: Rates) -> str:
    if not measured.queued:
        return "no URL waits"
    if not measured.ended:
        return "the trial got no page of this site; only its known URLs are counted"
    said = f"{counted(measured.unread, 'URL')} not visited yet; " if measured.unread else ""
    said += f"{measured.links.new} of {counted(measured.links.seen, 'link')} on later pages led to new URLs"
    if measured.lists:
        said += f"; its sitemaps list {measured.listed}"
    if measured.unread_lists:
        said += f", and {counted(measured.unread_lists, 'of them is', 'of them are')} not read yet"
    if measured.families:
        said += (
            "; its URLs with numbers, such as those of a calendar, may reach PATTERN_PAGES, "
            "and more while they have new content"
        )
    if urls.upper >= rates.site_pages:
        said += "; the upper figure is SITE_PAGES"
    return said


def estimate(sites: Sequence[SiteEstimate], memory: Memory, known: Mapping[str, int]) -> Estimate:
    """Sum the sites: costs add up, time is that of the slowest host.

    `known` is how many URLs of each site the trial's peak of memory holds already.
    """
    by_host: dict[str, Span] = {}
    for site in sites:
        by_host[site.host] = by_host.get(site.host, NOTHING).plus(site.seconds)
    seconds = Span(
        max((span.lower for span in by_host.values()), default=0.0),
        max((span.upper for span in by_host.values()), default=0.0),
    )
    held = memory.crawl + memory.index
    more = max(0.0, _sum(site.urls for site in sites).upper - sum(known.values()))
    return Estimate(
        tuple(sites),
        pages=_sum(site.pages for site in sites),
        requests=_sum(site.requests for site in sites),
        bytes=_sum(site.bytes for site in sites),
        disk=_sum(site.disk for site in sites),
        memory=Span(held, held + memory.cache + more * BYTES_A_KNOWN_URL).rounded_up(),
        seconds=seconds,
        slowest=max(by_host, key=lambda host: by_host[host].upper, default=""),
    )


def _sum(spans: Iterable[Span]) -> Span:
    total = NOTHING
    for span in spans:
        total = total.plus(span)
    return total


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
    """Estimate the cost of a round in this folder from its latest round. What was blocked since costs nothing."""
    round_, run = newest_ids(database)
    measured, blocked = measure(database, round_), blacklist(database)
    rates = _rates(database, terms, round_)
    due = [one for one in measured if one.site not in blocked.sites]
    sites = [_site(database, terms, one, rates) for one in due]
    used = usage_of_round(database, round_)
    cache = _room_in_cache(database, due, sum(site.urls.upper for site in sites))
    memory = Memory(used.peak_memory, used.index_memory, cache)
    whole = estimate(sites, memory, {one.site: one.known for one in due})
    return Forecast(
        whole,
        tuple(
            (url, robots_status(database, canonicalize(url), terms.product))
            for url in seed_urls(database)
            if not blocked.refusal(url)
        ),
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
