"""In which order does the queue hold the URLs of a site, and what does each promise for a topic?

`urls/schedule.py` has the formulas. Column `url.worth` has the result; each order has an index. A URL gets its
priority when its site has its turn, and again when a page links to it. With PRIORITY=topic, the priority is what the
URL promises for the topic: frontier/followers/topic.py computes it from the tables `topic`, `topic_page`,
`topic_folder` and `promise`. A crawl without a topic writes nothing there.

For the orders by topic and by rarity, table `promise` also keeps the turn of each URL: `why` shows it. For the other
orders, the depth of a URL says as much. Everything happens within the caller's transaction, unless a function says
otherwise.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from crawldb.tables.urls import IS_QUEUED
from urls.promise import Promise, Weighing
from urls.records import FoundBy
from urls.schedule import DAY, LEAST_APART, MAX_INLINKS, UNJUDGED, Priority, VisitHistory, change_rate, rarity, worth

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase
    from urls.promise import Topic

_BY_WORTH = "urgency DESC, worth DESC, depth, id"
# Of the URLs of a site, as SQL has it; an index holds each.
ORDERS = dict.fromkeys(Priority, _BY_WORTH) | {Priority.BREADTH: "urgency DESC, depth, id"}
_INDEX = f"CREATE INDEX IF NOT EXISTS url_worth ON url (site, {_BY_WORTH}) WHERE {IS_QUEUED}"
# What a URL is worth: of PRIORITY=topic it is the promise, which frontier/followers/topic.py puts there.
LINKED = f"(SELECT count(*) FROM (SELECT DISTINCT source FROM link WHERE target = url.id LIMIT {MAX_INLINKS}))"
_LISTED = f"lastmod IS NOT NULL OR found_by = '{FoundBy.SITEMAP}'"
_WORTHS = {
    Priority.WORTH: (
        f"coalesce((SELECT worth_of(depth, {LINKED}, {_LISTED}, visits, unchanged, seconds) "
        f"FROM visit WHERE visit.url = url.id), worth_of(depth, {LINKED}, {_LISTED}, 0, 0, 0))"
    ),
    Priority.RARE: f"rarity_of({LINKED})",
}


def prepare_order(database: CrawlDatabase, priority: Priority) -> None:
    """Make the index that the order needs, or drop it: what is not used shall cost nothing."""
    if priority is Priority.BREADTH:
        if database.value("SELECT 1 FROM sqlite_master WHERE name = 'url_worth'") is not None:
            database.connection.execute("DROP INDEX url_worth")
        return
    database.connection.create_function("worth_of", 6, _worth_of, deterministic=True)
    database.connection.create_function("rarity_of", 1, rarity, deterministic=True)
    database.connection.execute(_INDEX)
    if priority is Priority.TOPIC:
        return  # what URLs promise is kept, and judged again little by little (frontier/followers/topic.py)
    database.connection.execute("UPDATE topic SET digest = x''")  # what they promised is overwritten
    judge_all_again(database)  # links have come since


def judge_worth(database: CrawlDatabase, site: int, priority: Priority) -> None:
    """Give the queued URLs of a site that have none their worth, in a transaction of its own."""
    waiting = f"SELECT id FROM url WHERE site = ? AND {IS_QUEUED} AND worth = ?"
    if database.value(f"{waiting} LIMIT 1", site, UNJUDGED) is None:
        return
    with database.transaction() as connection:
        connection.execute(
            f"UPDATE url SET worth = {_WORTHS[priority]} WHERE id IN ({waiting})",
            (site, UNJUDGED),
        )


_QUEUED = f"SELECT id, url, found_by, found_on FROM url WHERE site = ? AND {IS_QUEUED}"
QueuedUrl = tuple[int, str, str, int | None]  # id, URL, how and on which page it was found


def unjudged(database: CrawlDatabase, site: int) -> list[QueuedUrl]:
    """Return the queued URLs of a site that have no worth."""
    return database.connection.execute(f"{_QUEUED} AND worth = ? ORDER BY id", (site, UNJUDGED)).fetchall()


def queued_after(database: CrawlDatabase, site: int, url: int, limit: int) -> list[QueuedUrl]:
    """Return at most so many queued URLs of a site, those with the least ids above one."""
    # `+id`: by the index of the site's queue, and not through the URLs of all sites.
    sql = f"{_QUEUED} AND id > ? ORDER BY +id LIMIT ?"
    return database.connection.execute(sql, (site, url, limit)).fetchall()


def put_worth(database: CrawlDatabase, worths: Iterable[tuple[int, float]]) -> None:
    """Keep what URLs are worth, within the caller's transaction."""
    rows = [(min(worth, UNJUDGED - LEAST_APART), url) for url, worth in worths]
    database.connection.executemany("UPDATE url SET worth = ? WHERE id = ?", rows)


def judge_all_again(database: CrawlDatabase) -> None:
    """Let the worth of all that is queued be found out anew."""
    database.connection.execute(f"UPDATE url SET worth = {UNJUDGED} WHERE {IS_QUEUED}")


def judge_worth_again(database: CrawlDatabase, urls: Iterable[int]) -> None:
    """Let the worth of queued URLs be found out anew, within the caller's transaction: a page has linked to them."""
    database.connection.executemany(
        f"UPDATE url SET worth = ? WHERE id = ? AND {IS_QUEUED} AND worth < ?",
        [(UNJUDGED, url, UNJUDGED) for url in urls],
    )


def _worth_of(depth: int, inlinks: int, listed: int, visits: int, unchanged: int, seconds: float) -> float:
    changes = change_rate(VisitHistory(visits, unchanged, seconds, 0.0, 0.0))
    return worth(depth, inlinks, listed, changes * DAY)


_HANDS_ON = "SELECT hands_on FROM topic_page WHERE url = ?"
_EVIDENCE = "SELECT via, anchor, around FROM promise WHERE url = ? AND via IS NOT NULL"


class LinkEvidence(NamedTuple):
    """The link that promises most of a URL: the page it stands on, and the terms in its words and around it."""

    via: int | None = None
    anchor: int = 0
    around: int = 0


class PromisedUrl(NamedTuple):
    """What a URL promises, and for what: its best link, the terms in its own name, its folder."""

    url: int
    link: LinkEvidence
    name: int
    folder: int
    parts: Promise


class TopicPage(NamedTuple):
    """What a page has of the topic, as `topic_page` keeps it."""

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
    judged: float


class Promises:
    """The rows of these tables, by the ids of URLs."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._connection = database.connection

    # -- The topic, and how its terms are weighed

    def holds(self, topic: Topic) -> bool:
        """Return whether the queue is in the order of this topic."""
        return self._database.value("SELECT 1 FROM topic WHERE digest = ?", topic.digest) is not None

    def begin(self, topic: Topic, weighing: Weighing) -> None:
        """Take another topic: what was known for the one before goes, but not when each URL had its turn."""
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
        self.weigh(weighing, 0)

    def weigh(self, weighing: Weighing, pages: int) -> None:
        """Keep how much each term tells, as of so many pages."""
        told = json.dumps([weighing.weights, weighing.full, weighing.own])
        self._connection.execute("UPDATE topic SET weights = ?, weighed_after = ?", (told, pages))

    def weighing(self) -> tuple[Weighing, int]:
        """Return how much each term tells, and as of how many pages."""
        told, pages = self._connection.execute("SELECT weights, weighed_after FROM topic").fetchone()
        weights, full, own = json.loads(told)
        return Weighing(tuple(weights), full, own), pages

    # -- Pages and folders

    def pages(self) -> list[tuple[TopicPage, int | None]]:
        """Return all pages in the order of their discovery, each with the page whose link promised most of it."""
        rows = self._connection.execute(
            "SELECT page.*, coalesce(promise.via, url.found_on) "
            "FROM topic_page AS page JOIN url ON url.id = page.url LEFT JOIN promise ON promise.url = page.url "
            "ORDER BY page.url"
        )
        return [(TopicPage(*page), via) for *page, via in rows]

    def handed_by(self, url: int | None) -> float | None:
        """Return what a page hands on; None where it was not looked at."""
        row = self._connection.execute(_HANDS_ON, (url,)).fetchone()
        return None if row is None else float(row[0])

    def unread(self) -> list[str]:
        """Return the stored pages that were not looked at for the topic, in the order in which they were fetched."""
        sql = (
            "SELECT url.url FROM page JOIN url ON url.id = page.url "
            "WHERE page.url NOT IN (SELECT url FROM topic_page) ORDER BY page.fetched_at, page.url"
        )
        return [url for (url,) in self._connection.execute(sql)]

    def put_page(self, page: TopicPage) -> None:
        """Keep what a page has, in place of what it had; its folder counts it."""
        self._connection.execute("DELETE FROM topic_page WHERE url = ?", (page.url,))
        self._connection.execute("INSERT INTO topic_page VALUES (?, ?, ?, ?, ?, ?, ?)", page)

    def looked_at(self) -> int:
        """Return how many pages were looked at."""
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

    def judge_folders_again(self) -> None:
        """Forget by which yields folders are judged."""
        self._connection.execute("UPDATE topic_folder SET judged = -1")

    def judged(self, folder: int, by: float) -> None:
        """Note by which yield the URLs of a folder are judged."""
        self._connection.execute("UPDATE topic_folder SET judged = ? WHERE id = ?", (by, folder))

    def queued_in(self, folder: int, limit: int) -> list[int]:
        """Return at most so many URLs of a folder that wait and were judged, those that promise most."""
        sql = (
            f"SELECT id FROM url WHERE {IS_QUEUED} AND id IN (SELECT url FROM promise WHERE folder = ?) "
            "ORDER BY worth DESC LIMIT ?"
        )
        return [url for (url,) in self._connection.execute(sql, (folder, limit))]

    # -- Promises and turns

    def evidence(self, url: int) -> LinkEvidence | None:
        """Return the best link to a URL, or None where none is known."""
        row = self._connection.execute(_EVIDENCE, (url,)).fetchone()
        return None if row is None else LinkEvidence(*row)

    def queued_among(self, urls: Iterable[int]) -> set[int]:
        """Return those URLs that wait: only for them a link can still change anything."""
        sql = f"SELECT id FROM url WHERE {IS_QUEUED} AND id IN (SELECT value FROM json_each(?))"
        return {url for (url,) in self._connection.execute(sql, (json.dumps(list(urls)),))}

    def put_evidence(self, url: int, evidence: LinkEvidence) -> None:
        """Keep the best link to a URL."""
        self._connection.execute(
            "INSERT INTO promise (url, via, anchor, around) VALUES (?, ?, ?, ?) ON CONFLICT (url) DO UPDATE "
            "SET via = excluded.via, anchor = excluded.anchor, around = excluded.around",
            (url, *evidence),
        )

    def put(self, rows: Iterable[PromisedUrl]) -> None:
        """Keep what URLs promise."""
        self._connection.executemany(
            "INSERT INTO promise (url, via, anchor, around, name, folder, parts) VALUES (?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (url) DO UPDATE SET via = excluded.via, anchor = excluded.anchor, "
            "around = excluded.around, name = excluded.name, folder = excluded.folder, parts = excluded.parts",
            [(row.url, *row.link, row.name, row.folder, json.dumps(row.parts)) for row in rows],
        )


TOLD = frozenset({Priority.TOPIC, Priority.RARE})  # orders of which each turn is noted
FIFTHS = 5  # into which the turns are cut to show how the harvest went
_LATEST = "(SELECT turn_topic FROM topic)"


def go_by_topic(database: CrawlDatabase, *, in_force: bool) -> None:
    """Note whether the run goes by the topic that the folder has; where it has none, nothing is written."""
    with database.transaction():
        database.connection.execute("UPDATE topic SET in_force = ?1 WHERE in_force != ?1", (in_force,))


def note_turn(database: CrawlDatabase, url: int, priority: Priority, wanted: str) -> None:
    """Note that a URL has its turn: what it promises, and the best of what its site has waiting that is `wanted`.

    Within the transaction that leases it.
    """
    inlinks = LINKED if priority is Priority.RARE else "NULL"
    topic = _LATEST if priority is Priority.TOPIC else "NULL"
    database.connection.execute(
        "INSERT INTO promise (url, inlinks, turn_topic, turn, promised, next_best) "
        f"SELECT id, {inlinks}, {topic}, (SELECT coalesce(max(turn), 0) + 1 FROM promise), worth, "
        f"(SELECT worth FROM url AS other WHERE site = url.site AND {wanted} ORDER BY {ORDERS[priority]} LIMIT 1) "
        "FROM url WHERE id = ? "
        "ON CONFLICT (url) DO UPDATE SET inlinks = excluded.inlinks, turn_topic = excluded.turn_topic, "
        "turn = excluded.turn, promised = excluded.promised, next_best = excluded.next_best",
        (url,),
    )


@dataclass(frozen=True, slots=True)
class PromiseRow:
    """What is kept of one URL, for the page that tells why: what it promises, and when it had its turn."""

    topic: str  # as it was given; "" without one
    parts: Promise | None  # None: it waits to be judged, or there is no topic
    via: str  # the page whose link promises most
    anchor: tuple[str, ...]  # the terms in its words
    around: tuple[str, ...]
    name: tuple[str, ...]
    folder: str
    relevance: float | None  # of its page
    relevant: bool
    said: tuple[str, ...]  # the terms that its page has
    turn: int | None  # which it was of all turns
    former: str  # the topic of that turn; "" where it is the one in force, or the turn had none
    promised: float | None  # then
    next_best: float | None  # the best promise that its site had waiting beside it
    inlinks: int | None  # pages that linked to it then, where few links go first
    waits: bool  # it is queued


_PROMISE = (
    "SELECT (SELECT given FROM topic), parts, (SELECT url FROM url WHERE id = via), anchor, around, name, path, "
    "relevance, topic_page.relevant, said, turn, (SELECT given FROM turn_topic WHERE id = promise.turn_topic "
    "AND id NOT IN (SELECT turn_topic FROM topic WHERE in_force)), promised, next_best, inlinks, "
    f"EXISTS (SELECT 1 FROM url WHERE id = own AND {IS_QUEUED}), "
    f"EXISTS (SELECT 1 FROM url WHERE id = own AND {IS_QUEUED} AND worth = {UNJUDGED}) "
    "FROM (SELECT ? AS own) LEFT JOIN promise ON promise.url = own LEFT JOIN topic_page ON topic_page.url = own "
    "LEFT JOIN topic_folder ON topic_folder.id = promise.folder "
    "WHERE promise.url IS NOT NULL OR topic_page.url IS NOT NULL"
)


def read_promise(database: CrawlDatabase, url: int) -> PromiseRow | None:
    """Return what is kept of a URL; None where no crawl with such an order has met it."""
    row = database.connection.execute(_PROMISE, (url,)).fetchone()
    if row is None:
        return None
    words: list[str] = json.loads(str(database.value("SELECT terms FROM topic") or "[]"))
    given, parts, via, anchor, around, name, path, relevance, relevant, said, *rest = row
    turn, former, promised, next_best, inlinks, waits, is_unjudged = rest

    def terms(bits: int | None) -> tuple[str, ...]:
        return tuple(word for number, word in enumerate(words) if (bits or 0) >> number & 1)

    judged = json.loads(parts or "[]")
    return PromiseRow(
        given or "",
        Promise(*judged) if judged and not is_unjudged else None,
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
    """What came of the turns that were taken for a topic, as of the latest weighing of its terms."""

    topic: str
    in_force: bool  # False: the latest run went by another order
    pages: int  # that were looked at
    relevant: int  # of them
    turns: int
    by_fifths: tuple[int, ...]  # relevant pages of each fifth of the turns


def read_harvest(database: CrawlDatabase) -> Harvest | None:
    """Return the harvest of the topic by which the queue was last put in order; None where there was none."""
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
