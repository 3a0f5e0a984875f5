"""What stands in a dossier? Everything that is known about a URL, in one record; `as_dict` is for programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crawldb.tables.hosts import Host
    from crawldb.tables.journal import Entry
    from reports.why.robots_answer import RobotsAnswer
    from reports.why.sitemap_answer import SitemapAnswer
    from robots import PageControls
    from urls.canonical import Step
    from urls.records import CanonicalUrl, Refusal

UNUSABLE = "unusable"
UNDISCOVERED = "not discovered"


@dataclass(frozen=True, slots=True)
class Fetch:
    """One request that was sent for the URL; `status` is None where no answer came, `rule` tells how it ended."""

    at: float
    status: int | None
    rule: str
    seconds: float
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class StoredPage:
    """The page as it is stored; `indexed` says whether the index may have it, `refusals` why not."""

    title: str
    description: str
    status: int
    content_type: str
    encoding: str
    language: str
    fetched_at: float
    size: int  # bytes of the body
    words: int
    links: int
    off_site: int  # links that lead to other sites
    anchors: tuple[str, ...]  # with which words other pages link here
    canonical: str | None  # which address the page itself names
    controls: PageControls
    refusals: tuple[Refusal, ...]
    warnings: tuple[str, ...]
    fingerprint: str = ""  # of what it says, in hexadecimal digits: pages that share it are copies

    @property
    def indexed(self) -> bool:
        """Whether nothing speaks against the page being in the index."""
        return not self.refusals


@dataclass(frozen=True, slots=True)
class Dossier:
    """Everything known about `url`. Times are seconds since the epoch.

    `state` is a `State` in small letters, or "not discovered", or "unusable". `refusal` says why the
    policy on URLs refuses it as things now stand; rule "off-site": its site is not among those that are crawled.
    """

    url: str
    canonical: CanonicalUrl | None
    steps: tuple[Step, ...]
    state: str
    refusal: Refusal | None = None
    rule: str = ""  # how it last ended: fetched, moved, gone, robots, depth …
    found_by: str = ""  # seed, submit, link, redirect, refresh, canonical, sitemap, sitemap-line, sitemap-index
    found_on: str = ""
    found_at: float | None = None
    depth: int | None = None  # links from a seed
    due_at: float = 0.0
    misses: int = 0  # 404 or 410 in a row
    next_at: float = 0.0  # when it is worth another look, with mode=due; 0: in the next round
    visits: int = 0  # later ones, that found the page again
    unchanged: int = 0  # of those, that found nothing new
    moved_to: str = ""
    lastmod: float | None = None  # when it changed, as a sitemap says
    sitemap: SitemapAnswer | None = None  # what is known of it as a sitemap; None: it is a page
    robots: RobotsAnswer | None = None
    host: Host | None = None  # None: it was never asked for anything
    fetches: tuple[Fetch, ...] = ()  # the newest first
    page: StoredPage | None = None
    duplicate_of: str | None = None
    near_duplicate_of: str | None = None
    journal: tuple[Entry, ...] = ()
    alarm: str = ""  # why its site is one that mostly fails, in the latest round
    meant: str = ""  # never discovered: a URL that the crawl knows and that is spelt nearly so
    advice: str = ""  # what to do next

    @property
    def discovered(self) -> bool:
        """Whether the crawl knows the URL."""
        return self.state not in {UNUSABLE, UNDISCOVERED}

    def advised(self, advice: str) -> Dossier:
        """Return the dossier with `advice`."""
        return replace(self, advice=advice)

    def as_dict(self) -> dict[str, Any]:
        """Return it in the form of `why --json`, ready for `json.dumps`."""
        fields = asdict(self)
        if self.page is not None:
            expires = self.page.controls.expires
            fields["page"]["controls"]["expires"] = expires.isoformat() if isinstance(expires, datetime) else None
            fields["page"]["indexed"] = self.page.indexed
        return fields
