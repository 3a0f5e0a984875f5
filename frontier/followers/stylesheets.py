"""Which stylesheets of a site are asked for, and what follows from one? Which text of its pages they hide.

The first page that names a sheet of its own site has it asked for, once a site. The sheet is a row of `url` like any
other, so that robots.txt, pace and journal hold for it; it is no page, and never indexed. What it says is kept
(crawldb/learnt/stylesheets.py), and the pages that were stored while it was under way are read again with it
(`pipelines/again.py`); older ones are when they change, or by `reparse`.
Where robots.txt forbids a sheet, or it can't be had, no page is accused by the sheets of its site. After MAX_REVISIT it
is asked for again, when a page that names it is visited.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.learnt.probes import Purpose
from crawldb.tables.urls import SITEMAP_URGENCY, NewUrl, State
from crawldb.visited import STORED_URL, find_row
from urls.counted import counted
from urls.records import Fate, FoundBy
from urls.rules import Rule
from urls.site import site_of
from urls.stylesheet_record import Stylesheet

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frontier.outcomes.lease import LeasedUrl, Ledger
    from urls.records import CanonicalUrl, Outcome, Page

MAX_OF_SITE = 20  # files that are asked for
_ROW = "id, state, rule, (SELECT purpose FROM probe WHERE probe.url = url.id)"
_MAY_BE_ASKED = {  # state, rule and purpose of a known URL
    (State.SUPPRESSED, Rule.TYPE, None),  # a link led to it, and it is no page
    (State.SUPPRESSED, Rule.STYLESHEET, Purpose.STYLESHEET),
}
_NOT_USED = "no page of its site is accused by its stylesheets"


def consider_sheets(ledger: Ledger, leased: LeasedUrl, page: Page) -> bool:
    """Ask for the sheets that a page names, if it is time to; return whether any is asked for."""
    if not ledger.probe_after or not page.sheets:
        return False
    known = ledger.stylesheets.of_site(site_of(page.url))
    if all(sheet.url in known.usable for sheet in page.sheets) and not all(sheet.is_read for sheet in page.sheets):
        _judge_again(ledger, leased.site, page.fetched_at)  # they came while the page was under way
    oldest = page.fetched_at - ledger.most_revisit
    due = [sheet.url for sheet in page.sheets if known.asked_at.get(sheet.url, 0.0) <= oldest]
    return bool(due) and _ask(ledger, leased, due, page.fetched_at)


def _judge_again(ledger: Ledger, site: int, since: float) -> None:
    """Let the pages that were fetched since a time be read again: nothing before it waited for the sheet."""
    ledger.stylesheets.let_be_read_again(site, since)
    ledger.lessons.let_judge_again(site, whole=False)


def _ask(ledger: Ledger, leased: LeasedUrl, due: Iterable[CanonicalUrl], at: float) -> bool:
    asked = [url for url in due if _queue(ledger, leased, url, at)]
    if asked:
        reason = f"it names {counted(len(asked), 'stylesheet')}: which text do they hide?"
        ledger.journal.write(leased.id, Rule.STYLESHEET, reason, asked)
    return bool(asked)


def _queue(ledger: Ledger, leased: LeasedUrl, url: CanonicalUrl, at: float) -> bool:
    """Let a sheet wait for its turn; return whether it does: what is known as a page stays one."""
    discovery, sheets = ledger.discovery, ledger.stylesheets
    if len(url) > STORED_URL or discovery.policy.blocked(url, url):
        return False
    row = find_row(ledger.connection, _ROW, url)
    is_known = row is not None and row[3] == Purpose.STYLESHEET
    if not is_known and (sheets.count(leased.site) >= MAX_OF_SITE or discovery.budgets.is_full(leased.site)):
        return False
    if row is None:
        new = NewUrl(url, leased.site, FoundBy.STYLESHEET, leased.id, leased.depth, urgency=SITEMAP_URGENCY)
        identity = ledger.urls.enqueue(new)
    elif row[1:] in _MAY_BE_ASKED:
        identity = row[0]
        ledger.urls.requeue([identity])
    else:
        return False
    ledger.probes.add(identity, Purpose.STYLESHEET, at)
    sheets.ask(identity, leased.site, at)
    return True


def store_sheet(ledger: Ledger, leased: LeasedUrl, sheet: Stylesheet) -> bool:
    """End the lease of a sheet, and keep what it says; return whether others are asked for, which it imports."""
    ledger.note_fetch(leased, sheet, Rule.PROBE)
    if sheet.css is None:
        _end(ledger, leased, sheet, f"{_NOT_USED}: {sheet.reason}")
        return False
    _end(ledger, leased, sheet, f"it was read as a stylesheet: {counted(len(sheet.css), 'character')} count")
    if not sheet.imports or ledger.stylesheets.is_imported(leased.id):
        return False
    known = ledger.stylesheets.of_site(site_of(sheet.url)).asked_at
    oldest = sheet.fetched_at - ledger.most_revisit
    return _ask(ledger, leased, [url for url in sheet.imports if known.get(url, 0.0) <= oldest], sheet.fetched_at)


def store_no_sheet(ledger: Ledger, leased: LeasedUrl, outcome: Outcome) -> None:
    """End the lease of a sheet that did not come: what it said before holds only where it is as it was."""
    if outcome.requested:
        ledger.note_fetch(leased, outcome, Rule.PROBE)
    if outcome.fate is Fate.NOT_MODIFIED and outcome.conditional:
        ledger.stylesheets.ask(leased.id, leased.site, outcome.fetched_at)
        row = ledger.journal.write(leased.id, Rule.STYLESHEET, "it is the stylesheet that it was")
        ledger.end(leased.id, State.SUPPRESSED, Rule.STYLESHEET, because=row)
        return
    none = Stylesheet(outcome.url, None, fetched_at=outcome.fetched_at)
    rule = outcome.rule if outcome.fate is Fate.REFUSED else Rule.STYLESHEET
    _end(ledger, leased, none, f"{_NOT_USED}: {outcome.reason}", rule)


def _end(ledger: Ledger, leased: LeasedUrl, sheet: Stylesheet, reason: str, rule: Rule = Rule.STYLESHEET) -> None:
    row = ledger.journal.write(leased.id, rule, reason)
    ledger.end(leased.id, State.SUPPRESSED, rule, because=row)
    since = ledger.stylesheets.put(leased.id, leased.site, sheet)
    if since is not None:
        _judge_again(ledger, leased.site, since)
