"""How many URLs may one site, or one URL pattern, bring? As many as its pages have new content for.

This limit ends the traps that no other rule recognises (*HTTP: The Definitive Guide*, 9.1.10: throttling), and lets a
long archive pass. `urls/traps.py` has the rule. A URL over a budget is suppressed, with its reason. It is
queued again when its pattern earns more (frontier/followers/traps.py), or when a person releases it.

A chain of pages may go beyond MAX_DEPTH once its site has shown that it does not generate them. The hundredth page of a
diary is a hundred links from the seed, and as good as the first. Such a page counts as half of MAX_DEPTH away, and its
links as one more.

Each of these rules costs good pages somewhere, so a person can release what it caught. That is a pattern as a whole,
under its name in `report traps`, a URL, or with `*` at the end all URLs that begin so. Blacklist, robots.txt and file
types still hold: they are no rules about traps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.databases import in_each_part
from crawldb.tables.journal import Journal
from crawldb.tables.queue import held_back, held_back_as
from crawldb.tables.url_counts import Patterns, count_of_domain, count_of_site, count_url, exemptions, put_exemption
from crawldb.tables.urls import Urls
from crawldb.visited import STORED_URL
from urls.canonical import canonicalize
from urls.generated_urls import LISTED_DEPTH, Authorship
from urls.records import Refusal
from urls.rules import Rule
from urls.traps import (
    TRAP_RULES,
    PatternKind,
    Released,
    all_patterns_of,
    patterns_of,
    trees_of,
    url_allowance,
    views_of,
)
from urls.wording import counted, shell_word

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.tables.url_counts import PatternCounts
    from urls.records import CanonicalUrl
    from urls.traps import Limits, Pattern


@dataclass(frozen=True, slots=True)
class OverBudget:
    """Why a URL is not accepted, and the id of the pattern that it waits for; 0: it is a site's budget."""

    refusal: Refusal
    pattern: int = 0


class Budgets:
    """Keeps the counts of sites and patterns, in the caller's transaction."""

    def __init__(self, database: CrawlDatabase, limits: Limits) -> None:
        self._database = database
        self.limits = limits
        self.patterns = Patterns(database)

    def charge(self, site: int, url: CanonicalUrl, depth: int = 0, *, asked: bool = False) -> OverBudget | None:
        """Count one more URL of `site`, or return why it is rejected. With `asked`, by a person, it always counts.

        `depth` counts links from a seed.
        """
        narrow, *wider = patterns_of(url)
        if not asked:
            wider += _tree_and_views_of(url, depth)
        tallies = self.patterns.find(site, [narrow, *wider])
        tally = tallies.get(narrow)
        if not asked:
            over = _closed(tallies.values()) or self._site_is_full(site) or self._over(tally)
            if over:
                return over
        if narrow.kind is PatternKind.NUMBERED:
            self.patterns.count_url((tally or self.patterns.ensure(site, narrow)).id)
        count_url(self._database, site)
        return None

    def let_wait(self, over: OverBudget, url: int) -> None:
        """Remember which pattern a rejected URL waits for."""
        if over.pattern:
            self.patterns.let_wait(over.pattern, [url])

    def is_released(self, site: int, url: CanonicalUrl) -> bool:
        """Return whether a person has released one of the patterns to which `url` belongs."""
        tallies = self.patterns.find(site, all_patterns_of(url))
        return any(tally.exempt for tally in tallies.values())

    def _over(self, tally: PatternCounts | None) -> OverBudget | None:
        if tally is None or tally.exempt or tally.pattern.kind is not PatternKind.NUMBERED:
            return None
        most = url_allowance(self.limits.pattern_pages, tally.fresh)
        if tally.urls < most:
            return None
        urls = counted(tally.urls, "URL looks", "URLs look")
        why = (
            f"{urls} like {tally.pattern.name[:100]}: its {counted(tally.fresh, 'page')} that said "
            f"something new allow {most}; PATTERN_PAGES is {self.limits.pattern_pages}"
        )
        return OverBudget(Refusal(Rule.PATTERN_BUDGET, why), tally.id)

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


def _closed(tallies: Collection[PatternCounts]) -> OverBudget | None:
    """Return which pattern of a URL is closed; none is if a person has released one of them."""
    closed = next((tally for tally in tallies if tally.closed), None)
    if closed is None or any(tally.exempt for tally in tallies):
        return None
    return OverBudget(Refusal(rule_of_closing(closed), closed.closed or ""), closed.id)


def rule_of_closing(tally: PatternCounts) -> Rule:
    """Return the rule that holds back the URLs of a closed pattern."""
    return Rule.MADE_UP if tally.authorship is Authorship.MADE_UP else Rule.NO_YIELD


def _tree_and_views_of(url: CanonicalUrl, depth: int) -> tuple[Pattern, ...]:
    """Return the views and the trees of `url`; what is near a seed was listed, and belongs to no tree."""
    views = views_of(url)
    trees = trees_of(url) if depth > LISTED_DEPTH else ()
    return (views, *trees) if views else trees


def depth_of_written(max_depth: int) -> int:
    """Return the depth with which a page counts beyond MAX_DEPTH, where the pages of its pattern were written."""
    return max_depth // 2


def was_written(patterns: Patterns, site: int, url: CanonicalUrl) -> bool:
    """Return whether the pages of the pattern of `url` were written by people, as a probe or a person has shown.

    `urls/generated_urls.py` has the rule of the probe; a person releases a pattern.
    """
    own = patterns_of(url)[0]
    tallies = patterns.find(site, [own if own.kind is PatternKind.NUMBERED else trees_of(url)[0]]).values()
    return any(tally.exempt or tally.authorship is Authorship.WRITTEN for tally in tallies)


def held_by_depth(database: CrawlDatabase, patterns: Patterns, pattern_id: int) -> list[tuple[int, str]]:
    """Return ids and URLs that only their depth keeps out of a pattern with written pages."""
    site = patterns.site_of(pattern_id)
    held = held_back(database, site, Rule.DEPTH)
    return [(identity, name) for identity, name in held if was_written(patterns, site, name)]


@dataclass(frozen=True, slots=True)
class ReleasedTrap:
    """The released pattern or URL, in its canonical form, and how many URLs are queued again."""

    target: str
    urls: int
    patterns: int = 0


def release_trap(database: CrawlDatabase, text: str, site: str = "") -> ReleasedTrap:
    """Queue the URLs that rules about traps hold back: of a pattern, a URL, or all URLs that begin as before a `*`.

    `site` limits a pattern to one site. Raises `LookupError` if there are none, and `UnusableUrl` for a text that is
    neither a pattern nor a URL.
    """
    with database.transaction():
        if text.startswith("/"):
            return _release_pattern(database, text, site)
        return _release_urls(database, text)


def release_everywhere(databases: Sequence[CrawlDatabase], text: str, site: str = "") -> ReleasedTrap:
    """Do it in each partition of a crawl that has caught it; raise `LookupError` if none has."""
    found = in_each_part(databases, lambda database: release_trap(database, text, site))
    return ReleasedTrap(found[0].target, sum(each.urls for each in found), sum(each.patterns for each in found))


def _release_pattern(database: CrawlDatabase, name: str, site: str) -> ReleasedTrap:
    patterns = Patterns(database)
    # A program's pattern represents those of all its combinations.
    pattern_ids = patterns.named(name, site, wide=name.endswith(("?*", "}/*")))
    if not pattern_ids:
        where = f" of {site}" if site else ""
        raise LookupError(f"{name} is no pattern{where}: ./breadcrumb report traps shows those that were closed")
    patterns.release(pattern_ids)
    caught = [found for pattern_id in pattern_ids for found in patterns.caught(pattern_id)]
    caught += [deeper for pattern_id in pattern_ids for deeper in held_by_depth(database, patterns, pattern_id)]
    caught = list(dict.fromkeys(caught))
    _queue(database, caught, f"a person released {name}: it may bring as many URLs as it has")
    return ReleasedTrap(name, len(caught), len(pattern_ids))


def _release_urls(database: CrawlDatabase, text: str) -> ReleasedTrap:
    wide = text.endswith("*")
    url = canonicalize(text[:-1] if wide else text)
    if len(url) > STORED_URL:
        raise LookupError(f"{url[:80]}… has {len(url)} characters: of so long an address only the beginning is kept")
    caught = held_back_as(database, TRAP_RULES, url, wide=wide)
    if not caught:
        raise LookupError(f"no rule about traps holds {url} back: ./breadcrumb why {shell_word(url)} shows its state")
    target = f"{url}*" if wide else url
    put_exemption(database, target)
    _queue(database, caught, f"a person released {target}: no rule about traps holds for it")
    return ReleasedTrap(target, len(caught))


def _queue(database: CrawlDatabase, caught: list[tuple[int, str]], reason: str) -> None:
    row = Journal(database).write(None, Rule.RELEASED_TRAP, reason, [url for _, url in caught], count=len(caught))
    # From now on this row explains their state, in place of the one about the suppression.
    Urls(database).requeue([identity for identity, _ in caught], because=row)


def released_urls(database: CrawlDatabase) -> Released:
    """Return the releases so far."""
    targets = exemptions(database)
    wide = tuple(target[:-1] for target in targets if target.endswith("*"))
    return Released(frozenset(target for target in targets if not target.endswith("*")), wide)
