"""How are the URLs and links stored that another partition of the crawl hands over? Like those that are found here.

A URL enters the frontier, with the page that links to it. The links of a foreign page replace its earlier ones in the
graph of links. So their targets gain its anchor texts, and lose them with the link.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.exchange import note_source
from crawldb.pages.copies import those_with_link_words
from crawldb.pages.feed import Feed
from crawldb.tables.links import foreign_page, is_foreign_page
from crawldb.tables.urls import Urls
from frontier.discovery import Discovered, Provenance
from urls.canonical import site_of
from urls.records import FoundBy
from urls.rules import Rule

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.exchange import Delivery, ForeignLinks
    from crawldb.tables.links import LinkGraph
    from frontier.discovery import Discovery


class DeliveryWriter:
    """Stores the deliveries of other partitions."""

    def __init__(self, database: CrawlDatabase, discovery: Discovery, graph: LinkGraph) -> None:
        self._database = database
        self._discovery = discovery
        self._graph = graph
        self._feed = Feed(database)
        self._urls = Urls(database)

    def store(self, delivery: Delivery) -> Discovered:
        """Store a delivery and acknowledge it, within the caller's transaction."""
        discovery, scope = self._discovery, self._discovery.policy.scope
        sites = {site_of(foreign.url) for foreign in delivery.urls if foreign.by.is_root_set}
        if not sites <= scope.sites:  # a person gave the URL to another partition
            discovery.use_policy(replace(discovery.policy, scope=replace(scope, sites=scope.sites | sites)))
        whole = Discovered()
        for foreign in delivery.urls:
            found = discovery.discover([foreign.url], Provenance(foreign.by, None, foreign.depth))
            whole.new += found.new
            if found.new:
                note_source(self._database, foreign)
            whole.off_site += found.off_site
            if foreign.by.is_root_set:
                self._urls.join_root_set(found.ids.values(), forgive=False)
            if found.off_site:
                why = "and it is not on a seed's site as this part knows them"
                reason = f"part {delivery.sender} handed it over, {why}"
                discovery.journal.write(None, Rule.OFF_SITE, reason, [foreign.url])
        for page in delivery.links:
            whole.new += self._store_links(page)
        discovery.exchange.acknowledge(delivery)
        return whole

    def _store_links(self, page: ForeignLinks) -> int:
        """Replace the links of a page of another partition; return how many URLs had no link before."""
        if not page.links and not is_foreign_page(self._database, page.page):
            return 0
        found = self._discovery.discover([url for url, _ in page.links], Provenance(FoundBy.LINK, None, page.depth))
        links = {(found.ids[url], words) for url, words in page.links if url in found.ids}
        reworded = self._graph.replace(foreign_page(self._database, page.page), links)
        self._feed.announce(those_with_link_words(self._database, reworded))
        return found.new
