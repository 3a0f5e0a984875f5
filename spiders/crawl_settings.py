"""Which settings does a crawl have? All settings of the spider, read once, checked, and held as values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from crawldb.databases import folder_of
from crawldb.learnt import Purpose
from crawldb.tables.hosts import public_hosts
from crawldb.tables.runs import Manners
from crawldb.tables.sitemaps import SitemapRules
from crawldb.tables.urls import Kind
from extension_points import call_extensions
from frontier.job import CrawlJob
from frontier.session import Session
from pages.documents import DocumentReaders
from pages.http_headers import LOOKED_AT
from robots import Unreachable
from robots.freshness import conditional_headers
from spiders.downloader.address_policy import LOOPBACK_CONCURRENCY, AddressPolicy, Identity, endpoint_of
from spiders.outcome import Retries
from spiders.own_folders import ROOT
from spiders.own_settings import OURS
from spiders.pace.host_pace import CONCURRENT_REQUESTS_PER_ADDRESS, MAX_HOST_REST, Pace, PacePolicy
from spiders.setting_values import (
    ReadableSettings,
    SettingError,
    at_least_one,
    one_of,
    read_endings,
    read_number,
    read_share,
)
from urls.canonical import Breadth
from urls.schedule import MIN_REVISIT, Mode, Priority, RevisitBounds
from urls.traps import Limits, file_extension
from urls.wording import enumerated

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from crawldb.tables.queue import Lease
    from extension_points import AddedOrder, CrawlRecorder
    from frontier.url_orders import UrlOrder
    from spiders.arguments import RootSet, SpiderArguments
    from urls.records import CanonicalUrl

ROBOTS_DENIALS = ("open", "closed")
PROJECT = 20  # Scrapy's priority of settings.py: what is higher was given for this run
STYLESHEET_TYPES = "text/css,*/*;q=0.1"  # Accept, for a stylesheet, as browsers have it
SITEMAP_TYPES = "application/xml,text/xml;q=0.9,text/plain;q=0.9,*/*;q=0.5"  # Accept, for a sitemap


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """The settings of a crawl. `pages` and `each` (of a site) are 0 if the run is no trial."""

    data_dir: Path
    seeds: tuple[CanonicalUrl, ...]
    pages: int
    each: int
    identity: Identity
    job: CrawlJob
    pace_policy: PacePolicy
    retries: Retries
    concurrency: int
    max_requests: int  # of the run; 0: no limit
    wait_seconds: float
    looked_at: frozenset[str]  # endings of files of which only the header lines are wanted
    addresses: AddressPolicy
    documents: DocumentReaders = DocumentReaders()  # noqa: RUF009 - it is frozen
    unreachable: Unreachable = Unreachable.RFC9309  # the text whose rule applies to an unreachable robots.txt
    misspelt_counts: bool = False  # a robots.txt in which no rule is understood is read as it is meant
    denial_closes: bool = False  # a robots.txt with status 401 or 403 forbids the whole site
    recorders: tuple[CrawlRecorder, ...] = ()  # of extensions: what they keep of what is sent and received

    @classmethod
    def read(cls, settings: ReadableSettings, arguments: SpiderArguments) -> CrawlSettings:
        """Read the settings and the arguments; raise `SettingError`, `SeedError` or `IdentityError`."""
        pages, each = arguments.trial_sizes()
        if not str(settings["DATA_DIR"]).strip():
            raise SettingError(f"DATA_DIR is empty. Its default is {OURS['DATA_DIR']!r}")
        roots = arguments.root_set()
        identity = Identity(settings["PRODUCT"], settings["CONTACT"], settings["BOT_URL"])
        pace = _pace_policy(settings)
        documents = DocumentReaders.installed(settings)
        # Endings of files that hold no text, and of which the header lines are wanted:
        looked_at = read_endings(settings, "SKIPPED_ENDINGS") & read_endings(settings, "LOOKED_AT_ENDINGS")
        kept = (pace.elsewhere.delay, pace.most, MAX_HOST_REST, pace.elsewhere.concurrency)
        manners = Manners(identity.product, identity.contact, identity.bot_url, *kept)
        job = replace(_crawl_job(settings, arguments, roots), manners=manners)
        return cls(
            data_dir=folder_of(ROOT / settings["DATA_DIR"], job.partition),
            seeds=roots.urls,
            pages=pages,
            each=each,
            identity=identity,
            job=job,
            pace_policy=pace,
            retries=Retries(
                read_number(settings.getint, "RETRY_ATTEMPTS"), read_number(settings.getfloat, "RETRY_DELAY")
            ),
            concurrency=at_least_one(settings, "CONCURRENT_REQUESTS"),
            max_requests=read_number(settings.getint, "MAX_REQUESTS"),
            wait_seconds=read_number(settings.getfloat, "WAIT_SECONDS"),
            looked_at=looked_at | documents.unread_extensions,
            documents=documents,
            addresses=AddressPolicy((), identified=identity.complete),
            unreachable=one_of(Unreachable, "ROBOTS_UNREACHABLE", settings["ROBOTS_UNREACHABLE"]),
            misspelt_counts=settings.getbool("ROBOTS_MISSPELT"),
            denial_closes=settings["ROBOTS_DENIAL"] == "closed",
            recorders=tuple(call_extensions("crawl_recorders", settings=settings)),
        )

    def conditions(self, lease: Lease) -> dict[str, str]:
        """Return the headers that depend on the lease: above all those that request a page only if it has changed."""
        validators = conditional_headers(lease.etag, lease.last_modified)
        if lease.probes == Purpose.STYLESHEET:
            return {"Accept": STYLESHEET_TYPES} | validators
        if lease.kind is not Kind.SITEMAP:
            return {"Accept": LOOKED_AT} | validators if file_extension(lease.url) in self.looked_at else validators
        # With trusted dates, a crawl must read a sitemap whole: only the file has the dates of the pages.
        return {"Accept": SITEMAP_TYPES} | ({} if self.job.sitemaps.trust_lastmod else validators)

    def open_session(self) -> Session:
        """Open the data folder for this run; its seeds' hosts and ports are then permitted wherever they are."""
        session = Session(self.data_dir, self.job)
        self.addresses.permit_seeds(endpoint_of(url) for url in session.seed_urls)
        self.addresses.remember(public_hosts(session.database), session.store.hosts.note_public)
        return session


def _crawl_job(settings: ReadableSettings, arguments: SpiderArguments, roots: RootSet) -> CrawlJob:
    """Read the job of the frontier: which URLs, how far, and in which order."""
    priority, order = _order(settings, arguments)
    whole = partial(read_number, settings.getint)
    number = partial(read_number, settings.getfloat)
    limits = Limits(
        max_depth=whole("MAX_DEPTH"),
        pattern_pages=whole("PATTERN_PAGES"),
        site_pages=whole("SITE_PAGES"),
        skipped_endings=read_endings(settings, "SKIPPED_ENDINGS") - read_endings(settings, "LOOKED_AT_ENDINGS"),
        skip_queries=settings.getbool("SKIP_QUERIES"),
        trap_patience=whole("TRAP_PATIENCE"),
    )
    latest = number("MAX_REVISIT")
    if settings["ROBOTS_DENIAL"] not in ROBOTS_DENIALS:
        raise SettingError(f"ROBOTS_DENIAL={settings['ROBOTS_DENIAL']!r}: choose open or closed")
    return CrawlJob(
        seeds=roots.urls,
        breadth=one_of(Breadth, "SCOPE", settings["SCOPE"]),
        limits=limits,
        ports=frozenset(read_number(int, port, "ALLOWED_PORTS") for port in settings.getlist("ALLOWED_PORTS")),
        stale_after=whole("STALE_AFTER"),
        sitemaps=SitemapRules(trust_lastmod=settings.getbool("TRUST_LASTMOD")),
        mode=one_of(Mode, "mode", arguments.mode or Mode.ALL.value),
        revisits=RevisitBounds(min(MIN_REVISIT, latest), latest),
        priority=priority,
        order=order,
        partition=arguments.partition(),
        near_duplicates_from=read_share(settings, "NEAR_DUPLICATE_THRESHOLD"),
        marks=roots.kinds,
        probe_after=whole("PROBE_AFTER"),
        options=roots.options,
        blacklist_file=_blacklist_file(settings),
    )


def _order(
    settings: ReadableSettings, arguments: SpiderArguments
) -> tuple[Priority, Callable[[CrawlDatabase], UrlOrder] | None]:
    """Return the order within a host: one of ours, or in its place one that an extension adds."""
    orders: list[AddedOrder] = call_extensions("url_orders")
    given = settings["PRIORITY"]
    names = [*(priority.value for priority in Priority), *(order.name for order in orders)]
    if given not in names:
        raise SettingError(f"PRIORITY={given!r}: choose {enumerated(names, 'or')}")
    chosen = [order for each in orders if (order := each.choose(given, arguments.added)) is not None]
    return (Priority.BREADTH, chosen[0]) if chosen else (Priority(given), None)


def _pace_policy(settings: ReadableSettings) -> PacePolicy:
    """Read the pace for hosts elsewhere; for this machine, use only settings given for this run."""

    def given(*names: str) -> bool:
        return any((settings.getpriority(name) or 0) > PROJECT for name in names)

    elsewhere = Pace(
        read_number(settings.getfloat, "DOWNLOAD_DELAY"),
        at_least_one(settings, "CONCURRENT_REQUESTS_PER_DOMAIN"),
        per_minute=read_number(settings.getint, "REQUESTS_PER_MINUTE"),
        per_address=CONCURRENT_REQUESTS_PER_ADDRESS,
        adaptive=read_number(settings.getfloat, "ADAPTIVE_DELAY"),
    )
    loopback = Pace(
        elsewhere.delay if given("DOWNLOAD_DELAY") else 0.0,
        elsewhere.concurrency if given("DOWNLOAD_DELAY", "CONCURRENT_REQUESTS_PER_DOMAIN") else LOOPBACK_CONCURRENCY,
        per_minute=elsewhere.per_minute if given("REQUESTS_PER_MINUTE") else 0,
        adaptive=elsewhere.adaptive if given("ADAPTIVE_DELAY") else 0.0,
    )
    return PacePolicy(elsewhere, loopback, read_number(settings.getfloat, "MAX_CRAWL_DELAY"))


def _blacklist_file(settings: ReadableSettings) -> Path | None:
    """Return the path of the blacklist file, relative to the project's folder like DATA_DIR; None: there is none."""
    name = settings["BLACKLIST_FILE"]
    return ROOT / name if name else None
