"""How does a URL enter the frontier? Checked once, under one name, in one state, with where it was found.

Everything that finds URLs ends here: the links of a page, the target of a redirect, the seeds of a person. The caller
holds the transaction, so a page and its links are stored together or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crawldb.databases import exchange_of
from crawldb.exchange import ForeignUrl
from crawldb.tables.journal import GrowingRows, by_reason
from crawldb.tables.links import address_of
from crawldb.tables.sites import enter_site
from crawldb.tables.urls import Kind, NewUrl, State, Urls
from crawldb.visited import STORED_URL, Spellings, known_state, stored_name
from frontier.budgets import Budgets, depth_of_written, was_written
from urls.canonical import Breadth, domain_of, has_credentials, site_of
from urls.policy import OF_SITES, Ruling
from urls.records import CanonicalUrl, FoundBy, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crawldb.database import CrawlDatabase
    from crawldb.exchange import Exchange
    from crawldb.tables.journal import Journal
    from urls.policy import Policy, PolicyDecision


# In place of a URL's id: an off-site spelling; for one handed over, this value less the number of its partition.
_OFF_SITE, _HANDED_OVER = -1, -2


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where URLs were found: on the URL with id `source`, `depth` links from a seed, after `hops` redirects.

    `texts` has the anchor text of each link, by the URL as the page has it.
    """

    by: FoundBy
    source: int | None = None
    depth: int = 0
    hops: int = 0
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Discovered:
    """The URLs of one page: the ids of those in scope, and the number of those off site."""

    ids: dict[str, int] = field(default_factory=dict)
    off_site: int = 0
    handed_over: dict[str, int] = field(default_factory=dict)  # to the partitions that have their hosts
    new: int = 0
    asks: bool = False  # whether the page caused a request to its site that goes before all others
    refused: dict[Rule, list[tuple[str, str, int | None]]] = field(default_factory=dict)  # rule: (url, reason, new id)

    def refuse(self, refusal: Refusal, url: str, identity: int | None) -> None:
        """Note a refusal; `identity` is the id of the row that it suppressed, None where the URL has no row."""
        self.refused.setdefault(refusal.rule, []).append((url, refusal.reason, identity))


class Discovery:
    """Brings URLs into the database under the policy, the blacklist and the budgets."""

    def __init__(self, database: CrawlDatabase, policy: Policy, journal: Journal) -> None:
        self._database = database
        self._urls = Urls(database)
        self.exchange: Exchange = exchange_of(database)
        self.policy = policy
        self.journal = journal
        self.budgets = Budgets(database, policy.limits)
        self._known = Spellings()
        self._sites: dict[str, int] = {}

    def use_policy(self, policy: Policy) -> None:
        """Check all URLs by another policy from now on."""
        self.policy = policy
        self._known.clear()

    def rolled_back(self) -> None:
        """Forget what a transaction that was rolled back had put into memory."""
        self._known.clear()
        self._sites.clear()

    def discover(
        self, urls: Iterable[str], via: Provenance, found: Discovered | None = None, rows: GrowingRows | None = None
    ) -> Discovered:
        """Check absolute URLs and store those in scope: queued, or suppressed with a journal row.

        For URLs that come in slices, pass what was `found` in earlier slices, and the `rows` of the journal for it.
        """
        found = found or Discovered()
        found.refused.clear()
        unseen = [url for url in urls if url not in found.ids and url not in found.handed_over]
        for url in unseen:
            self._one(url, via, found)
        carriers = [url for url in dict.fromkeys(unseen) if has_credentials(url)]
        if carriers or found.refused:
            self._explain(found, carriers, rows or GrowingRows(self.journal, via.source))
        return found

    def _explain(self, found: Discovered, carriers: list[str], rows: GrowingRows) -> None:
        """Journal which URLs were refused, and which had credentials, in one row for each rule and reason."""
        if carriers:
            reason = "the URL had a user name or password, which Breadcrumb dropped"
            rows.write(Rule.CREDENTIALS, reason, carriers)
        for rule, refused in found.refused.items():
            for reason, same in by_reason(rule, refused).items():
                row = rows.write(rule, reason, [url for url, _, _ in same])
                self._urls.explain([identity for _, _, identity in same if identity is not None], row)

    def _one(self, url: str, via: Provenance, found: Discovered) -> None:
        known = self._known.get(url)
        if known is None:
            known = self._check(url, via, found)
            if known is None:
                return
            self._known.put(url, known)
        if known == _OFF_SITE:
            found.off_site += 1
        elif known < _HANDED_OVER:
            found.handed_over[url] = _HANDED_OVER - known
        else:
            found.ids[url] = known

    def _check(self, url: str, via: Provenance, found: Discovered) -> int | None:
        """Return the id of `url`, or that it is off site or handed over; None: it has to be checked again each time."""
        place = self.policy.place(url)
        if place.ruling is Ruling.OFF_SITE:
            return _OFF_SITE
        if place.ruling is Ruling.UNUSABLE or place.url is None:
            found.refuse(place.refusal or Refusal(Rule.SCHEME, "it is not an address"), url, None)
            return None
        if self.exchange.divides and not self.exchange.owns(site_of(place.url)):
            return self._hand_over(place.url, via.texts.get(url, ""), via, found)
        refusal, via = self._refusal(place, via)
        stored = stored_name(place.url)
        known = known_state(self._database.connection, stored)
        if known is None:
            return self._insert(CanonicalUrl(stored), refusal, via, found)
        if known.kind == Kind.SITEMAP and known.rule == Rule.NO_SITEMAP and known.state == State.DONE:
            self.make_page(known.url)
        if refusal is None and known.state == State.SUPPRESSED and known.rule in {Rule.DEPTH, *OF_SITES}:
            self._urls.requeue([known.url], depth=via.depth)
        elif refusal is not None and known.rule == Rule.DEPTH:
            return None  # a shorter way may still be found
        return known.url

    def _refusal(self, place: PolicyDecision, via: Provenance) -> tuple[Refusal | None, Provenance]:
        """Check the form of a URL, and return its depth: a pattern whose pages were written may go beyond the limit."""
        refusal = self.policy.check_form(place, via.depth).refusal
        if place.url is None or refusal is None or refusal.rule is not Rule.DEPTH:
            return refusal, via
        found_on = address_of(self._database, via.source)
        way = [place.url] if found_on is None else [place.url, found_on]
        written = [was_written(self.budgets.patterns, self.site(site_of(one)), one) for one in way]
        if not any(written):
            return refusal, via
        via = replace(via, depth=depth_of_written(self.policy.limits.max_depth) + written.index(True))
        return self.policy.check_form(place, via.depth).refusal, via

    def _hand_over(self, url: CanonicalUrl, text: str, via: Provenance, found: Discovered) -> int | None:
        if len(url) > STORED_URL:
            found.refuse(
                Refusal(Rule.URL_LENGTH, f"it has {len(url)} characters: too many to be handed over"), url, None
            )
            return None
        owner, on = self.exchange.owner(site_of(url)), address_of(self._database, via.source) or ""
        self.exchange.hand_over(ForeignUrl(url, owner, via.depth, via.by, on, text))
        return _HANDED_OVER - owner

    def _insert(self, url: CanonicalUrl, refusal: Refusal | None, via: Provenance, found: Discovered) -> int | None:
        site = self.site(site_of(url))
        # A budget spares requests, and what an archive holds needs none.
        asked = via.by.is_root_set or via.by is FoundBy.ARCHIVE or self.policy.released.covers(url)
        over = None if refusal else self.budgets.charge(site, url, via.depth, asked=asked)
        refusal = over.refusal if over else refusal
        new = NewUrl(url, site, via.by, via.source, via.depth, via.hops)
        identity = self._urls.refuse(new, refusal.rule) if refusal else self._urls.enqueue(new)
        found.new += 1
        if over:
            self.budgets.let_wait(over, identity)
        if refusal:
            found.refuse(refusal, url, identity)
            return None if refusal.rule == Rule.DEPTH else identity
        return identity

    def make_page(self, url: int) -> None:
        """Queue as a page a URL that was named as a sitemap and is none, since something else links to it."""
        reason = "a robots.txt names it as a sitemap, and it is none: it is read as a page, by its links"
        self.journal.write(url, Rule.NO_SITEMAP, reason)
        self._urls.turn_into(url, Kind.PAGE)
        self._urls.requeue([url])

    def site(self, name: str) -> int:
        """Return the id of a site, by its name."""
        identity = self._sites.get(name)
        if identity is None:
            # Budgets are for a whole domain where the whole domain is in scope, or its host names would have no end.
            domain = domain_of(name) if self.policy.scope.breadth is Breadth.DOMAIN else None
            identity = self._sites[name] = enter_site(self._database, name, domain)
        return identity
