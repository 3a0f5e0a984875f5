"""What will a round cost? Estimated for each site from its trial; the slowest host determines the time.

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
from typing import TYPE_CHECKING, Any

from reports.wording import Span, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from extensions.plan.forecast import Measurement

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
        return "the trial made no request to this site; only its known URLs are counted"
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
