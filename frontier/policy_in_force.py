"""Which policy on URLs holds in a data folder? Its root set, blacklist, options, part and releases, under given limits.

The crawl, the commands and the gateway all read the policy here, so all of them apply the same rules.

If the policy differs from that of the last run, the run checks queued and rejected URLs again, and fetches every page
once without conditions. A wider scope, a greater depth or another seed needs this: former off-site links are on pages
that would respond "not modified" today.
"""

from __future__ import annotations

import time
from dataclasses import fields, replace
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from crawldb.pages.feed import Feed
from crawldb.pages.pages import Pages
from crawldb.tables.blocks import blacklist
from crawldb.tables.journal import Journal
from crawldb.tables.queue import held_back_pages, pages_not_fetched_yet, queued_pages, queued_sites, sitemaps_by_scope
from crawldb.tables.seeds import seed_sites
from crawldb.tables.sitemaps import Sitemaps
from crawldb.tables.sites import options_of
from crawldb.tables.url_counts import Patterns
from crawldb.tables.urls import Urls
from frontier.budgets import Budgets, released_urls
from urls.canonical import Breadth, Scope, site_of
from urls.policy import OF_SITES, Policy
from urls.records import Refusal
from urls.rules import Rule
from urls.traps import TRAP_RULES, Limits, is_exhausted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawldb.database import CrawlDatabase


# Rules whose verdict may be another one when a setting is.
OF_SETTINGS = (Rule.TYPE, Rule.DYNAMIC, *TRAP_RULES)


def policy_in(
    database: CrawlDatabase,
    *,
    breadth: Breadth = Breadth.HOST,
    limits: Limits | None = None,
    ports: frozenset[int] = frozenset(),
    sites: Iterable[str] = (),
) -> Policy:
    """Return the policy that holds in a data folder; `sites` are crawled too, next to those of its root set.

    Settings that the folder doesn't keep are arguments: the breadth around the seeds, the limits on the form of a URL
    (`Limits()`, if none), and further ports next to 80, 443 and those of the seeds.
    """
    scope = Scope(seed_sites(database) | frozenset(sites), breadth)
    return renewed_policy(Policy(scope, limits=limits or Limits(), ports=ports, year=time.gmtime().tm_year), database)


def renewed_policy(policy: Policy, database: CrawlDatabase) -> Policy:
    """Return `policy` with the changes of `submit`, `block`, `suggest` and `release` in the folder since."""
    return replace(
        policy,
        scope=replace(policy.scope, sites=policy.scope.sites | seed_sites(database)),
        blacklist=blacklist(database),
        options=options_of(database),
        released=released_urls(database),
    )


def digest_of(policy: Policy) -> str:
    """Return a digest of everything in which two policies can differ, except the blacklist."""
    limits = [
        sorted(value) if isinstance(value, frozenset) else value
        for value in (getattr(policy.limits, field.name) for field in fields(policy.limits))
    ]
    scope = (sorted(policy.scope.sites), policy.scope.breadth.value)
    written = repr((*scope, sorted(policy.ports), limits, policy.options.sorted_choices()))
    return blake2b(written.encode(), digest_size=8).hexdigest()


def review(database: CrawlDatabase, policy: Policy, run: int) -> None:
    """Queue the URLs that the policy no longer refuses, and drop the validators of all pages.

    Queued URLs that it refuses now are held back. Stored pages stay.
    """
    budgets, urls = Budgets(database, policy.limits), Urls(database)
    patterns = Patterns(database)
    with database.transaction():
        out_of_scope = held_back_pages(database, OF_SITES)  # the budgets have counted them
        urls.requeue([identity for identity, url, _, _ in out_of_scope if not policy.place(url).refusal])
        _hold_back(database, policy, run)
        Pages(database).forget_all_validators()
        Sitemaps(database).forget_all_validators()
        _open_what_more_patience_opens(patterns, policy.limits.trap_patience)
        for identity, url, site, depth in held_back_pages(database, OF_SETTINGS):
            judgement = policy.check(url, depth)
            if not judgement.refusal and judgement.url and not budgets.charge(site, judgement.url, depth):
                urls.requeue([identity])


def hold_back_sites(database: CrawlDatabase, policy: Policy, run: int) -> None:
    """Suppress what is queued of sites that are not in scope any longer, stored pages too; seeds are in scope.

    A sitemap waits, too, unless a site in scope has or names it, and comes back as soon as one does.
    """
    urls, sitemaps = Urls(database), Sitemaps(database)
    with database.transaction():
        for site, url in queued_sites(database):
            refusal = policy.place(urljoin(url, "/")).refusal
            if refusal and (pages := queued_pages(database, site, probes=True)):
                _suppress(database, run, refusal, pages)
        for identity, url, held in sitemaps_by_scope(database, OF_SITES):
            refusal = policy.port_refusal(url, site_of(url))
            if not any(map(policy.covers, sitemaps.sites(identity, url))):
                refusal = Refusal(Rule.OFF_SITE, "no site of a seed has or names it")
            if held and not refusal:
                urls.requeue([identity])
            elif refusal and not held:
                _suppress(database, run, refusal, [(identity, url)])


def _hold_back(database: CrawlDatabase, policy: Policy, run: int) -> None:
    """Suppress the queued URLs that the policy refuses now, such as those beyond a lower MAX_DEPTH."""
    refused: dict[Refusal, list[tuple[int, str]]] = {}
    for identity, url, depth in pages_not_fetched_yet(database):
        refusal = policy.check(url, depth).refusal
        if refusal and refusal.rule in OF_SETTINGS:
            refused.setdefault(refusal, []).append((identity, url))
    for refusal, urls in refused.items():
        _suppress(database, run, refusal, urls)


def _suppress(database: CrawlDatabase, run: int, refusal: Refusal, urls: Sequence[tuple[int, str]]) -> None:
    ids, addresses = zip(*urls, strict=True)
    row = Journal(database, run).write(None, refusal.rule, refusal.reason, addresses)
    Urls(database).suppress(ids, refusal.rule, row)
    Feed(database).announce_again(ids)  # some may have been results by links alone


def _open_what_more_patience_opens(patterns: Patterns, patience: int) -> None:
    """Open the patterns that were closed under a shorter patience."""
    closed = patterns.closed_by_patience(patience)
    patterns.open([each for each, pattern, barren in closed if not is_exhausted(pattern, barren, patience)])
