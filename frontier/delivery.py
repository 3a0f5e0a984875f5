"""What becomes of what another part of a divided crawl hands over? It is judged here like what is found here.

A URL enters the frontier, with the page that led to it. The links of a page over there enter the graph of links, in the
place of those that it had before; so the pages that they lead to gain its words, and lose them with the link.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.pages.copies import those_with_link_words
from crawldb.parts.exchange import note_source
from crawldb.tables.links import foreign_page
from frontier.discovery import Discovered, Provenance
from urls.records import FoundBy
from urls.rules import Rule
from urls.site import site_of

if TYPE_CHECKING:
    from crawldb.parts.exchange import Delivery, ForeignLinks
    from frontier.outcomes.lease import Ledger
    from urls.policy import Policy


def store_delivery(ledger: Ledger, policy: Policy, delivery: Delivery) -> Discovered:
    """Store a delivery and acknowledge it."""
    sites = {site_of(foreign.url) for foreign in delivery.urls if foreign.by.is_root_set}
    if not sites <= policy.scope.sites:  # a person gave the address to another part
        ledger.discovery.obey(replace(policy, scope=replace(policy.scope, sites=policy.scope.sites | sites)))
    whole = Discovered()
    for foreign in delivery.urls:
        found = ledger.discovery.discover([foreign.url], Provenance(foreign.by, None, foreign.depth))
        whole.new += found.new
        if found.new:
            note_source(ledger.database, foreign)
        whole.off_site += found.off_site
        if foreign.by.is_root_set:
            ledger.urls.join_root_set(found.ids.values(), forgive=False)
        if found.off_site:
            reason = f"part {delivery.sender} handed it over, and it is not on a seed's site as this part knows them"
            ledger.journal.write(None, Rule.OFF_SITE, reason, [foreign.url])
    for page in delivery.links:
        whole.new += _store_links(ledger, page)
    ledger.discovery.exchange.acknowledge(delivery)
    return whole


def _store_links(ledger: Ledger, page: ForeignLinks) -> int:
    """Make these the links of a page of another part; return how many URLs nothing had led to before."""
    if not page.links and ledger.database.value("SELECT 1 FROM foreign_page WHERE url = ?", page.page) is None:
        return 0
    found = ledger.discovery.discover([url for url, _ in page.links], Provenance(FoundBy.LINK, None, page.depth))
    links = {(found.ids[url], words) for url, words in page.links if url in found.ids}
    reworded = ledger.links.replace(foreign_page(ledger.database, page.page), links)
    ledger.feed.announce(those_with_link_words(ledger.database, reworded))
    return found.new
