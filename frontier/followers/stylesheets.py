"""Which stylesheets of a site are requested? One that a page names is, since it may hide text of the site's pages.

When the first page names a sheet of its own site, the crawl requests the sheet, once a site. It is a row of `url` like
any other: robots.txt, pace and journal apply. It is no page, and never indexed. The crawl stores its rules
(crawldb/learnt/stylesheets.py), and reads the pages from the meantime again with it (`pipelines/review.py`). It reads
older pages again when they change, or by `reparse`.

If robots.txt forbids a sheet, or it can't be fetched, the sheets of its site count against no page. After MAX_REVISIT
it is requested again, on the next visit to a page that names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.learnt.probes import Purpose
from crawldb.tables.urls import SITEMAP_URGENCY, NewUrl, State, Urls, under_way
from crawldb.visited import STORED_URL
from urls.records import FoundBy, LeaseEnd, Stylesheet
from urls.rules import Rule
from urls.site import site_of
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase
    from crawldb.learnt.probes import SiteProbes
    from crawldb.learnt.stylesheets import Stylesheets
    from crawldb.pages.probe_findings import ProbeFindings
    from frontier.discovery import Discovery
    from frontier.followers.order import WrittenPage
    from frontier.job import CrawlJob
    from frontier.outcomes.lease import LeasedUrl, LeaseWriter
    from urls.records import CanonicalUrl, Outcome

MAX_OF_SITE = 20  # files that are requested
_MAY_BE_REQUESTED = {  # state, rule and purpose of a known URL
    (State.SUPPRESSED, Rule.TYPE, None),  # a link led to it, and it is no page
    (State.SUPPRESSED, Rule.STYLESHEET, Purpose.STYLESHEET),
}
_NOT_USED = "no page of its site is accused by its stylesheets"


class SiteStylesheets:
    """Requests the stylesheets of a site, and ends their leases."""

    def __init__(
        self,
        database: CrawlDatabase,
        discovery: Discovery,
        leases: LeaseWriter,
        probes: SiteProbes,
        findings: ProbeFindings,
        sheets: Stylesheets,
        job: CrawlJob,
    ) -> None:
        self._database = database
        self._discovery = discovery
        self._leases = leases
        self._journal = leases.journal
        self._probes = probes
        self._findings = findings
        self._sheets = sheets
        self._urls = Urls(database)
        self._most_revisit = job.revisits.most

    def page_stored(self, stored: WrittenPage) -> None:
        """Request the sheets that a page names, if it is time to."""
        page, leased = stored.page, stored.leased
        if not page.sheets:
            return
        known = self._sheets.of_site(site_of(page.url))
        if all(sheet.url in known.usable for sheet in page.sheets) and not all(sheet.is_read for sheet in page.sheets):
            self._filter_again(leased.site, page.fetched_at)  # they came while the page was under way
        oldest = page.fetched_at - self._most_revisit
        due = [sheet.url for sheet in page.sheets if known.asked_at.get(sheet.url, 0.0) <= oldest]
        stored.asks |= bool(due) and self._send_probe(leased, due, page.fetched_at)

    def _filter_again(self, site: int, since: float) -> None:
        """Let pages fetched since a time be read again: none before it waited for the sheet."""
        self._sheets.let_be_read_again(site, since)
        self._findings.let_filter_again(site, whole=False)

    def _send_probe(self, leased: LeasedUrl, due: Iterable[CanonicalUrl], at: float) -> bool:
        asked = [url for url in due if self._queue(leased, url, at)]
        if asked:
            reason = f"it names {counted(len(asked), 'stylesheet')}: which text do they hide?"
            self._journal.write(leased.id, Rule.STYLESHEET, reason, asked)
        return bool(asked)

    def _queue(self, leased: LeasedUrl, url: CanonicalUrl, at: float) -> bool:
        """Queue a sheet; return whether it waits: a URL known as a page stays one."""
        discovery, sheets = self._discovery, self._sheets
        if len(url) > STORED_URL or discovery.policy.blocked(url, url):
            return False
        row = under_way(self._database, url)
        is_known = row is not None and row.purpose == Purpose.STYLESHEET
        if not is_known and (sheets.count(leased.site) >= MAX_OF_SITE or discovery.budgets.is_full(leased.site)):
            return False
        if row is None:
            new = NewUrl(url, leased.site, FoundBy.STYLESHEET, leased.id, leased.depth, urgency=SITEMAP_URGENCY)
            identity = self._urls.enqueue(new)
        elif (row.state, row.rule, row.purpose) in _MAY_BE_REQUESTED:
            identity = row.id
            self._urls.requeue([identity])
        else:
            return False
        self._probes.add(identity, Purpose.STYLESHEET, at)
        sheets.ask(identity, leased.site, at)
        return True

    # -- The end of the lease of a sheet

    def sheet_stored(self, leased: LeasedUrl, sheet: Stylesheet) -> bool:
        """End the lease of a sheet, and store its rules; return whether sheets that it imports are requested."""
        self._leases.note_request(leased, sheet, Rule.PROBE)
        if sheet.css is None:
            self._end(leased, sheet, f"{_NOT_USED}: {sheet.reason}")
            return False
        self._end(leased, sheet, f"it was read as a stylesheet: {counted(len(sheet.css), 'character')} count")
        if not sheet.imports or self._sheets.is_imported(leased.id):
            return False
        known = self._sheets.of_site(site_of(sheet.url)).asked_at
        oldest = sheet.fetched_at - self._most_revisit
        return self._send_probe(
            leased, [url for url in sheet.imports if known.get(url, 0.0) <= oldest], sheet.fetched_at
        )

    def no_sheet(self, leased: LeasedUrl, outcome: Outcome) -> None:
        """End the lease of a sheet that did not come: its earlier rules hold only after "not modified"."""
        if outcome.requested:
            self._leases.note_request(leased, outcome, Rule.PROBE)
        if outcome.fate is LeaseEnd.NOT_MODIFIED and outcome.conditional:
            self._sheets.ask(leased.id, leased.site, outcome.fetched_at)
            row = self._journal.write(leased.id, Rule.STYLESHEET, "it is the stylesheet that it was")
            self._leases.end(leased.id, State.SUPPRESSED, Rule.STYLESHEET, because=row)
            return
        none = Stylesheet(outcome.url, None, fetched_at=outcome.fetched_at)
        rule = outcome.rule if outcome.fate is LeaseEnd.REFUSED else Rule.STYLESHEET
        self._end(leased, none, f"{_NOT_USED}: {outcome.reason}", rule)

    def _end(self, leased: LeasedUrl, sheet: Stylesheet, reason: str, rule: Rule = Rule.STYLESHEET) -> None:
        row = self._journal.write(leased.id, rule, reason)
        self._leases.end(leased.id, State.SUPPRESSED, rule, because=row)
        since = self._sheets.put(leased.id, leased.site, sheet)
        if since is not None:
            self._filter_again(leased.site, since)
