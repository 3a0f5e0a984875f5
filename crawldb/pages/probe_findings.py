"""What did probes find out about a site? Its response for a missing page, and the lines that change by themselves.

A finding applies to pages that are stored already. Their site waits in table `judge_again` until each page has been
filtered again, without a fetch. Everything happens within the caller's transaction.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawldb.database import stored_json
from crawldb.pages.pages import Pages
from crawldb.visited import FROM_VISITED, key_of
from pages.content.soft404 import NotFoundProfile
from pages.content.volatile import LearntLines
from urls.records import Link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase
    from pages.content.volatile import ChangedLine
    from urls.records import CanonicalUrl, Page

MAX_COPIES, MAX_LINKS = 50, 2_000  # of a page, and to them: so many show what they are
MAX_LEARNT = 100  # changing lines of a site that are kept, seen on one page or two: a page has a handful


@dataclass(frozen=True, slots=True)
class VolatileLineEvidence:
    """A line that changes by itself: an `example`, the two `pages` that showed it, and when."""

    example: str
    pages: tuple[str, str]
    at: float


class ProbeFindings:
    """The tables `lie`, `volatile_line` and `judge_again`."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._connection = database.connection
        self._pages = Pages(database)
        self._waits: bool | None = None  # whether a site's pages are to be filtered again, if that is known

    def rolled_back(self) -> None:
        """Forget what a transaction that came to nothing had put into memory."""
        self._waits = None

    # -- What a site says where there is no page

    def put_lie(self, probe: int, site: int, at: float, lie: NotFoundProfile, *, shows: int | None) -> None:
        """Store how a site responded to a generated URL, in place of its earlier response.

        `shows` is the page of the site of which the response is a copy.
        """
        own, template = json.dumps(dict(lie.own)), json.dumps(sorted(lie.template))
        self._put_lie((probe, site, at, own, template, lie.length, shows, ""))

    def put_redirect(self, probe: int, site: int, at: float, target: str) -> None:
        """Store that a site redirects a generated URL."""
        self._put_lie((probe, site, at, "{}", "[]", 0, None, target))

    def _put_lie(self, row: tuple[int, int, float, str, str, int, int | None, str]) -> None:
        self._connection.execute("INSERT OR REPLACE INTO lie VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def forget_lie(self, probe: int) -> None:
        """Remove the stored response: the site now says with its status that there is no such page."""
        self._connection.execute("DELETE FROM lie WHERE probe = ?", (probe,))

    def lies(self, site: str, url: CanonicalUrl) -> tuple[list[NotFoundProfile], str]:
        """Return the responses of a site for missing pages, without those that show the page `url` itself.

        Second comes the generated URL that redirects to `url`, or "".
        """
        rows = self._connection.execute(
            "SELECT made.id, made.url, own, template, length, target FROM lie JOIN site ON site.id = lie.site "
            "JOIN url AS made ON made.id = lie.probe LEFT JOIN url AS shown ON shown.id = lie.shows "
            "WHERE site.name = :site AND target = '' AND shown.url IS NOT :url "
            "UNION ALL SELECT made.id, made.url, own, template, length, target FROM lie "
            "JOIN url AS made ON made.id = lie.probe WHERE target = :url AND target != '' ORDER BY made.id",
            {"site": site, "url": url},
        ).fetchall()
        lies = [
            NotFoundProfile(
                made,
                {int(mark): length for mark, length in stored_json(own, dict).items()},
                frozenset(stored_json(template, list)),
                length,
            )
            for _, made, own, template, length, target in rows
            if not target
        ]
        return lies, next((made for _, made, *_, target in rows if target), "")

    def links_to_copies(self, original: CanonicalUrl) -> list[tuple[CanonicalUrl, int, str]]:
        """Return links of other pages to a page and to its copies: (URL, id of the page that links, text)."""
        return self._connection.execute(
            f"WITH original (id) AS (SELECT id FROM {FROM_VISITED}), same (id) AS (SELECT id FROM original UNION ALL "
            "SELECT page.url FROM original JOIN page ON page.duplicate_of = original.id LIMIT ?) "
            "SELECT url.url, source, text FROM same JOIN url USING (id) JOIN link ON target = same.id "
            "JOIN anchor ON anchor.id = link.anchor WHERE source NOT IN (SELECT id FROM same) LIMIT ?",
            (key_of(original), original, MAX_COPIES, MAX_LINKS),
        ).fetchall()

    # -- What changes by itself

    def note_changes(self, site: int, url: int, lines: Iterable[ChangedLine], at: float) -> list[str]:
        """Note lines that differ between two fetches of a page; return examples of those now seen on a second page."""
        agreed = []
        for line in lines:
            key = (site, line.mark, line.until)
            row = self._connection.execute(
                "SELECT first, second FROM volatile_line WHERE site = ? AND mark = ? AND until = ?", key
            ).fetchone()
            if row is None:
                self._connection.execute(
                    "INSERT INTO volatile_line SELECT ?, ?, ?, ?, ?, NULL, ? "
                    "WHERE (SELECT count(*) FROM volatile_line WHERE site = ?) < ?",
                    (*key, line.example, url, at, site, MAX_LEARNT),
                )
            elif row[1] is None and row[0] != url:
                self._connection.execute(
                    "UPDATE volatile_line SET second = ?, at = ? WHERE site = ? AND mark = ? AND until = ?",
                    (url, at, *key),
                )
                agreed.append(line.example)
        return agreed

    def learnt_lines(self, site: str) -> LearntLines | None:
        """Return the lines of a site's pages that change by themselves, as two pages agree; None: none is known."""
        rows = self._connection.execute(
            "SELECT mark, until FROM volatile_line WHERE site = (SELECT id FROM site WHERE name = ?) "
            "AND second IS NOT NULL",
            (site,),
        ).fetchall()
        return LearntLines.of(rows) if rows else None

    def learnt(self, site: str) -> list[tuple[LearntLines, VolatileLineEvidence]]:
        """Return the same one by one, each with how it was learnt, the oldest first."""
        rows = self._connection.execute(
            "SELECT mark, until, example, one.url, two.url, at FROM volatile_line "
            "JOIN url AS one ON one.id = first JOIN url AS two ON two.id = second "
            "WHERE volatile_line.site = (SELECT id FROM site WHERE name = ?) ORDER BY at, mark",
            (site,),
        )
        return [
            (LearntLines.of([(mark, until)]), VolatileLineEvidence(example, (one, two), at))
            for mark, until, example, one, two, at in rows
        ]

    # -- Whose pages are to be filtered again

    def any_waits(self) -> bool:
        """Return whether the pages of a site wait to be filtered again."""
        if self._waits is None:  # a crawl alone writes this table
            self._waits = self._database.value("SELECT 1 FROM judge_again LIMIT 1") is not None
        return self._waits

    def let_filter_again(self, site: int, *, whole: bool = True) -> None:
        """Let the stored pages of a site be filtered once more, from the first one on.

        Without `whole`, only those whose body has to be read for that.
        """
        self._waits = True
        sql = (
            "INSERT INTO judge_again (site, whole) VALUES (?, ?) "
            "ON CONFLICT (site) DO UPDATE SET after = 0, whole = max(whole, excluded.whole)"
        )
        self._connection.execute(sql, (site, whole))

    def pages_to_filter(self, most: int) -> list[tuple[int, Page]]:
        """Return the next pages of a site that waits, with ids and the names of links; nothing if none waits."""
        row = self._connection.execute("SELECT site, after, whole FROM judge_again LIMIT 1").fetchone()
        if row is None:
            return []
        found = self._connection.execute(
            "SELECT url.id, url.url FROM indexed_page AS page JOIN url ON url.id = page.url "
            "WHERE site = ? AND page.url > ? AND (? OR page.url IN "
            "(SELECT url FROM trait WHERE trait.url = page.url AND disguise IS NULL)) ORDER BY page.url LIMIT ?",
            (*row, most),
        ).fetchall()
        if found:
            self._connection.execute("UPDATE judge_again SET after = ? WHERE site = ?", (found[-1][0], row[0]))
        else:
            self._waits = None
            self._connection.execute("DELETE FROM judge_again WHERE site = ?", (row[0],))
            return self.pages_to_filter(most)
        return [(url, page) for url, address in found if (page := self.page(url, address)) is not None]

    def led_by(self, url: int) -> Page | None:
        """Return the stored page on which a URL was found, with the names of its links."""
        sql = "SELECT page.id, page.url FROM url JOIN url AS page ON page.id = url.found_on WHERE url.id = ?"
        row = self._connection.execute(sql, (url,)).fetchone()
        return None if row is None else self.page(*row)

    def page(self, url: int, address: CanonicalUrl) -> Page | None:
        """Return a stored page with the names of its links; None: it is not stored."""
        page = self._pages.get(address, url)
        return None if page is None else self.with_link_names(url, page)

    def with_link_names(self, url: int, page: Page) -> Page:
        """Return the record of a page with the names of its links, which are kept apart from it."""
        sql = "SELECT DISTINCT text FROM link JOIN anchor ON anchor.id = link.anchor WHERE source = ?"
        names = self._connection.execute(sql, (url,)).fetchall()
        return replace(page, links=tuple(Link("", name) for (name,) in names))
