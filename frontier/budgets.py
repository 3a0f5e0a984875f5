"""How many URLs may one site, or one pattern of URLs, bring? As many as its pages say something new for.

The throttle that ends what no other rule recognises (*HTTP: The Definitive Guide*, 9.1.10: throttling), and that lets a
long archive pass by itself: `urls/traps/novelty.py` has the rule. What is over a budget stays as a suppressed URL with
its reason. It is queued again as its pattern earns more, or when a person releases it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.tables.patterns import Patterns
from crawldb.tables.urls import Kind, State, Urls
from frontier.chains import Closing, closing_of, depth_of_written, held_by_depth, may_be_endless, note_in_tree_or_views
from urls.counted import counted
from urls.records import CanonicalUrl, Refusal
from urls.rules import Rule
from urls.traps.made_up import LISTED_DEPTH, Authorship
from urls.traps.novelty import GROWTH, TELLS_NOTHING, allowance, page_marks, reason_of_closing, says_nothing_new
from urls.traps.pattern import PatternKind, all_patterns_of, patterns_of, trees_of, views_of
from urls.traps.shape import is_dated

if TYPE_CHECKING:
    from collections.abc import Collection

    from crawldb.database import CrawlDatabase
    from crawldb.tables.journal import Journal
    from crawldb.tables.patterns import PatternAccount
    from urls.records import Page
    from urls.traps.pattern import Pattern
    from urls.traps.shape import Limits


@dataclass(frozen=True, slots=True)
class OverBudget:
    """Why a URL is not accepted, and the account of the pattern that it waits for; 0: it is a site's budget."""

    refusal: Refusal
    pattern: int = 0


class Budgets:
    """Keeps the accounts of sites and patterns, in the caller's transaction."""

    def __init__(self, database: CrawlDatabase, limits: Limits, journal: Journal) -> None:
        self._connection = database.connection
        self._urls = Urls(database)
        self._limits = limits
        self._journal = journal
        self.patterns = Patterns(database)

    def charge(self, site: int, url: CanonicalUrl, depth: int = 0, *, asked: bool = False) -> OverBudget | None:
        """Count one more URL of `site`, or return why it is refused. One that a person `asked` for is only counted.

        `depth` counts links from a seed.
        """
        narrow, *wider = patterns_of(url)
        if not asked:
            wider += _tree_and_views_of(url, depth)
        accounts = self.patterns.find(site, [narrow, *wider])
        account = accounts.get(narrow)
        if not asked:
            over = _closed(accounts.values()) or self._site_is_full(site) or self._over(account)
            if over:
                return over
        if narrow.kind is PatternKind.NUMBERED:
            self.patterns.count_url((account or self.patterns.ensure(site, narrow)).id)
        self._connection.execute("UPDATE site SET urls = urls + 1 WHERE id = ?", (site,))
        return None

    def let_wait(self, over: OverBudget, url: int) -> None:
        """Remember which pattern a refused URL waits for."""
        if over.pattern:
            self.patterns.let_wait(over.pattern, [url])

    def note_page(self, url: int, site: int, page: Page) -> bool:
        """Enter a page that was read for the first time into its patterns' accounts, and close or widen them.

        Return whether it says something new.
        """
        if any(refusal.rule in TELLS_NOTHING for refusal in page.refusals):
            return False
        accounts = [self.patterns.ensure(site, pattern) for pattern in patterns_of(page.url)]
        fresh = not says_nothing_new(page)
        patience = self._limits.trap_patience
        closed = note_in_tree_or_views(self._connection, self.patterns, url, site, page, patience, copy=not fresh)
        if closed:
            self._close(url, closed)
        widest = accounts[-1]
        if fresh and widest.pattern.kind is not PatternKind.FOLDER:
            fresh = self.patterns.has_new_line(widest.id, page_marks(page, widest.pattern))
        for account in accounts:
            self._note(url, page, account, fresh=fresh)
        if fresh:
            self._credit(url, site, {account.pattern for account in accounts})
        return fresh

    def _note(self, url: int, page: Page, account: PatternAccount, *, fresh: bool) -> None:
        counts = not fresh and (
            may_be_endless(self._connection, url, account.pattern, dated=is_dated(page.url))
            or self.overflows(account.id)
        )
        barren = self.patterns.note_page(account.id, page, fresh=fresh, counts=counts)
        if fresh and not account.closed:
            self._widen(url, account)
        wasted = account.wasted + 1  # with the page that was just entered
        why = reason_of_closing(account.pattern.name, wasted, wasted + account.fresh)
        closed = closing_of(account, barren, self._limits.trap_patience, why)
        if closed:
            self._close(url, closed)

    def overflows(self, account: int, by: int = 1) -> bool:
        """Return whether `by` links to a pattern wait for it to earn more: then not even one page's list need end."""
        return len(self.patterns.waiting(account, Rule.PATTERN_BUDGET, by)) == by

    def close_made_up(self, url: int, account: int) -> None:
        """Close a pattern that has a page for any name, as the answer to the probe `url` has shown."""
        if self.patterns.by_id(account).exempt:
            return  # a person released it while it was asked
        self.patterns.set_authorship(account, Authorship.MADE_UP)
        self.patterns.waste_growth(account)
        probes = " and at ".join(self.patterns.probe_urls(account))
        why = f"its site makes up pages: there is one at {probes}, which Breadcrumb made up"
        self._close(url, Closing(self.patterns.by_id(account), why))

    def queue_deeper(self, url: int, account: int) -> None:
        """Queue what only MAX_DEPTH keeps out of a pattern whose pages were written, as the probe `url` has shown."""
        deeper = held_by_depth(self._connection, self.patterns, account)
        if deeper:
            depth = depth_of_written(self._limits.max_depth)
            self._urls.requeue([identity for identity, _ in deeper], depth=depth)
            why = "they are of a pattern whose pages were written, so that it may go on beyond MAX_DEPTH"
            self._journal.write(url, Rule.PATTERN_EARNED, why, [name for _, name in deeper], count=len(deeper))

    def is_released(self, site: int, url: str) -> bool:
        """Return whether a person has released one of the patterns to which `url` belongs."""
        accounts = self.patterns.find(site, all_patterns_of(CanonicalUrl(url)))
        return any(account.exempt for account in accounts.values())

    def _credit(self, url: int, site: int, patterns: set[Pattern]) -> None:
        """Let the list that led to a page of another kind have brought what that page says."""
        row = self._connection.execute(
            "SELECT url.url FROM url WHERE site = ? AND id = (SELECT found_on FROM url WHERE id = ?)", (site, url)
        ).fetchone()
        for pattern in patterns_of(CanonicalUrl(row[0])) if row else ():
            if pattern not in patterns:
                self.patterns.credit(site, pattern)

    def _over(self, account: PatternAccount | None) -> OverBudget | None:
        if account is None or account.exempt or account.pattern.kind is not PatternKind.NUMBERED:
            return None
        most = allowance(self._limits.pattern_pages, account.fresh)
        if account.urls < most:
            return None
        urls = counted(account.urls, "URL looks", "URLs look")
        why = (
            f"{urls} like {account.pattern.name[:100]}: its {counted(account.fresh, 'page')} that said "
            f"something new allow {most}; PATTERN_PAGES is {self._limits.pattern_pages}"
        )
        return OverBudget(Refusal(Rule.PATTERN_BUDGET, why), account.id)

    def is_full(self, site: int) -> bool:
        """Return whether a site has as many URLs as it may have."""
        return self._site_is_full(site) is not None

    def _site_is_full(self, site: int) -> OverBudget | None:
        urls, domain = self._connection.execute("SELECT urls, domain FROM site WHERE id = ?", (site,)).fetchone()
        whose = "its site has"
        if domain is not None:
            total, sites = self._connection.execute(
                "SELECT sum(urls), count(*) FILTER (WHERE urls > 0) FROM site WHERE domain = ?", (domain,)
            ).fetchone()
            if not urls and sites >= self._limits.domain_sites:
                there = counted(sites, "site")
                why = f"{domain} has {there} already, and its host would be one more; DOMAIN_SITES is {sites}"
                return OverBudget(Refusal(Rule.HOST_BUDGET, why))
            urls, whose = total, f"the sites of {domain} have"
        if urls < self._limits.site_pages:
            return None
        why = f"{whose} brought {counted(urls, 'URL')}; SITE_PAGES is {self._limits.site_pages}"
        return OverBudget(Refusal(Rule.SITE_BUDGET, why))

    def _widen(self, url: int, account: PatternAccount) -> None:
        """Queue some of the URLs that waited for their pattern to earn more."""
        if account.pattern.kind is not PatternKind.NUMBERED or account.urls < self._limits.pattern_pages:
            return
        waiting = self.patterns.waiting(account.id, Rule.PATTERN_BUDGET, GROWTH)
        if waiting:
            self._connection.execute("UPDATE pattern SET urls = urls + ? WHERE id = ?", (len(waiting), account.id))
            self._urls.requeue([identity for identity, _ in waiting])
            why = f"{account.pattern.name[:100]} has said something new, so that more of it may be asked for"
            self._journal.write(url, Rule.PATTERN_EARNED, why, [name for _, name in waiting], count=len(waiting))

    def _close(self, url: int, closed: Closing) -> None:
        """Suppress what is queued of a pattern that has had its chance, with one row of the journal."""
        account, pattern = closed.account, closed.account.pattern
        self.patterns.close(account.id, closed.why)
        queued = self._connection.execute(
            "SELECT id, url FROM url WHERE site = ? AND state = ? AND seed = 0 AND kind = ? AND depth > ? "
            "AND id NOT IN (SELECT url FROM probe)",
            (account.site, State.QUEUED, Kind.PAGE, LISTED_DEPTH if pattern.is_tree else -1),
        ).fetchall()
        caught = [
            (identity, name)
            for identity, name in queued
            if pattern in all_patterns_of(CanonicalUrl(name)) and not self.is_released(account.site, name)
        ]
        rule, ids = _rule(account), [identity for identity, _ in caught]
        row = self._journal.write(url, rule, closed.why, [name for _, name in caught], count=len(caught))
        self._urls.suppress(ids, rule, row)
        self.patterns.let_wait(account.id, ids)


def _closed(accounts: Collection[PatternAccount]) -> OverBudget | None:
    """Return which pattern of a URL is closed; none is if a person has released one of them."""
    closed = next((account for account in accounts if account.closed), None)
    if closed is None or any(account.exempt for account in accounts):
        return None
    return OverBudget(Refusal(_rule(closed), closed.closed or ""), closed.id)


def _rule(account: PatternAccount) -> Rule:
    return Rule.MADE_UP if account.authorship is Authorship.MADE_UP else Rule.NO_YIELD


def _tree_and_views_of(url: CanonicalUrl, depth: int) -> tuple[Pattern, ...]:
    """Return the views and the trees of `url`; what is near a seed was listed, and belongs to no tree."""
    views = views_of(url)
    trees = trees_of(url) if depth > LISTED_DEPTH else ()
    return (views, *trees) if views else trees
