"""Which rows does a crawl with a topic store? Tables `topic` to `promise`: terms, pages, priorities and turns.

`PRIORITY=rare` writes turns alone; a crawl in any other order writes nothing. Everything but `note_order` happens
within the caller's transaction.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from crawldb.tables.priorities import BY_PRIORITY, INLINKS
from crawldb.tables.urls import IS_QUEUED
from extensions.topic.priority import PriorityParts, TermWeights
from urls.schedule import UNSET

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase
    from extensions.topic.priority import Topic

FIFTHS = 5  # into which the turns are cut to show how many relevant pages each brought
_HANDS_ON = "SELECT hands_on FROM topic_page WHERE url = ?"
_BEST_LINK = "SELECT via, anchor, around FROM promise WHERE url = ? AND via IS NOT NULL"
_LATEST = "(SELECT turn_topic FROM topic)"


class LinkTerms(NamedTuple):
    """The best link to a URL: the page with the link, and the terms in its anchor text and around it, as bits."""

    via: int | None = None
    anchor: int = 0
    around: int = 0


class UrlPriority(NamedTuple):
    """The priority of a URL, and its parts: its best link, the terms in its own name, its folder."""

    url: int
    link: LinkTerms
    name: int
    folder: int
    parts: PriorityParts


class TopicPage(NamedTuple):
    """The topic terms and the relevance of a page: a row of `topic_page`."""

    url: int
    folder: int
    said: bytes
    counts: bool
    relevance: float
    relevant: bool
    hands_on: float


class Folder(NamedTuple):
    """A folder of a site, with its pages so far and those of its site."""

    id: int
    fetched: int
    relevant: int
    site_fetched: int
    site_relevant: int
    judged: float  # the yield that its queued URLs have in their priorities


class TopicTables:
    """The rows of these tables, by the ids of URLs."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._connection = database.connection

    # -- The topic, and the weights of its terms

    def holds(self, topic: Topic) -> bool:
        """Return whether the queue is in the order of this topic."""
        return self._database.value("SELECT 1 FROM topic WHERE digest = ?", topic.digest) is not None

    def begin(self, topic: Topic, weights: TermWeights) -> None:
        """Replace the topic: delete the rows of the topic before, but keep the turns of URLs."""
        for table in ("topic", "topic_page", "topic_folder"):
            self._connection.execute(f"DELETE FROM {table}")
        self._connection.execute(
            "UPDATE promise SET via = NULL, anchor = 0, around = 0, name = 0, folder = NULL, parts = '[]'"
        )
        words = json.dumps([term.word for term in topic.terms], ensure_ascii=False)
        named = (topic.digest, topic.given)
        self._connection.execute("INSERT OR IGNORE INTO turn_topic (digest, given) VALUES (?, ?)", named)
        self._connection.execute(
            "INSERT INTO topic VALUES (?, ?, ?, '', 0, 1, (SELECT id FROM turn_topic WHERE digest = ?))",
            (*named, words, topic.digest),
        )
        self.put_weights(weights, 0)

    def put_weights(self, weights: TermWeights, pages: int) -> None:
        """Keep the weights of the terms, and the number of pages they are based on."""
        values = json.dumps([weights.weights, weights.full, weights.own])
        self._connection.execute("UPDATE topic SET weights = ?, weighed_after = ?", (values, pages))

    def weights(self) -> tuple[TermWeights, int]:
        """Return the weights of the terms, and the number of pages they are based on."""
        values, pages = self._connection.execute("SELECT weights, weighed_after FROM topic").fetchone()
        weights, full, own = json.loads(values)
        return TermWeights(tuple(weights), full, own), pages

    # -- Pages and folders

    def pages(self) -> list[tuple[TopicPage, int | None]]:
        """Return all pages in the order of their discovery, each with the page that has its best link."""
        rows = self._connection.execute(
            "SELECT page.*, coalesce(promise.via, url.found_on) "
            "FROM topic_page AS page JOIN url ON url.id = page.url LEFT JOIN promise ON promise.url = page.url "
            "ORDER BY page.url"
        )
        return [(TopicPage(*page), via) for *page, via in rows]

    def inherited_from(self, url: int | None) -> float:
        """Return the score that a page hands on to its links; 0 if the topic has not seen it."""
        row = self._connection.execute(_HANDS_ON, (url,)).fetchone()
        return 0.0 if row is None else float(row[0])

    def unread(self) -> list[str]:
        """Return the stored pages that the topic has not seen, in the order of their fetches."""
        sql = (
            "SELECT url.url FROM page JOIN url ON url.id = page.url "
            "WHERE page.url NOT IN (SELECT url FROM topic_page) ORDER BY page.fetched_at, page.url"
        )
        return [url for (url,) in self._connection.execute(sql)]

    def put_page(self, page: TopicPage) -> None:
        """Replace the row of a page; its folder counts it."""
        self._connection.execute("DELETE FROM topic_page WHERE url = ?", (page.url,))
        self._connection.execute("INSERT INTO topic_page VALUES (?, ?, ?, ?, ?, ?, ?)", page)

    def page_count(self) -> int:
        """Return the number of pages that the topic has seen."""
        return self._database.count("SELECT count(*) FROM topic_page")

    def folder(self, site: int, path: str) -> Folder:
        """Return a folder of a site; a new one has no pages."""
        key = (site, path)
        self._connection.execute("INSERT OR IGNORE INTO topic_folder (site, path) VALUES (?, ?)", key)
        identity, fetched, relevant, judged = self._connection.execute(
            "SELECT id, fetched, relevant, judged FROM topic_folder WHERE site = ? AND path = ?", key
        ).fetchone()
        site_fetched, site_relevant = self._connection.execute(
            "SELECT sum(fetched), sum(relevant) FROM topic_folder WHERE site = ?", (site,)
        ).fetchone()
        return Folder(identity, fetched, relevant, site_fetched, site_relevant, judged)

    def clear_folder_yields(self) -> None:
        """Forget the yields in the priorities of all folders."""
        self._connection.execute("UPDATE topic_folder SET judged = -1")

    def put_folder_yield(self, folder: int, share: float) -> None:
        """Note the yield in the priorities of a folder's URLs."""
        self._connection.execute("UPDATE topic_folder SET judged = ? WHERE id = ?", (share, folder))

    def queued_in(self, folder: int, limit: int) -> list[int]:
        """Return at most `limit` queued URLs of a folder that have a priority, the highest first."""
        sql = (
            f"SELECT id FROM url WHERE {IS_QUEUED} AND id IN (SELECT url FROM promise WHERE folder = ?) "
            "ORDER BY worth DESC LIMIT ?"
        )
        return [url for (url,) in self._connection.execute(sql, (folder, limit))]

    # -- Links and priorities

    def best_link(self, url: int) -> LinkTerms | None:
        """Return the best link to a URL, or None if none is known."""
        row = self._connection.execute(_BEST_LINK, (url,)).fetchone()
        return None if row is None else LinkTerms(*row)

    def queued_among(self, urls: Iterable[int]) -> set[int]:
        """Return those URLs that are queued: a link can change the priority of no other."""
        sql = f"SELECT id FROM url WHERE {IS_QUEUED} AND id IN (SELECT value FROM json_each(?))"
        return {url for (url,) in self._connection.execute(sql, (json.dumps(list(urls)),))}

    def put_best_link(self, url: int, link: LinkTerms) -> None:
        """Keep the best link to a URL."""
        self._connection.execute(
            "INSERT INTO promise (url, via, anchor, around) VALUES (?, ?, ?, ?) ON CONFLICT (url) DO UPDATE "
            "SET via = excluded.via, anchor = excluded.anchor, around = excluded.around",
            (url, *link),
        )

    def put_priorities(self, rows: Iterable[UrlPriority]) -> None:
        """Keep the parts of priorities."""
        self._connection.executemany(
            "INSERT INTO promise (url, via, anchor, around, name, folder, parts) VALUES (?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (url) DO UPDATE SET via = excluded.via, anchor = excluded.anchor, "
            "around = excluded.around, name = excluded.name, folder = excluded.folder, parts = excluded.parts",
            [(row.url, *row.link, row.name, row.folder, json.dumps(row.parts)) for row in rows],
        )


# -- Sending in turn


def note_order(database: CrawlDatabase, *, by_topic: bool, keeps_priorities: bool) -> None:
    """Note with the folder's topic whether this run uses it, and whether its priorities stay."""
    with database.transaction():
        database.connection.execute("UPDATE topic SET in_force = ?1 WHERE in_force != ?1", (by_topic,))
        if not keeps_priorities:
            database.connection.execute("UPDATE topic SET digest = x''")


def note_turn(database: CrawlDatabase, url: int, others: str, *, by_topic: bool) -> None:
    """Note the turn of a URL: its priority, and the highest among the waiting URLs of its site, `others` (SQL).

    Within the transaction that leases it. `by_topic` notes the topic; else the pages that link to it are counted.
    """
    inlinks, topic = ("NULL", _LATEST) if by_topic else (INLINKS, "NULL")
    database.connection.execute(
        "INSERT INTO promise (url, inlinks, turn_topic, turn, promised, next_best) "
        f"SELECT id, {inlinks}, {topic}, (SELECT coalesce(max(turn), 0) + 1 FROM promise), worth, "
        f"(SELECT worth FROM url AS other WHERE site = url.site AND {others} ORDER BY {BY_PRIORITY} LIMIT 1) "
        "FROM url WHERE id = ? "
        "ON CONFLICT (url) DO UPDATE SET inlinks = excluded.inlinks, turn_topic = excluded.turn_topic, "
        "turn = excluded.turn, promised = excluded.promised, next_best = excluded.next_best",
        (url,),
    )


# -- For `why` and `report`


@dataclass(frozen=True, slots=True)
class UrlTurn:
    """The stored data of one URL: its priority, and its turn. `why --json` has these names."""

    topic: str  # as it was given; "" without one
    parts: PriorityParts | None  # None: it has no priority yet, or there is no topic
    via: str  # the page that has its best link
    anchor: tuple[str, ...]  # the terms in the anchor text of that link
    around: tuple[str, ...]
    name: tuple[str, ...]
    folder: str
    relevance: float | None  # of its page
    relevant: bool
    said: tuple[str, ...]  # the terms that its page has
    turn: int | None  # its number among all turns
    former: str  # the topic of that turn; "" where it is the one in force, or the turn had none
    promised: float | None  # its priority then
    next_best: float | None  # the highest priority among the waiting URLs of its site
    inlinks: int | None  # pages that linked to it then, for the order where few links go first
    waits: bool  # it is queued


_URL_TURN = (
    "SELECT (SELECT given FROM topic), parts, (SELECT url FROM url WHERE id = via), anchor, around, name, path, "
    "relevance, topic_page.relevant, said, turn, (SELECT given FROM turn_topic WHERE id = promise.turn_topic "
    "AND id NOT IN (SELECT turn_topic FROM topic WHERE in_force)), promised, next_best, inlinks, "
    f"EXISTS (SELECT 1 FROM url WHERE id = own AND {IS_QUEUED}), "
    f"EXISTS (SELECT 1 FROM url WHERE id = own AND {IS_QUEUED} AND worth = {UNSET}) "
    "FROM (SELECT ? AS own) LEFT JOIN promise ON promise.url = own LEFT JOIN topic_page ON topic_page.url = own "
    "LEFT JOIN topic_folder ON topic_folder.id = promise.folder "
    "WHERE promise.url IS NOT NULL OR topic_page.url IS NOT NULL"
)


def read_turn(database: CrawlDatabase, url: int) -> UrlTurn | None:
    """Return the stored data of a URL; None if no crawl in such an order has met it."""
    row = database.connection.execute(_URL_TURN, (url,)).fetchone()
    if row is None:
        return None
    words: list[str] = json.loads(str(database.value("SELECT terms FROM topic") or "[]"))
    given, parts, via, anchor, around, name, path, relevance, relevant, said, *rest = row
    turn, former, promised, next_best, inlinks, waits, has_none = rest

    def terms(bits: int | None) -> tuple[str, ...]:
        return tuple(word for number, word in enumerate(words) if (bits or 0) >> number & 1)

    values = json.loads(parts or "[]")
    return UrlTurn(
        given or "",
        PriorityParts(*values) if values and not has_none else None,
        via or "",
        terms(anchor),
        terms(around),
        terms(name),
        path or "",
        relevance,
        bool(relevant),
        tuple(word for word, frequency in zip(words, said or b"", strict=False) if frequency),
        turn,
        former or "",
        promised,
        next_best,
        inlinks,
        bool(waits),
    )


class Harvest(NamedTuple):
    """The relevant pages that the turns for a topic have brought, by its newest weights: keys of `report --json`."""

    topic: str
    in_force: bool  # False: the latest run went by another order
    pages: int  # that the topic has seen
    relevant: int  # of them
    turns: int
    by_fifths: tuple[int, ...]  # relevant pages of each fifth of the turns


def read_harvest(database: CrawlDatabase) -> Harvest | None:
    """Return the harvest of the topic that last ordered the queue, or None without one."""
    topic = database.connection.execute("SELECT given, in_force FROM topic").fetchone()
    if topic is None:
        return None
    given, in_force = topic
    turns = [
        bool(relevant)
        for (relevant,) in database.connection.execute(
            "SELECT relevant FROM promise LEFT JOIN topic_page USING (url) "
            f"WHERE turn IS NOT NULL AND turn_topic = {_LATEST} ORDER BY turn"
        )
    ]
    edges = [round(len(turns) * fifth / FIFTHS) for fifth in range(FIFTHS + 1)]
    by_fifths = tuple(sum(turns[begin:end]) for begin, end in pairwise(edges))
    pages, relevant = database.connection.execute(
        "SELECT count(*), coalesce(sum(relevant), 0) FROM topic_page"
    ).fetchone()
    return Harvest(given, bool(in_force), pages, relevant, len(turns), by_fifths)


def links_with_words(database: CrawlDatabase, source: int) -> list[tuple[int, str]]:
    """Return where the links of a page lead, by ids, each with its words."""
    return database.connection.execute(
        "SELECT target, text FROM link JOIN anchor ON anchor.id = link.anchor WHERE source = ?", (source,)
    ).fetchall()


def words_from_elsewhere(database: CrawlDatabase, url: int) -> str:
    """Return the words of the link by which a page of another part led to a URL; "" where none did."""
    return str(database.value("SELECT text FROM foreign_source WHERE url = ?", url) or "")


_QUEUED = f"SELECT id, url, found_by, found_on FROM url WHERE site = ? AND {IS_QUEUED}"


QueuedUrl = tuple[int, str, str, int | None]  # id, URL, how and on which page it was found


def queued_without_priority(database: CrawlDatabase, site: int) -> list[QueuedUrl]:
    """Return the queued URLs of a site that have no priority."""
    return database.connection.execute(f"{_QUEUED} AND worth = ? ORDER BY id", (site, UNSET)).fetchall()


def queued_after(database: CrawlDatabase, site: int, url: int, limit: int) -> list[QueuedUrl]:
    """Return at most so many queued URLs of a site, those with the least ids above one."""
    # `+id`: by the index of the site's queue, and not through the URLs of all sites.
    sql = f"{_QUEUED} AND id > ? ORDER BY +id LIMIT ?"
    return database.connection.execute(sql, (site, url, limit)).fetchall()
