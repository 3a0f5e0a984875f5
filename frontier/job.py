"""Which job does a crawl have? Its seeds, how far it may go, which URLs come first, and its limits, in one record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawldb.databases import WHOLE, Partition
from crawldb.tables.fetches import AlarmRule
from crawldb.tables.sitemaps import SitemapRules
from pages.content.similarity import THRESHOLD
from urls.canonical import Breadth
from urls.schedule import Mode, Priority, RevisitBounds
from urls.traps import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from crawldb.tables.runs import Manners
    from frontier.url_orders import UrlOrder
    from urls.records import CanonicalUrl
    from urls.site_options import ChosenOption


@dataclass(frozen=True, slots=True)
class CrawlJob:
    """The job of a crawl: canonical seeds, how far it may go, and the limits."""

    seeds: Sequence[CanonicalUrl] = ()
    breadth: Breadth = Breadth.HOST
    limits: Limits = field(default_factory=Limits)
    ports: frozenset[int] = frozenset()
    stale_after: int = 3
    alarm: AlarmRule = field(default_factory=AlarmRule)
    sitemaps: SitemapRules = field(default_factory=SitemapRules)
    mode: Mode = Mode.ALL
    revisits: RevisitBounds = field(default_factory=RevisitBounds)
    priority: Priority = Priority.BREADTH
    order: Callable[[CrawlDatabase], UrlOrder] | None = None  # of an extension, in place of `priority`
    partition: Partition = WHOLE
    near_duplicates_from: float = THRESHOLD  # the resemblance of two near duplicates
    marks: Mapping[CanonicalUrl, str] = field(default_factory=dict)  # of seeds: popular, new, rare
    options: Mapping[str, tuple[ChosenOption, ...]] = field(default_factory=dict)  # of sites, from the seeds file
    blacklist_file: Path | None = None
    probe_after: int = 0  # pages of a site before its probes; 0: never
    manners: Manners | None = None  # stored with the run, for the policy page
