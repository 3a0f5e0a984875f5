"""How many URLs may one site, or one pattern of URLs, bring? As many as its pages say something new for.

The throttle that ends what no other rule recognises (*HTTP: The Definitive Guide*, 9.1.10: throttling), and that lets
a long archive pass by itself: `traps/patience.py` has the rule. What is over a budget stays as a suppressed URL with
its reason; it is queued again as its pattern earns more, or when a person releases it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.frontier.traps import Pattern, PatternKind, patterns_of
from crawldb.frontier.traps.novelty import marks
from crawldb.frontier.traps.patience import GROWTH, NO_NEWS, NO_WORD, allowance, has_had_its_chance, reason
from crawldb.page import CanonicalUrl, Refusal
from crawldb.state import Kind, State
from crawldb.tables.patterns import Account, Patterns

if TYPE_CHECKING:
    from sqlite3 import Connection

    from crawldb.database import CrawlDatabase
    from crawldb.frontier.traps import Limits
    from crawldb.page import Page
    from crawldb.tables.journal import Journal

OVER = "pattern-budget"  # the rule of URLs that wait for their pattern to earn more
_WAY_TO = (
    "WITH RECURSIVE way (id) AS (SELECT found_on FROM url WHERE id = ? UNION "
    "SELECT url.found_on FROM url JOIN way ON url.id = way.id) SELECT url.url FROM way JOIN url ON url.id = way.id"
)
CLOSED = "no-yield"  # the rule of URLs whose pattern has said nothing new for too long


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a URL is not accepted, and the account of the pattern that it waits for; 0: it is a site's budget."""

    refusal: Refusal
    pattern: int = 0


class Budgets:
    """Keeps the accounts of sites and patterns, in the caller's transaction."""

    def __init__(self, database: CrawlDatabase, limits: Limits) -> None:
        self._connection = database.connection
        self._limits = limits
        self._patterns = Patterns(database)

    def spend(self, site: int, url: CanonicalUrl, *, asked: bool = False) -> Verdict | None:
        """Count one more URL of `site`, or return why it is refused. One that a person `asked` for is only counted."""
        patterns = patterns_of(url)
        accounts = [(pattern, self._patterns.account(site, pattern)) for pattern in patterns]
        own = patterns[0]
        account = accounts[0][1]
        if not asked:
            verdict = (
                self._closed(accounts) or self._site_is_full(site) or (self._over(own, account) if account else None)
            )
            if verdict:
                return verdict
        if own.kind is PatternKind.NUMBERED:
            self._patterns.count_url((account or self._patterns.open(site, own)).id)
        self._connection.execute("UPDATE site SET urls = urls + 1 WHERE id = ?", (site,))
        return None

    def hold(self, verdict: Verdict, url: int) -> None:
        """Remember which pattern a refused URL waits for."""
        if verdict.pattern:
            self._patterns.hold(verdict.pattern, [url])

    def earn(self, url: int, page: Page, journal: Journal) -> None:
        """Enter a page that was read for the first time into its patterns' accounts, and close or widen them."""
        rules = {refusal.rule for refusal in page.refusals}
        if rules & NO_WORD:
            return
        (site,) = self._connection.execute("SELECT site FROM url WHERE id = ?", (url,)).fetchone()
        patterns = patterns_of(page.url)
        accounts = [(pattern, self._patterns.open(site, pattern)) for pattern in patterns]
        fresh = not rules & NO_NEWS
        widest, account = accounts[-1]
        if fresh and widest.kind is not PatternKind.FOLDER:
            fresh = self._patterns.has_news(account.id, marks(page.title, page.text))
        for pattern, account in accounts:
            counts = not fresh and self._may_be_endless(url, pattern)
            barren = self._patterns.note(account.id, page, fresh=fresh, counts=counts)
            if fresh and not account.closed:
                self._widen(url, pattern, account, journal)
            open_yet = not (account.closed or account.exempt)
            if open_yet and has_had_its_chance(pattern.kind, barren, self._limits.trap_patience):
                self._close(url, site, pattern, account, journal)

    def _may_be_endless(self, url: int, pattern: Pattern) -> bool:
        """Return whether the way from a seed to `url` leads through its pattern, or twice through another's numbers."""
        way = [CanonicalUrl(name) for (name,) in self._connection.execute(_WAY_TO, (url,))]
        patterns = [one for name in way for one in patterns_of(name)]
        numbered = [one for one in patterns if one.kind is PatternKind.NUMBERED]
        repeated = pattern in patterns or len(set(numbered)) < len(numbered)
        return repeated or any(pattern.is_made_by(name) for name in way)

    def _closed(self, accounts: list[tuple[Pattern, Account | None]]) -> Verdict | None:
        for _, account in accounts:
            if account is not None and account.exempt:
                return None
            if account is not None and account.closed:
                return Verdict(Refusal(CLOSED, account.closed), account.id)
        return None

    def _over(self, pattern: Pattern, account: Account) -> Verdict | None:
        most = allowance(self._limits.pattern_pages, account.fresh)
        if account.urls < most or account.exempt or pattern.kind is not PatternKind.NUMBERED:
            return None
        why = (
            f"{account.urls} URLs look like {pattern.name[:100]}: its {account.fresh} pages that said something new "
            f"allow {most}; PATTERN_PAGES is {self._limits.pattern_pages}"
        )
        return Verdict(Refusal(OVER, why), account.id)

    def _site_is_full(self, site: int) -> Verdict | None:
        urls, name, domain = self._connection.execute(
            "SELECT urls, name, domain FROM site WHERE id = ?", (site,)
        ).fetchone()
        whose = "its site has"
        if domain is not None:
            total, sites = self._connection.execute(
                "SELECT sum(urls), count(*) FILTER (WHERE urls > 0) FROM site WHERE domain = ?", (domain,)
            ).fetchone()
            if not urls and sites >= self._limits.domain_sites:
                why = f"{domain} has {sites} sites already, and {name} is one more; DOMAIN_SITES is {sites}"
                return Verdict(Refusal("host-budget", why))
            urls, whose = total, f"the sites of {domain} have"
        if urls < self._limits.site_pages:
            return None
        return Verdict(Refusal("site-budget", f"{whose} brought {urls} URLs; SITE_PAGES is {self._limits.site_pages}"))

    def _widen(self, url: int, pattern: Pattern, account: Account, journal: Journal) -> None:
        """Queue some of the URLs that waited for their pattern to earn more."""
        if pattern.kind is not PatternKind.NUMBERED or account.urls < self._limits.pattern_pages:
            return
        held = self._patterns.held(account.id, OVER, GROWTH)
        if held:
            self._connection.execute("UPDATE pattern SET urls = urls + ? WHERE id = ?", (len(held), account.id))
            queue_again(self._connection, [identity for identity, _ in held])
            why = f"{pattern.name[:100]} has said something new, so that more of it may be asked for"
            journal.write(url, "pattern-earned", why, [name for _, name in held], count=len(held))

    def _close(self, url: int, site: int, pattern: Pattern, account: Account, journal: Journal) -> None:
        """Suppress what is queued of a pattern that has had its chance, with one row of the journal."""
        wasted = account.wasted + 1  # with the page that was just entered
        why = reason(pattern.name, wasted, wasted + account.fresh)
        self._patterns.close(account.id, why)
        queued = self._connection.execute(
            "SELECT id, url FROM url WHERE site = ? AND state = ? AND seed = 0 AND kind = ?",
            (site, State.QUEUED, Kind.PAGE),
        ).fetchall()
        caught = [
            (identity, name)
            for identity, name in queued
            if pattern in patterns_of(CanonicalUrl(name)) and not self._has_own_exemption(site, name)
        ]
        row = journal.write(url, CLOSED, why, [name for _, name in caught], count=len(caught))
        self._connection.executemany(
            "UPDATE url SET state = ?, rule = ? WHERE id = ?",
            [(State.SUPPRESSED, CLOSED, identity) for identity, _ in caught],
        )
        self._connection.executemany(
            "INSERT OR REPLACE INTO suppression VALUES (?, ?)", [(identity, row) for identity, _ in caught]
        )
        self._patterns.hold(account.id, [identity for identity, _ in caught])

    def _has_own_exemption(self, site: int, url: str) -> bool:
        account = self._patterns.account(site, patterns_of(CanonicalUrl(url))[0])
        return account is not None and account.exempt


def queue_again(connection: Connection, urls: list[int]) -> None:
    """Queue suppressed URLs, of which nothing stands against them any longer."""
    connection.executemany("DELETE FROM suppression WHERE url = ?", [(url,) for url in urls])
    connection.executemany("DELETE FROM trapped WHERE url = ?", [(url,) for url in urls])
    connection.executemany(
        "UPDATE url SET state = ?, rule = NULL, due_at = 0 WHERE id = ?", [(State.QUEUED, url) for url in urls]
    )
