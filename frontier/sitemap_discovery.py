"""How does a sitemap file enter the frontier? As a URL that is asked for before the pages of its site.

It may be on any host, since a robots.txt says where it is (RFC 9309, 2.2.4): the scope is about pages. Ports, the
blacklist and the length of a URL are judged as everywhere, private addresses at the moment of the connection, and the
file's own host has to allow it like any page. Endings, depth and patterns say nothing about a sitemap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.pages.copies import take_out
from crawldb.tables.journal import by_reason
from crawldb.tables.sitemaps import Sitemaps
from crawldb.tables.urls import SITEMAP_URGENCY, Kind, NewUrl, State, Urls
from crawldb.visited import known_state
from urls.canonical import UnusableUrl, canonicalize
from urls.records import CanonicalUrl, FoundBy, Refusal
from urls.rules import Rule
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.tables.runs import Run
    from crawldb.tables.sitemaps import SitemapRules
    from frontier.discovery import Discovery

MAX_SITEMAP_LINES = 10_000  # Sitemap lines of a robots.txt that are looked at: 500 KiB could hold 25,000
_STAYS_OUT = frozenset({Rule.BLOCKED, Rule.ROBOTS})  # suppressed for a reason that holds for a sitemap too


class SitemapDiscovery:
    """Brings sitemap files into the database, and takes those out of the queue that nobody names any longer."""

    def __init__(self, database: CrawlDatabase, discovery: Discovery, run: Run, rules: SitemapRules) -> None:
        self._database = database
        self._urls = Urls(database)
        self._discovery = discovery
        self._journal = discovery.journal
        self._round = run.round
        self.rules = rules
        self.files = Sitemaps(database)

    def name(self, origin: str, urls: Sequence[str]) -> bool:
        """Take over the Sitemap lines of an origin's robots.txt; return whether they name other files than before."""
        if not self._discovery.policy.scope.covers(site_of(canonicalize(f"{origin}/"))):
            return False  # it was asked for because somebody else's sitemap is there
        before = self.files.named_by(origin)
        accepted = self.accepted(urls[:MAX_SITEMAP_LINES])
        kept = accepted[: self.rules.files]
        self.over_budget(None, [*accepted[self.rules.files :], *urls[MAX_SITEMAP_LINES:]])
        if set(kept) == set(before):
            return False
        self.files.name(
            origin, [before[url] if url in before else self.enqueue(url, FoundBy.SITEMAP_LINE) for url in kept]
        )
        self._dismiss_unnamed()
        return True

    def list_children(self, index: int, urls: Iterable[str]) -> None:
        """Queue the files that an index lists, in the place of those that it listed before."""
        self.files.lead(index, [], by_index=True)
        accepted = self.accepted(urls, index)
        room = max(0, self.rules.files - self.files.count(self.files.speakers(index)))
        self.over_budget(index, accepted[room:])
        children = [self.enqueue(url, FoundBy.SITEMAP_INDEX, index) for url in accepted[:room]]
        self.files.lead(index, children, by_index=True)
        self._dismiss_unnamed()

    def over_budget(self, source: int | None, urls: Sequence[str]) -> None:
        """Journal the files that are more than a site may have."""
        if urls:
            reason = f"its site names more than {self.rules.files:,} sitemaps"
            self._journal.write(source, Rule.SITEMAP_BUDGET, reason, urls, count=len(urls))

    def accepted(self, urls: Iterable[str], source: int | None = None) -> list[CanonicalUrl]:
        """Return the files that may be asked for, canonical, each once; the others get a row of the journal a rule."""
        kept: dict[CanonicalUrl, None] = {}
        refused: dict[Rule, list[tuple[str, str]]] = {}
        for url in urls:
            try:
                canonical = canonicalize(url)
                refusal = self._refusal(canonical)
            except UnusableUrl as error:
                refusal = error.refusal
            if refusal is None:
                kept[canonical] = None
            else:
                refused.setdefault(refusal.rule, []).append((url, refusal.reason))
        for rule, rows in refused.items():
            for reason, same in by_reason(rule, rows).items():
                self._journal.write(source, rule, f"a sitemap: {reason}", [url for url, _ in same], count=len(same))
        return list(kept)

    def _refusal(self, url: CanonicalUrl) -> Refusal | None:
        policy = self._discovery.policy
        if len(url) > policy.limits.max_url_length:
            reason = f"it has {len(url)} characters; the limit is {policy.limits.max_url_length}"
            return Refusal(Rule.URL_LENGTH, reason)
        if not self._discovery.exchange.owns(site_of(url)):
            reason = "another part of the crawl has its host, and asks it for what it needs: this is part "
            reason += self._discovery.exchange.part
            return Refusal(Rule.OTHER_PART, reason)
        return policy.port_refusal(url, site_of(url)) or policy.blacklist.refusal(url)

    def enqueue(self, url: CanonicalUrl, by: FoundBy, source: int | None = None, hops: int = 0) -> int:
        """Queue a file that may be asked for, unless this round has seen it; return its id."""
        known = known_state(self._database.connection, url)
        if known is None:
            site = self._discovery.site(site_of(url))
            return self._urls.enqueue(
                NewUrl(url, site, by, source, hops=hops, kind=Kind.SITEMAP, urgency=SITEMAP_URGENCY)
            )
        if known.kind == Kind.PAGE:
            self._read_as_sitemap(known.url, known.state, known.rule)
        if known.state in {State.DONE, State.FAILED} and known.ended_in != self._round:
            self._urls.requeue([known.url])
        return known.url

    def _read_as_sitemap(self, url: int, state: int, rule: str) -> None:
        """Make a sitemap of what was taken for a page."""
        self._urls.turn_into(url, Kind.SITEMAP)
        take_out(self._database, self._journal, url)
        if state == State.SUPPRESSED and rule not in _STAYS_OUT:
            self._urls.requeue([url])
        self._journal.write(url, Rule.SITEMAP, "it is named as a sitemap: it is read as one, and is no page")

    def _dismiss_unnamed(self) -> None:
        """Let go of queued files for which nobody speaks any longer; each keeps its row, and why."""
        for url in self._urls.unnamed_sitemaps():
            row = self._journal.write(url, Rule.SITEMAP_UNNAMED, "no robots.txt names it as a sitemap any longer")
            self._urls.end(url, State.DONE, Rule.SITEMAP_UNNAMED, self._round, because=row)
