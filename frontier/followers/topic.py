"""In which order does a crawl with a topic ask? By what each URL promises, as far as the crawl knows so far.

`urls/promise.py` has the formula, `spiders/topic` finds the terms. Here is when it is asked:

- a **page** that is stored is looked at: what it says of each term is kept. It counts for its folder, and each of its
  links is kept for the URL that it leads to, if it promises more than the one that was known;
- a **queued URL** is judged when its site has its turn and something about it has changed: a better link was found, or
  its folder has brought more or less than when it was judged last (by STEP);
- the **terms are weighed anew** whenever the pages have doubled, and then everything is judged by the new weights: the
  pages, too, from what was kept of them. So all of it together costs n · log n. Of a long queue JUDGED_AT_ONCE URLs are
  judged at each turn of their site, and the others wait with what they promised before.

What a URL promises is kept with it, so that a crawl which was stopped goes on in the same order.

Sites still take turns, and the order is one within a site. What needs no promise has none: a seed is handed on as much
as a relevant page hands on, since a person named it; what a redirect leads to has the links of what redirects.

Another topic for the same folder of data is no new crawl: what is stored is read by it, and all is judged anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from crawldb.exchange import words_from_elsewhere
from crawldb.pages.pages import Pages, as_kept
from crawldb.tables.links import links_with_words
from crawldb.tables.paths import page_before
from crawldb.tables.priorities import (
    LinkEvidence,
    PromisedUrl,
    Promises,
    QueuedUrl,
    TopicPage,
    judge_all_again,
    judge_worth_again,
    put_worth,
    queued_after,
    unjudged,
)
from crawldb.visited import known_state
from urls.promise import (
    ANCHOR,
    AROUND,
    FIRST_WEIGHING,
    PARENT,
    RELEVANT,
    STEP,
    Weighing,
    folder_yield,
    handed_on,
    promise,
)
from urls.records import FoundBy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase
    from frontier.followers.order import WrittenPage
    from urls.promise import Topic
    from urls.records import Page

JUDGED_AT_ONCE = 1_000  # queued URLs that are judged again at a turn, and of a folder: some 50 ms
READ_AT_ONCE = 50  # stored pages that are read for another topic, in one transaction
_ALL = -1  # in the place of an id: there are no others
_HANDS_ON_ITS_LINKS = frozenset({FoundBy.REDIRECT, FoundBy.REFRESH, FoundBy.CANONICAL, FoundBy.ALIAS})


class FindsTerms(Protocol):
    """Finds the terms of a topic (spiders/topic/reader.py); a set of them is a number, bit n for term n."""

    topic: Topic

    def terms_in(self, text: str) -> int:
        """Return the terms of a short text."""

    def terms_of_address(self, url: str) -> int:
        """Return the terms in a URL."""

    def frequencies(self, page: Page) -> bytes:
        """Return what a page says of each term, a byte a term."""

    def links(self, page: Page, words: Iterable[str]) -> list[tuple[int, int]]:
        """Return the terms in the words of each link of a page, and around them."""


class TopicOrder:
    """Keeps the queue in the order of one topic."""

    def __init__(self, database: CrawlDatabase, reader: FindsTerms) -> None:
        self._database = database
        self._promises = Promises(database)
        self._reader = reader
        self._weighing = Weighing((), 1.0, 1.0)
        self._weighed_after = -1  # pages, when URLs were judged last
        self._judged_up_to: dict[int, int] = {}  # by site: the URLs up to this id are judged by these weights

    def take_over(self) -> None:
        """Bring what is stored under this topic: all of it where it is a new one, else what has come without it."""
        topic = self._reader.topic
        with self._database.transaction():
            if not self._promises.holds(topic):
                self._promises.begin(topic, Weighing.of(topic, 0, [0] * len(topic.terms)))
                judge_all_again(self._database)
        waiting = self._promises.unread()
        for begin in range(0, len(waiting), READ_AT_ONCE):
            with self._database.transaction():
                for url in waiting[begin : begin + READ_AT_ONCE]:
                    self._read_stored(url)

    def _read_stored(self, url: str) -> None:
        place = known_state(self._database.connection, url)
        page = Pages(self._database).get(url)
        if place is not None and page is not None:
            self._note_page(place.url, place.site, page, links_with_words(self._database, place.url))

    def page_stored(self, stored: WrittenPage) -> None:
        """Look at a page that is stored, and at its links that are followed."""
        self._note_page(stored.url, stored.site, stored.page, stored.links)

    def _note_page(self, url: int, site: int, page: Page, links: Iterable[tuple[int, str]]) -> None:
        """Look at a page that is stored, and at its `links`: where they lead, each with its words."""
        weighed_after = self._read_weighing()
        hands_on = self._look_at(url, site, page)
        self._note_links(url, as_kept(page), hands_on, list(links))
        pages = self._promises.looked_at()
        if pages >= max(FIRST_WEIGHING, 2 * weighed_after):
            self._weigh(pages)

    def look_again(self, url: int, site: int, page: Page) -> None:
        """Look at a page that was judged again: its main text may be another one."""
        self._read_weighing()
        self._look_at(url, site, page)

    def _look_at(self, url: int, site: int, page: Page) -> float:
        """Keep what a page has of the topic, in place of what it had; return what it hands on."""
        kept = as_kept(page)  # of one that is not to be kept, neither is what it says
        said = self._reader.frequencies(kept)
        evidence = self._promises.evidence(url) or LinkEvidence(page_before(self._database, url))
        relevance = self._weighing.relevance(said)
        hands_on = handed_on(relevance, self._promises.handed_by(evidence.via) or 0.0)
        folder = self._promises.folder(site, _folder_of(page.url)).id
        counts = not page.refusals
        self._promises.put_page(
            TopicPage(url, folder, said, counts, relevance, counts and relevance >= RELEVANT, hands_on)
        )
        self._judge_folder_again(site, _folder_of(page.url))
        return hands_on

    def _note_links(self, url: int, page: Page, hands_on: float, links: list[tuple[int, str]]) -> None:
        """Keep each link of a page for the URL to which it leads, if it promises more than the one that was known."""
        waiting = self._promises.queued_among({target for target, _ in links})
        links = sorted(link for link in links if link[0] in waiting and link[0] != url)
        told = self._reader.links(page, [words for _, words in links])
        best: dict[int, tuple[float, LinkEvidence]] = {}
        for (target, _), terms in zip(links, told, strict=True):
            one = LinkEvidence(url, *terms)
            promised = self._of_link(one, hands_on)
            if target not in best or promised > best[target][0]:
                best[target] = promised, one
        better = []
        for target, (promised, one) in best.items():
            known = self._promises.evidence(target)
            if known is None or promised > self._of_link(known, self._promises.handed_by(known.via) or 0.0):
                self._promises.put_evidence(target, one)
                better.append(target)
        judge_worth_again(self._database, better)

    def _of_link(self, link: LinkEvidence, hands_on: float) -> float:
        match = self._weighing.match
        return ANCHOR * match(link.anchor) + AROUND * match(link.around) + PARENT * hands_on

    def _judge_folder_again(self, site: int, path: str) -> None:
        folder = self._promises.folder(site, path)
        now = folder_yield(folder.relevant, folder.fetched, folder.site_relevant, folder.site_fetched)
        if abs(now - folder.judged) >= STEP:
            self._promises.judged(folder.id, now)
            judge_worth_again(self._database, self._promises.queued_in(folder.id, JUDGED_AT_ONCE))

    def judge(self, site: int) -> None:
        """Give the queued URLs of a site that have none their promise, in a transaction of its own."""
        weighed_after = self._read_weighing()
        if weighed_after != self._weighed_after:
            self._weighed_after = weighed_after
            self._judged_up_to.clear()
        waiting = self._next_to_judge(site)
        if not waiting:
            return
        with self._database.transaction():
            folders: dict[str, tuple[int, float]] = {}
            rows = []
            for url, address, found_by, found_on in waiting:
                path = _folder_of(address)
                if path not in folders:
                    folders[path] = self._judged_folder(site, path)
                folder, of_folder = folders[path]
                evidence = self._evidence(url, FoundBy(found_by), found_on)
                hands_on = self._promises.handed_by(evidence.via) or 0.0
                parent = 1.0 if FoundBy(found_by).is_root_set else hands_on
                match = self._weighing.match
                name = self._reader.terms_of_address(address)
                parts = promise(match(evidence.anchor), match(evidence.around), match(name), parent, of_folder)
                rows.append(PromisedUrl(url, evidence, name, folder, parts))
            self._promises.put(rows)
            put_worth(self._database, [(row.url, row.parts.total) for row in rows])

    def _next_to_judge(self, site: int) -> list[QueuedUrl]:
        """Return the URLs of a site that have no promise, and the next of those that were judged by other weights."""
        waiting = {row[0]: row for row in unjudged(self._database, site)}
        begin = self._judged_up_to.get(site, 0)
        if begin != _ALL:
            older = queued_after(self._database, site, begin, JUDGED_AT_ONCE)
            self._judged_up_to[site] = older[-1][0] if len(older) == JUDGED_AT_ONCE else _ALL
            waiting |= {row[0]: row for row in older}
        return list(waiting.values())

    def _judged_folder(self, site: int, path: str) -> tuple[int, float]:
        folder = self._promises.folder(site, path)
        if folder.judged >= 0:  # all of a folder are judged by the same yield, however late they are found
            return folder.id, folder.judged
        now = folder_yield(folder.relevant, folder.fetched, folder.site_relevant, folder.site_fetched)
        self._promises.judged(folder.id, now)
        return folder.id, now

    def _evidence(self, url: int, found_by: FoundBy, found_on: int | None) -> LinkEvidence:
        known = self._promises.evidence(url)
        if known is None and found_by in _HANDS_ON_ITS_LINKS and found_on is not None:
            known = self._promises.evidence(found_on)
        if known is None and found_on is None:  # of the pages of other parts, the words of a link have come along
            return LinkEvidence(None, self._reader.terms_in(words_from_elsewhere(self._database, url)))
        return known or LinkEvidence(found_on)

    def _weigh(self, pages: int) -> None:
        """Weigh the terms by all pages so far, and judge everything by the new weights."""
        terms = range(len(self._reader.topic.terms))
        looked_at = [page for page, _ in self._promises.pages()]
        having = [sum(page.said[term] > 0 for page in looked_at) for term in terms]
        self._weighing = Weighing.of(self._reader.topic, pages, having)
        self._promises.weigh(self._weighing, pages)
        for page, via in self._promises.pages():
            relevance = self._weighing.relevance(page.said)
            hands_on = handed_on(relevance, self._promises.handed_by(via) or 0.0)
            relevant = bool(page.counts) and relevance >= RELEVANT
            self._promises.put_page(page._replace(relevance=relevance, relevant=relevant, hands_on=hands_on))
        self._promises.judge_folders_again()

    def _read_weighing(self) -> int:
        """Take up how much each term tells, as it is stored; return after how many pages that was found."""
        self._weighing, pages = self._promises.weighing()
        return pages


def _folder_of(url: str) -> str:
    """Return the folder of a URL: its path up to the last /, without query."""
    path = url.partition("//")[2].partition("?")[0]
    return path[path.find("/") : path.rfind("/") + 1] if "/" in path else "/"
