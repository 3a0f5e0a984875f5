"""How many URLs may one site, or one pattern of URLs, bring? As many as its pages say something new for.

The throttle that ends what no other rule recognises (*HTTP: The Definitive Guide*, 9.1.10: throttling), and that lets a
long archive pass by itself: `urls/traps/novelty.py` has the rule. What is over a budget stays as a suppressed URL with
its reason. It is queued again as its pattern earns more (frontier/followers/traps.py), or when a person releases
it.

A chain of pages may go on beyond MAX_DEPTH, once its site has shown that it does not make pages up. A diary that leads
from day to day, a list that leads from page to page: the hundredth is a hundred links from the seed, and as good as the
first. Such a page is requested as if it were half of MAX_DEPTH away, and what it leads to, such as the articles of a
list, a link further.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.tables.patterns import Patterns
from crawldb.tables.queue import held_back
from crawldb.tables.sites import count_of_domain, count_of_site, count_url
from urls.records import Refusal
from urls.rules import Rule
from urls.traps.made_up import LISTED_DEPTH, Authorship
from urls.traps.novelty import allowance
from urls.traps.pattern import PatternKind, all_patterns_of, patterns_of, trees_of, views_of
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Collection

    from crawldb.database import CrawlDatabase
    from crawldb.tables.patterns import PatternAccount
    from urls.records import CanonicalUrl
    from urls.traps.pattern import Pattern
    from urls.traps.shape import Limits


@dataclass(frozen=True, slots=True)
class OverBudget:
    """Why a URL is not accepted, and the account of the pattern that it waits for; 0: it is a site's budget."""

    refusal: Refusal
    pattern: int = 0


class Budgets:
    """Keeps the accounts of sites and patterns, in the caller's transaction."""

    def __init__(self, database: CrawlDatabase, limits: Limits) -> None:
        self._database = database
        self.limits = limits
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
        count_url(self._database, site)
        return None

    def let_wait(self, over: OverBudget, url: int) -> None:
        """Remember which pattern a refused URL waits for."""
        if over.pattern:
            self.patterns.let_wait(over.pattern, [url])

    def is_released(self, site: int, url: CanonicalUrl) -> bool:
        """Return whether a person has released one of the patterns to which `url` belongs."""
        accounts = self.patterns.find(site, all_patterns_of(url))
        return any(account.exempt for account in accounts.values())

    def _over(self, account: PatternAccount | None) -> OverBudget | None:
        if account is None or account.exempt or account.pattern.kind is not PatternKind.NUMBERED:
            return None
        most = allowance(self.limits.pattern_pages, account.fresh)
        if account.urls < most:
            return None
        urls = counted(account.urls, "URL looks", "URLs look")
        why = (
            f"{urls} like {account.pattern.name[:100]}: its {counted(account.fresh, 'page')} that said "
            f"something new allow {most}; PATTERN_PAGES is {self.limits.pattern_pages}"
        )
        return OverBudget(Refusal(Rule.PATTERN_BUDGET, why), account.id)

    def is_full(self, site: int) -> bool:
        """Return whether a site has as many URLs as it may have."""
        return self._site_is_full(site) is not None

    def _site_is_full(self, site: int) -> OverBudget | None:
        urls, domain = count_of_site(self._database, site)
        whose = "its site has"
        if domain is not None:
            of_domain = count_of_domain(self._database, domain)
            if not urls and of_domain.sites >= self.limits.domain_sites:
                there = counted(of_domain.sites, "site")
                limit = self.limits.domain_sites
                why = f"{domain} has {there} already, and its host would be one more; the limit is {limit}"
                return OverBudget(Refusal(Rule.HOST_BUDGET, why))
            urls, whose = of_domain.urls, f"the sites of {domain} have"
        if urls < self.limits.site_pages:
            return None
        why = f"{whose} brought {counted(urls, 'URL')}; SITE_PAGES is {self.limits.site_pages}"
        return OverBudget(Refusal(Rule.SITE_BUDGET, why))


def _closed(accounts: Collection[PatternAccount]) -> OverBudget | None:
    """Return which pattern of a URL is closed; none is if a person has released one of them."""
    closed = next((account for account in accounts if account.closed), None)
    if closed is None or any(account.exempt for account in accounts):
        return None
    return OverBudget(Refusal(rule_of_closing(closed), closed.closed or ""), closed.id)


def rule_of_closing(account: PatternAccount) -> Rule:
    """Return the rule that holds back what is of a closed pattern."""
    return Rule.MADE_UP if account.authorship is Authorship.MADE_UP else Rule.NO_YIELD


def _tree_and_views_of(url: CanonicalUrl, depth: int) -> tuple[Pattern, ...]:
    """Return the views and the trees of `url`; what is near a seed was listed, and belongs to no tree."""
    views = views_of(url)
    trees = trees_of(url) if depth > LISTED_DEPTH else ()
    return (views, *trees) if views else trees


def depth_of_written(max_depth: int) -> int:
    """Return the depth with which a page counts beyond MAX_DEPTH, where the pages of its pattern were written."""
    return max_depth // 2


def was_written(patterns: Patterns, site: int, url: CanonicalUrl) -> bool:
    """Return whether the pages of the pattern of `url` were written: a probe has shown it, or a person has said so.

    `urls/traps/made_up.py` has the rule of the one, `release.py` the other.
    """
    own = patterns_of(url)[0]
    accounts = patterns.find(site, [own if own.kind is PatternKind.NUMBERED else trees_of(url)[0]]).values()
    return any(account.exempt or account.authorship is Authorship.WRITTEN for account in accounts)


def held_by_depth(database: CrawlDatabase, patterns: Patterns, account: int) -> list[tuple[int, str]]:
    """Return ids and addresses of what only its depth keeps out of a pattern whose pages were written."""
    site = patterns.site_of(account)
    held = held_back(database, site, Rule.DEPTH)
    return [(identity, name) for identity, name in held if was_written(patterns, site, name)]
