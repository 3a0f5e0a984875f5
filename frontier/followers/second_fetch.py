"""What of a site's pages changes though nobody edits it? A few pages are fetched a second time, and compared.

Once a site has shown PROBE_AFTER pages, the first SAMPLE of them are asked for again, seconds later, after all else of
the site that waits, and without any condition. What differs is noted (`pages/content/volatile_lines.py`); what differs
on a second page as well is left out of the fingerprints of the site's pages from then on. The second fetch is a fetch
like any other: the page is stored as it came then. It is no visit, since seconds say nothing of how often a page
changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.learnt.probes import Purpose
from pages.content.volatile_lines import changed_lines
from robots.page.controls import HTML_TYPES
from urls.rules import Rule

if TYPE_CHECKING:
    from frontier.outcomes.lease import LeasedUrl, Ledger
    from urls.records import Page

SAMPLE = 3  # pages of a site: two have to agree, and one may be missing
SECONDS_BETWEEN = 2.0  # at least, from the question to the second fetch: stamps are to the second
MAX_SECONDS_BETWEEN = 3600.0  # what comes later may have been edited: it is an ordinary visit
TOPIC = "twice"


def consider_fetching_twice(ledger: Ledger, leased: LeasedUrl, page: Page) -> bool:
    """Ask for a few pages of a site again, if it has shown enough of them with `page`; return whether it is asked."""
    if not ledger.probe_after or page.refusals or page.content_type not in HTML_TYPES:
        return False
    if ledger.probes.last_asked(leased.site, TOPIC) is not None:
        return False
    if ledger.probes.count_page(leased.site, TOPIC) < ledger.probe_after:
        return False
    ledger.probes.note_asked(leased.site, TOPIC, page.fetched_at)
    sample = [url for url, _ in ledger.probes.first_pages(leased.site, SAMPLE)]
    reason = "it is asked for a second time, to see what of it changes though nobody edits it"
    for url in sample:
        ledger.connection.execute("UPDATE page SET etag = '', last_modified = '' WHERE url = ?", (url,))  # no condition
        ledger.probes.add(url, Purpose.TWICE, page.fetched_at)
        ledger.urls.defer(url, page.fetched_at + SECONDS_BETWEEN, counts=False, last=True)
        ledger.journal.write(url, Rule.PROBE, reason)
    return bool(sample)


def note_second_fetch(ledger: Ledger, leased: LeasedUrl, page: Page) -> bool:
    """Note what has changed since the first fetch of a page; return whether it was the second one, and not a visit.

    Both may be long apart, where a run ended in between: then the page is visited as any other.
    """
    asked_at = ledger.probes.asked_at(leased.id)
    ledger.probes.remove(leased.id)
    if page.fetched_at - asked_at > MAX_SECONDS_BETWEEN:
        return False
    before = ledger.pages.get(page.url)
    if before is None or page.refusals or before.refusals:
        return True
    changed = changed_lines(before.text, page.text)
    agreed = ledger.lessons.note_changes(leased.site, leased.id, changed, page.fetched_at)
    if agreed:
        ledger.lessons.let_judge_again(leased.site)
        shown = ", ".join(f"“{example}”" for example in agreed[:3])
        reason = f"two fetches of this page and of another differ in {shown}: fingerprints of the site leave that out"
        ledger.journal.write(leased.id, Rule.PROBE, reason, [page.url])
    return True
