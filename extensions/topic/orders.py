"""In which order does a crawl for a topic, or for rare pages, fetch the URLs of a site? The highest priority is next.

Rare pages: the URL to which the fewest known pages link. A topic: `priority.py` has the formula, and `terms.py` finds
the terms. This file applies the formula.

When a page is stored, its folder counts it. Its term frequencies are kept. Each of its links is kept for the URL that
it links to, if it is better than the best link so far.

A queued URL gets a new priority when its site has its turn and something about it has changed. That is a better link,
or a change of its folder's yield by STEP.

The terms are weighed again whenever the number of pages has doubled. Then all URLs get new priorities, so the total
cost is n · log n. Each turn of a site renews PRIORITIES_AT_ONCE URLs of a long queue. The others keep their old ones
until then.

The database stores priorities, so a stopped crawl continues in the same order. A seed inherits as much as from a
relevant page, since a person named it. The target of a redirect has the links of the URL that redirects. Another topic
for the same data folder is no new crawl: all priorities are computed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.pages.pages import Pages, as_kept
from crawldb.tables.links import page_before
from crawldb.tables.priorities import (
    BY_PRIORITY,
    INLINKS,
    clear_all_priorities,
    clear_priorities,
    create_priority_index,
    set_priorities,
)
from crawldb.visited import known_state
from extensions.topic.priority import (
    ANCHOR,
    AROUND,
    FIRST_WEIGHING,
    PARENT,
    RELEVANT,
    STEP,
    TermWeights,
    folder_yield,
    handed_on,
    priority_parts,
)
from extensions.topic.tables import (
    LinkTerms,
    QueuedUrl,
    TopicPage,
    TopicTables,
    UrlPriority,
    links_with_words,
    note_turn,
    queued_after,
    queued_without_priority,
    words_from_elsewhere,
)
from frontier.followers.order import CrawlFollower
from frontier.url_orders import PriorityFirst, UrlOrder
from urls.records import FoundBy
from urls.schedule import LEAST_APART, UNSET

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase
    from extensions.topic.terms import TermFinder
    from frontier.followers.order import WrittenPage
    from frontier.store import LeasedUrl
    from urls.records import Page

PRIORITIES_AT_ONCE = 1_000  # queued URLs that get a new priority at a turn, and of a folder: some 50 ms
READ_AT_ONCE = 50  # stored pages that are read for another topic, in one transaction
_ALL = -1  # in place of an id: all URLs of the site have been renewed
_HANDS_ON_ITS_LINKS = frozenset({FoundBy.REDIRECT, FoundBy.REFRESH, FoundBy.CANONICAL, FoundBy.ALIAS})


class RareFirst(PriorityFirst):
    """The URL to which the fewest pages are known to link: PRIORITY=rare."""

    priority = f"rarity_of({INLINKS})"
    reads_ahead = False

    def begin(self) -> None:
        """Add the function of SQL, too."""
        self.database.connection.create_function("rarity_of", 1, rarity, deterministic=True)
        super().begin()

    def leased(self, url: int, others: str) -> None:
        """Note the turn of a URL."""
        note_turn(self.database, url, others, by_topic=False)


def rarity(inlinks: int) -> float:
    """Return the priority of a URL by the number of pages known to link to it: 1/2 for one."""
    return min(1 / (1 + inlinks), UNSET - LEAST_APART)


class TopicPages(CrawlFollower):
    """Follows each stored page, and the links of it that are followed."""

    def __init__(self, database: CrawlDatabase, finder: TermFinder) -> None:
        self._database = database
        self._finder = finder
        self._tables = TopicTables(database)
        self._weights = TermWeights((), 1.0, 1.0)

    def page_stored(self, stored: WrittenPage) -> None:
        """Keep the term frequencies of a page, and the best links to queued URLs."""
        self.take_in(stored.url, stored.site, stored.page, stored.links)

    def page_read_again(self, leased: LeasedUrl, page: Page) -> None:
        """Keep the new term frequencies of a page: its main text may have changed."""
        self._weights, _ = self._tables.weights()
        self._put_page(leased.id, leased.site, page)

    def take_in(self, url: int, site: int, page: Page, links: Iterable[tuple[int, str]]) -> None:
        """Keep the term frequencies of a page, and its `links`: the ids of their targets, with their words."""
        self._weights, weighed_after = self._tables.weights()
        hands_on = self._put_page(url, site, page)
        self._put_links(url, as_kept(page), hands_on, list(links))
        pages = self._tables.page_count()
        if pages >= max(FIRST_WEIGHING, 2 * weighed_after):
            self._weigh_terms(pages)

    def _put_page(self, url: int, site: int, page: Page) -> float:
        """Replace the term frequencies of a page; return what it hands on."""
        kept = as_kept(page)  # a page that must not be kept leaves no words either
        frequencies = self._finder.frequencies(kept)
        link = self._tables.best_link(url) or LinkTerms(page_before(self._database, url))
        relevance = self._weights.relevance(frequencies)
        hands_on = handed_on(relevance, self._tables.inherited_from(link.via))
        path = _folder_of(page.url)
        folder = self._tables.folder(site, path).id
        counts = not page.refusals
        relevant = counts and relevance >= RELEVANT
        self._tables.put_page(TopicPage(url, folder, frequencies, counts, relevance, relevant, hands_on))
        self._renew_folder(site, path)
        return hands_on

    def _renew_folder(self, site: int, path: str) -> None:
        """Clear the priorities of a folder whose yield has changed."""
        folder = self._tables.folder(site, path)
        now = folder_yield(folder.relevant, folder.fetched, folder.site_relevant, folder.site_fetched)
        if abs(now - folder.judged) >= STEP:
            self._tables.put_folder_yield(folder.id, now)
            clear_priorities(self._database, self._tables.queued_in(folder.id, PRIORITIES_AT_ONCE))

    def _put_links(self, url: int, page: Page, hands_on: float, links: list[tuple[int, str]]) -> None:
        """Keep each link of a page that is better than the best one to its URL so far."""
        waiting = self._tables.queued_among({target for target, _ in links})
        links = sorted(link for link in links if link[0] in waiting and link[0] != url)
        terms_of_links = self._finder.links(page, [words for _, words in links])
        best: dict[int, tuple[float, LinkTerms]] = {}
        for (target, _), terms in zip(links, terms_of_links, strict=True):
            link = LinkTerms(url, *terms)
            value = self._link_value(link, hands_on)
            if target not in best or value > best[target][0]:
                best[target] = value, link
        better = []
        for target, (value, link) in best.items():
            known = self._tables.best_link(target)
            if known is None or value > self._link_value(known, self._tables.inherited_from(known.via)):
                self._tables.put_best_link(target, link)
                better.append(target)
        clear_priorities(self._database, better)

    def _link_value(self, link: LinkTerms, hands_on: float) -> float:
        match = self._weights.match
        return ANCHOR * match(link.anchor) + AROUND * match(link.around) + PARENT * hands_on

    def _weigh_terms(self, pages: int) -> None:
        """Weigh the terms by all pages so far, and apply the new weights to all pages."""
        terms = range(len(self._finder.topic.terms))
        looked_at = [page for page, _ in self._tables.pages()]
        having = [sum(page.said[term] > 0 for page in looked_at) for term in terms]
        self._weights = TermWeights.of(self._finder.topic, pages, having)
        self._tables.put_weights(self._weights, pages)
        for page, via in self._tables.pages():
            relevance = self._weights.relevance(page.said)
            hands_on = handed_on(relevance, self._tables.inherited_from(via))
            relevant = bool(page.counts) and relevance >= RELEVANT
            self._tables.put_page(page._replace(relevance=relevance, relevant=relevant, hands_on=hands_on))
        self._tables.clear_folder_yields()


class TopicFirst(UrlOrder):
    """The URL that is most likely to be on topic: PRIORITY=topic."""

    order_by = BY_PRIORITY
    reads_ahead = False

    def __init__(self, database: CrawlDatabase, finder: TermFinder) -> None:
        super().__init__(database)
        self._finder = finder
        self._tables = TopicTables(database)
        self._weights = TermWeights((), 1.0, 1.0)
        self._weighed_after = -1  # pages, when priorities were computed last
        self._renewed_up_to: dict[int, int] = {}  # by site: the URLs up to this id have priorities by these weights

    def begin(self) -> None:
        """Apply this topic to the stored pages: to all of them if it is new, else to those that it lacks."""
        create_priority_index(self.database)
        topic = self._finder.topic
        with self.database.transaction():
            if not self._tables.holds(topic):
                self._tables.begin(topic, TermWeights.of(topic, 0, [0] * len(topic.terms)))
                clear_all_priorities(self.database)
        pages, waiting = TopicPages(self.database, self._finder), self._tables.unread()
        for begin in range(0, len(waiting), READ_AT_ONCE):
            with self.database.transaction():
                for url in waiting[begin : begin + READ_AT_ONCE]:
                    place = known_state(self.database.connection, url)
                    page = Pages(self.database).get(url)
                    if place is not None and page is not None:
                        pages.take_in(place.url, place.site, page, links_with_words(self.database, place.url))

    def leased(self, url: int, others: str) -> None:
        """Note the turn of a URL."""
        note_turn(self.database, url, others, by_topic=True)

    def prepare_site(self, site: int) -> None:
        """Give queued URLs of a site their priorities, in a transaction of its own."""
        self._weights, weighed_after = self._tables.weights()
        if weighed_after != self._weighed_after:
            self._weighed_after = weighed_after
            self._renewed_up_to.clear()
        waiting = self._next_of(site)
        if not waiting:
            return
        with self.database.transaction():
            folders: dict[str, tuple[int, float]] = {}
            rows = []
            for url, address, found_by, found_on in waiting:
                path = _folder_of(address)
                if path not in folders:
                    folders[path] = self._folder(site, path)
                folder, yields = folders[path]
                link = self._link(url, FoundBy(found_by), found_on)
                hands_on = self._tables.inherited_from(link.via)
                parent = 1.0 if FoundBy(found_by).is_root_set else hands_on
                match = self._weights.match
                name = self._finder.terms_of_url(address)
                parts = priority_parts(match(link.anchor), match(link.around), match(name), parent, yields)
                rows.append(UrlPriority(url, link, name, folder, parts))
            self._tables.put_priorities(rows)
            set_priorities(self.database, [(row.url, row.parts.total) for row in rows])

    def _next_of(self, site: int) -> list[QueuedUrl]:
        """Return the URLs of a site without a priority, and the next ones whose priority has older weights."""
        waiting = {row[0]: row for row in queued_without_priority(self.database, site)}
        begin = self._renewed_up_to.get(site, 0)
        if begin != _ALL:
            older = queued_after(self.database, site, begin, PRIORITIES_AT_ONCE)
            self._renewed_up_to[site] = older[-1][0] if len(older) == PRIORITIES_AT_ONCE else _ALL
            waiting |= {row[0]: row for row in older}
        return list(waiting.values())

    def _folder(self, site: int, path: str) -> tuple[int, float]:
        """Return the id of a folder and its yield. All of its URLs get the same yield, however late they are found."""
        folder = self._tables.folder(site, path)
        if folder.judged >= 0:
            return folder.id, folder.judged
        now = folder_yield(folder.relevant, folder.fetched, folder.site_relevant, folder.site_fetched)
        self._tables.put_folder_yield(folder.id, now)
        return folder.id, now

    def _link(self, url: int, found_by: FoundBy, found_on: int | None) -> LinkTerms:
        """Return the best link to a URL."""
        known = self._tables.best_link(url)
        if known is None and found_by in _HANDS_ON_ITS_LINKS and found_on is not None:
            known = self._tables.best_link(found_on)
        if known is None and found_on is None:  # a link from a page of another part brings only its words
            return LinkTerms(None, self._finder.terms_in(words_from_elsewhere(self.database, url)))
        return known or LinkTerms(found_on)


def _folder_of(url: str) -> str:
    """Return the folder of a URL: its path up to the last /, without query."""
    path = url.partition("//")[2].partition("?")[0]
    return path[path.find("/") : path.rfind("/") + 1] if "/" in path else "/"
