"""What does a URL promise for a topic, and what had the pages of it? Tables `topic` to `promise`.

A crawl without a topic writes nothing here. Everything happens within the caller's transaction.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from crawldb.tables.urls import IS_QUEUED
from urls.promise import Weighing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase
    from urls.promise import Promise, Topic

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
