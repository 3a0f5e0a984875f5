"""Which requests does a crawl send to learn about a site? Probes, and when each site had its last.

A probe is a row of table `url`, so robots.txt, pace and journal apply to it. Table `probe` has its purpose. Table
`site_question` has how many pages of a site were stored under each topic, and when the site was last probed.
`crawldb/pages/probe_findings.py` has the findings. Everything happens within the caller's transaction.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING

from crawldb.tables.urls import State

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from urls.records import CanonicalUrl


MAX_REMEMBERED = 10_000  # sites and topics of which it is known when they were asked
LOOKED_THROUGH = 500  # URLs of a site in each state, those nearest to a seed


class Purpose(StrEnum):
    """The purpose of a probe, as column `probe.purpose` has it."""

    TRAP = "trap"  # does the site make up the pages of a pattern?
    MISSING = "missing"  # what does it say for a page that is not there?
    TWICE = "twice"  # what of a page changes though nobody edits it?
    STYLESHEET = "stylesheet"  # which text of its site's pages does a sheet hide?


class SiteProbes:
    """The tables `probe` and `site_question`."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._connection = database.connection
        self._asked: dict[tuple[int, str], float] = {}  # when sites were asked, by topic: no row ever loses its time

    def rolled_back(self) -> None:
        """Forget what a transaction that came to nothing had put into memory."""
        self._asked.clear()

    def add(self, url: int, purpose: Purpose, at: float = 0.0, pattern: int | None = None) -> None:
        """Note that a URL is requested to learn something, `at` that time in seconds since the epoch."""
        self._connection.execute(
            "INSERT OR REPLACE INTO probe (url, purpose, pattern, at) VALUES (?, ?, ?, ?)", (url, purpose, pattern, at)
        )

    def asked_at(self, url: int) -> float:
        """Return when a probe was requested, in seconds since the epoch."""
        return float(self._connection.execute("SELECT at FROM probe WHERE url = ?", (url,)).fetchone()[0])

    def pattern_of(self, url: int) -> int:
        """Return the account of the pattern that a probe is to find something out about."""
        return int(self._connection.execute("SELECT pattern FROM probe WHERE url = ?", (url,)).fetchone()[0])

    def put_news(self, url: int, pattern: int, news: int) -> list[int]:
        """Keep how many characters of a response are new to its pattern; return what the other probes of it brought."""
        rows = self._connection.execute(
            "SELECT news FROM probe WHERE pattern = ? AND news IS NOT NULL AND url != ?", (pattern, url)
        ).fetchall()
        self._connection.execute("UPDATE probe SET news = ? WHERE url = ?", (news, url))
        return [each for (each,) in rows]

    def remove(self, url: int) -> None:
        """Let a URL be an ordinary page again: its probe is done."""
        self._connection.execute("DELETE FROM probe WHERE url = ?", (url,))

    def made_up(self, site: int) -> list[CanonicalUrl]:
        """Return the generated URLs that show how a site responds to a missing page."""
        sql = "SELECT url.url FROM probe JOIN url ON url.id = probe.url WHERE purpose = ? AND site = ? ORDER BY url.id"
        return [url for (url,) in self._connection.execute(sql, (Purpose.MISSING, site))]

    def first_pages(self, site: int, most: int, *, seeds: bool = False) -> list[tuple[int, CanonicalUrl]]:
        """Return ids and URLs of pages of a site that are in the index, nearest to a seed first.

        `seeds`: only seeds and what they redirect to.
        """
        sql = "SELECT 1 FROM indexed_page WHERE url = ?"
        near = ((depth, url, name) for depth, name, url in self._near(site) if not (seeds and depth))
        indexed = ((url, name) for _, url, name in near if self._connection.execute(sql, (url,)).fetchone())
        return list(islice(indexed, most))

    def nearest(self, site: int) -> list[CanonicalUrl]:
        """Return URLs of a site that wait or were requested, nearest to a seed first."""
        return [name for _, name, _ in self._near(site)]

    def _near(self, site: int) -> list[tuple[int, CanonicalUrl, int]]:
        """Return depth, address and id of URLs of a site in this order: when they came in decides nothing."""
        found: list[tuple[int, CanonicalUrl, int]] = []
        for state, index in ((State.QUEUED, "url_queue"), (State.LEASED, "url_state"), (State.DONE, "url_done")):
            found += self._connection.execute(
                f"SELECT depth, url, id FROM url INDEXED BY {index} WHERE site = ? AND state = {state:d} AND kind = 0 "
                "ORDER BY depth, id LIMIT ?",
                (site, LOOKED_THROUGH),
            )
        return sorted(found)

    # -- How far a site has shown its pages

    def count_page(self, site: int, topic: str) -> int:
        """Count a fresh page of a site; return how many there are."""
        (pages,) = self._connection.execute(
            "INSERT INTO site_question (site, topic, pages) VALUES (?, ?, 1) "
            "ON CONFLICT (site, topic) DO UPDATE SET pages = pages + 1 RETURNING pages",
            (site, topic),
        ).fetchone()
        return int(pages)

    def questions(self, site: int) -> dict[str, tuple[int, float | None]]:
        """Return for each topic how many pages of a site were counted, and when it was last probed; None: never."""
        rows = self._connection.execute("SELECT topic, pages, asked_at FROM site_question WHERE site = ?", (site,))
        return {topic: (pages, asked_at) for topic, pages, asked_at in rows}

    def last_asked(self, site: int, topic: str) -> float | None:
        """Return when a site was last probed, in seconds since the epoch; None: never."""
        if (site, topic) not in self._asked:
            sql = "SELECT asked_at FROM site_question WHERE site = ? AND topic = ? AND asked_at NOT NULL"
            row = self._connection.execute(sql, (site, topic)).fetchone()
            if row is None:
                return None
            if len(self._asked) >= MAX_REMEMBERED:
                self._asked.clear()
            self._asked[site, topic] = row[0]
        return self._asked[site, topic]

    def note_asked(self, site: int, topic: str, at: float) -> None:
        """Note that a site is probed now."""
        sql = "UPDATE site_question SET asked_at = ? WHERE site = ? AND topic = ?"
        self._connection.execute(sql, (at, site, topic))
        self._asked.pop((site, topic), None)
