"""Which parts of a site's pages change without an edit? A few pages are fetched a second time, and compared.

Once a site has shown PROBE_AFTER pages, the crawl requests the first SAMPLE of them again, without conditions. It does
so after all other queued URLs of the site, seconds later. It notes lines that differ (`pages/content/volatile.py`).
Fingerprints of the site's pages then leave out lines that differ on two pages.

The page is stored as it came the second time. This is no visit, since seconds say nothing about how often a page
changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.learnt.probes import Purpose
from crawldb.pages.pages import Pages
from crawldb.tables.urls import Urls
from pages.content.volatile import changed_lines
from robots.page_controls import HTML_TYPES
from urls.rules import Rule

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.learnt.probes import SiteProbes
    from crawldb.pages.probe_findings import ProbeFindings
    from crawldb.tables.journal import Journal
    from frontier.followers.order import WrittenPage
    from frontier.outcomes.lease import LeasedUrl
    from urls.records import Page

SAMPLE = 3  # pages of a site: two have to agree, and one may be missing
SECONDS_BETWEEN = 2.0  # at least, from the decision to the second fetch: time stamps are to the second
MAX_SECONDS_BETWEEN = 3600.0  # a later fetch may show an edit: it is an ordinary visit
TOPIC = "twice"


class SecondFetch:
    """Requests a few pages of a site a second time, and learns the differences."""

    def __init__(
        self, database: CrawlDatabase, journal: Journal, probes: SiteProbes, findings: ProbeFindings, probe_after: int
    ) -> None:
        self._journal = journal
        self._probes = probes
        self._findings = findings
        self._probe_after = probe_after
        self._pages = Pages(database)
        self._urls = Urls(database)

    def is_one(self, leased: LeasedUrl, page: Page) -> bool:
        """Return whether a page that was requested a second time is the second of two fetches, and no visit.

        Both may be long apart, where a run ended in between: then the page is visited as any other.
        """
        return page.fetched_at - self._probes.asked_at(leased.id) <= MAX_SECONDS_BETWEEN

    def page_stored(self, stored: WrittenPage) -> None:
        """Compare a page that was fetched a second time, or request some pages of its site again."""
        if stored.leased.purpose is Purpose.TWICE:
            self._probes.remove(stored.url)
            if not stored.is_visit:
                self._compare(stored)
        if stored.is_new and self._is_time_to_ask(stored):
            stored.asks |= self._send_probe(stored.site, stored.page.fetched_at)

    def no_page(self, leased: LeasedUrl) -> None:
        """End the comparison for a URL without a page: there is nothing to compare."""
        if leased.purpose is Purpose.TWICE:
            self._probes.remove(leased.id)

    def _is_time_to_ask(self, stored: WrittenPage) -> bool:
        page, site = stored.page, stored.site
        if not self._probe_after or page.refusals or page.content_type not in HTML_TYPES:
            return False
        if self._probes.last_asked(site, TOPIC) is not None:
            return False
        return self._probes.count_page(site, TOPIC) >= self._probe_after

    def _send_probe(self, site: int, at: float) -> bool:
        self._probes.note_asked(site, TOPIC, at)
        sample = [url for url, _ in self._probes.first_pages(site, SAMPLE)]
        reason = "it is fetched a second time, to see which lines change without an edit"
        for url in sample:
            self._pages.forget_validators(url)  # it is requested without a condition
            self._probes.add(url, Purpose.TWICE, at)
            self._urls.defer(url, at + SECONDS_BETWEEN, counts=False, last=True)
            self._journal.write(url, Rule.PROBE, reason)
        return bool(sample)

    def _compare(self, stored: WrittenPage) -> None:
        """Note the changes since the first fetch of a page."""
        page, before = stored.page, stored.record_before
        if before is None or page.refusals or before.refusals:
            return
        changed = changed_lines(before.text, page.text)
        agreed = self._findings.note_changes(stored.site, stored.url, changed, page.fetched_at)
        if agreed:
            self._findings.let_filter_again(stored.site)
            shown = ", ".join(f"“{example}”" for example in agreed[:3])
            reason = (
                f"two fetches of this page and of another differ in {shown}: fingerprints of the site leave that out"
            )
            self._journal.write(stored.url, Rule.PROBE, reason, [page.url])
