"""Which URLs become aliases when a site gets an option? They are suppressed, and one canonical URL takes their links.

Each alias keeps its row, with the rule `alias`, its canonical URL, and a row of the journal that names the option. Its
page leaves the store and the index, and its links count for the canonical URL. When the option is switched off, the
aliases are queued again, except those that the policy rejects under their own names.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.pages.copies import is_indexed, take_out
from crawldb.pages.feed import Feed
from crawldb.tables.journal import Journal
from crawldb.tables.links import hand_over_links
from crawldb.tables.open_work import SUGGEST, OpenWork, drop_work, note_work
from crawldb.tables.queue import pages_of, suppressed_by
from crawldb.tables.sites import note_applied, switch_off, switch_on
from crawldb.tables.urls import Urls
from frontier.discovery import Discovery, Provenance
from urls.records import CanonicalUrl, FoundBy
from urls.rules import Rule
from urls.site_options import ChosenOption, SiteOption

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crawldb.database import CrawlDatabase
    from urls.policy import Policy

_STAY_AS_THEY_ARE = (Rule.ALIAS, Rule.BLOCKED)  # rules of URLs that are suppressed already
Merged = dict[str, list[tuple[int, str]]]  # by what was done: id and URL of each alias


@dataclass(frozen=True, slots=True)
class OptionSwitch:
    """One option of a site that a person switches on or off."""

    site: str
    choice: ChosenOption
    on: bool

    @property
    def work(self) -> OpenWork:
        """Its name in the list of open work."""
        return OpenWork(SUGGEST, ("--apply" if self.on else "--off", self.site, self.choice.option, *self.choice.names))

    @classmethod
    def of_work(cls, work: OpenWork) -> OptionSwitch:
        """Return the switch for a row of open work."""
        order, site, option, *names = work.words
        return cls(site, ChosenOption(SiteOption(option), tuple(names)), on=order == "--apply")


def switch_options(
    databases: Sequence[CrawlDatabase], switches: Sequence[OptionSwitch], policy_of: Callable[[CrawlDatabase], Policy]
) -> tuple[int, int]:
    """Switch options in every partition of a crawl; return how many URLs became aliases, and how many were released.

    Raises OptionError, and switches nothing, if an option has no usable result. Each partition has its own transaction.
    After a kill between two commits, the row of open work from the first one is left.
    """
    with ExitStack() as transactions:
        for database in databases:
            transactions.enter_context(database.transaction())
            for each in switches:
                note_work(database, each.work)
                if each.on:
                    switch_on(database, each.site, [each.choice])
                else:
                    switch_off(database, each.site, each.choice.option)
        settled = [merge_aliases(database, policy_of(database)) for database in databases]
    for each in switches:
        drop_work(databases, each.work)
    return sum(count for count, _ in settled), sum(count for _, count in settled)


def merge_aliases(database: CrawlDatabase, policy: Policy, run: int | None = None) -> tuple[int, int]:
    """Apply the options of the policy to all known URLs, in the caller's transaction.

    Return how many URLs became aliases, and how many were released.
    """
    journal = Journal(database, run)
    released = _release(database, policy, journal)
    merged = _merge(database, policy, journal, run)
    note_applied(database)
    return merged, released


def _merge(database: CrawlDatabase, policy: Policy, journal: Journal, run: int | None) -> int:
    discovery = Discovery(database, policy, Journal(database, run))
    merged: Merged = {}
    known: dict[int, int | None] = {}  # by the id of an alias, the one that it is known by
    for site in policy.options.by_site:
        rows = pages_of(database, site, besides=_STAY_AS_THEY_ARE)
        for identity, url, depth, seed in rows:
            refusal = policy.options.refusal(CanonicalUrl(url))
            if refusal is None:
                continue
            name = policy.options.canonical(CanonicalUrl(url))
            found = discovery.discover([name], Provenance(FoundBy.SEED if seed else FoundBy.ALIAS, identity, depth))
            known[identity] = found.ids.get(name)
            _hand_over(database, journal, identity, known[identity], seed=bool(seed))
            merged.setdefault(refusal.reason.partition(";")[0], []).append((identity, url))
    for reason, aliases in merged.items():
        row = journal.write(None, Rule.ALIAS, reason, [url for _, url in aliases])
        Urls(database).suppress([identity for identity, _ in aliases], Rule.ALIAS, row, moved_to=known)
    return sum(map(len, merged.values()))


def _hand_over(database: CrawlDatabase, journal: Journal, alias: int, known: int | None, *, seed: bool) -> None:
    """Give an alias's links and its place in the root set to the canonical URL; remove its stored page."""
    take_out(database, journal, alias)
    if known is None:
        return  # the one name is refused itself: the journal has why
    if seed:
        Urls(database).join_root_set([known], forgive=False)
    hand_over_links(database, alias, known)
    if is_indexed(database, known):
        Feed(database).announce([known])


def _release(database: CrawlDatabase, policy: Policy, journal: Journal) -> int:
    """Queue the aliases of options that were switched off."""
    urls = Urls(database)
    released = []
    for identity, url, depth in suppressed_by(database, Rule.ALIAS):
        if policy.options.canonical(CanonicalUrl(url)) == url:
            refusal = policy.check(url, depth).refusal
            if refusal is None:
                released.append((identity, url))
            else:
                row = journal.write(identity, refusal.rule, refusal.reason)
                urls.suppress([identity], refusal.rule, row)
    urls.requeue([identity for identity, _ in released])
    if released:
        reason = "no option of its site makes it another name of a page any longer"
        journal.write(None, Rule.RELEASED, reason, [url for _, url in released])
    return len(released)
