"""What does a crawl learn about a site? When it was probed, its template and name, and what its stylesheets say.

**Probes** (`SiteProbes`). A probe is a row of table `url`, so robots.txt, pace and journal apply to it. Table `probe`
has its purpose. Table `site_question` has how many pages of a site were stored under each topic, and when the site was
last probed. `crawldb/pages/probe_findings.py` has the findings.

**The template and the name** (`SiteTemplates`). The rule is in pages/content/site_template.py. A crawl learns it
twice while the sample grows, so the pages of a long crawl lose their menus early, and once more when the run ends. Then
the pages that were filtered by another version are filtered again (pipelines/review.py). Table `site_name` has the name
that frontier/followers learns from titles. The stored titles stay whole; the name is removed when they are read.

**Stylesheets** (`Stylesheets`). A sheet is a row of `url`, so robots.txt, pace and journal hold for it. Its rules that
say how text shows are kept once a site. A sheet can be used once all that it imports can be, too: half of a style would
accuse honest pages.

Everything happens within the caller's transaction.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from crawldb.database import stored_json
from crawldb.tables.urls import State
from crawldb.visited import key_of
from pages.content.site_template import (
    SAMPLE_PAGES,
    SiteName,
    learnt_template,
    line_bits,
    sample_of,
    template_bytes,
    template_marks,
    template_version,
)
from pages.text.layout import text_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crawldb.database import CrawlDatabase
    from urls.records import CanonicalUrl, Page, Stylesheet


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


LEARNT_AT = (SAMPLE_PAGES // 2, SAMPLE_PAGES)  # pages in the sample at which a template is learnt during a run
MAX_KEPT = 64  # sites whose templates are held in memory


class SiteTemplate(NamedTuple):
    """The template of a site: the marks of its lines, a number for all of them, and how many pages taught it."""

    version: int = 0
    marks: frozenset[int] = frozenset()
    learnt_from: int = 0


_NONE = SiteTemplate()


class SiteTemplates:
    """Reads and writes samples and templates, within the caller's transaction where it writes."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._connection = database.connection
        self._known: dict[int, SiteTemplate] = {}

    def of(self, site: str) -> SiteTemplate:
        """Return the template of a site by its name."""
        row = self._connection.execute(
            "SELECT site.id, version FROM site JOIN site_template ON site_template.site = site.id WHERE name = ?",
            (site,),
        ).fetchone()
        if row is None or not row[1]:
            return _NONE
        known = self._known.get(row[0])
        if known is None or known.version != row[1]:
            version, marks, learnt_from = self._connection.execute(
                "SELECT version, marks, learnt_from FROM site_template WHERE site = ?", row[:1]
            ).fetchone()
            if len(self._known) >= MAX_KEPT:
                self._known.clear()
            known = self._known[row[0]] = SiteTemplate(version, template_marks(marks), learnt_from)
        return known

    def note(self, site: int, url: int, page: Page) -> None:
        """Note which template version filtered a stored page, and take the page into the sample of its site.

        The sample has no rejected page, and none without words: a hundred copies would make their text a template.
        """
        key = key_of(page.url)
        size, largest, known, judged_by, changed = self._connection.execute(
            "SELECT count(*), max(key), max(CASE WHEN url = :url THEN marks END), "
            "coalesce((SELECT version FROM judged_by_template WHERE url = :url), 0), "
            "(SELECT changed FROM site_template WHERE site = :site) FROM template_sample WHERE site = :site",
            {"url": url, "site": site},
        ).fetchone()
        if judged_by != page.site_template:
            self._note_judged([url], page.site_template)
        if page.refusals or not page.text:
            self._leave_sample(url)
            return
        if known is None and size >= SAMPLE_PAGES and key > largest:
            return
        marks = sample_of(line_bits(text_lines(page)))
        if marks == known:
            return
        self._connection.execute("INSERT OR REPLACE INTO template_sample VALUES (?, ?, ?, ?)", (site, key, url, marks))
        if not changed:
            self._connection.execute(
                "INSERT INTO site_template (site) VALUES (?) ON CONFLICT (site) DO UPDATE SET changed = 1", (site,)
            )
        if known is None and size >= SAMPLE_PAGES:
            self._connection.execute(
                "DELETE FROM template_sample WHERE url = "
                "(SELECT url FROM template_sample WHERE site = ? ORDER BY key DESC, url DESC LIMIT 1)",
                (site,),
            )
        elif known is None and size + 1 in LEARNT_AT:
            self.learn(site)

    def _note_judged(self, urls: Iterable[int], version: int) -> None:
        if version:
            self._connection.executemany(
                "INSERT INTO judged_by_template (url, version) VALUES (?, ?) ON CONFLICT (url) DO UPDATE "
                "SET version = excluded.version WHERE version != excluded.version",  # the same again writes nothing
                [(url, version) for url in urls],
            )
        else:
            self._connection.executemany("DELETE FROM judged_by_template WHERE url = ?", [(url,) for url in urls])

    def forget(self, url: int) -> None:
        """Forget a page that is stored no longer."""
        self._note_judged([url], 0)
        self._leave_sample(url)

    def _leave_sample(self, url: int) -> None:
        row = self._connection.execute("DELETE FROM template_sample WHERE url = ? RETURNING site", (url,)).fetchall()
        self._connection.executemany("UPDATE site_template SET changed = 1 WHERE site = ?", row)

    def changed(self) -> list[int]:
        """Return the ids of the sites whose sample has changed since their template was learnt."""
        rows = self._connection.execute("SELECT site FROM site_template WHERE changed = 1 ORDER BY site")
        return [site for (site,) in rows]

    def learn(self, site: int) -> None:
        """Learn the template of a site from its sample."""
        rows = self._connection.execute("SELECT marks FROM template_sample WHERE site = ?", (site,)).fetchall()
        template = learnt_template([marks for (marks,) in rows])
        version = template_version(template)
        self._connection.execute(
            "UPDATE site_template SET pending = max(pending, version != ?), version = ?, marks = ?, learnt_from = ?, "
            "changed = 0 WHERE site = ?",
            (version, version, template_bytes(template), len(rows), site),
        )

    def pending(self) -> list[tuple[int, str]]:
        """Return (id, name) of the sites of which pages may have been judged by an earlier version."""
        return self._connection.execute(
            "SELECT site, name FROM site_template JOIN site ON site.id = site WHERE pending = 1 ORDER BY site"
        ).fetchall()

    def filtered_otherwise(self, site: int, after: int, most: int) -> list[tuple[int, CanonicalUrl]]:
        """Return (id, URL) of the pages of a site that were judged by another version than the present, by id."""
        return self._connection.execute(
            "SELECT url.id, url.url FROM url JOIN page ON page.url = url.id "
            "LEFT JOIN judged_by_template AS judged ON judged.url = url.id WHERE url.site = ? AND url.id > ? "
            "AND coalesce(judged.version, 0) != (SELECT version FROM site_template WHERE site = ?) "
            "ORDER BY url.id LIMIT ?",
            (site, after, site, most),
        ).fetchall()

    def note_unchanged(self, urls: Iterable[int], template: SiteTemplate) -> None:
        """Note that the present template of a site gives the same result for these pages as the one before."""
        self._note_judged(urls, template.version)

    def settle(self, site: int) -> None:
        """Note that all pages of a site were judged by its present template."""
        self._connection.execute("UPDATE site_template SET pending = 0 WHERE site = ?", (site,))


def site_name(database: CrawlDatabase, site: int) -> SiteName | None:
    """Return the name of a site (by its id) as it was learnt, or None."""
    sql = "SELECT name, shown_by, titles FROM site_name WHERE site = ?"
    row = database.connection.execute(sql, (site,)).fetchone()
    return SiteName(*row) if row else None


def put_site_name(database: CrawlDatabase, site: int, name: SiteName | None) -> None:
    """Keep the name of a site in place of an earlier one, within the caller's transaction; None: it has none."""
    database.connection.execute("DELETE FROM site_name WHERE site = ?", (site,))
    if name is not None:
        database.connection.execute("INSERT INTO site_name VALUES (?, ?, ?, ?)", (site, *name))


def titles_in_index(database: CrawlDatabase, site: int) -> list[tuple[int, str]]:
    """Return the ids of the pages of a site that are in the index, with their titles as the pages have them."""
    return database.connection.execute(
        "SELECT page.url, title FROM indexed_page AS page JOIN url ON url.id = page.url WHERE site = ?", (site,)
    ).fetchall()


MAX_REMEMBERED_SHEETS = 8  # sites whose sheets are kept in memory: some 100 kB each, and 4 MB at most
_OF_SITE = (
    "SELECT url.url, css, imports, at FROM stylesheet JOIN url ON url.id = stylesheet.url "
    "WHERE stylesheet.site = {} ORDER BY url.id"
)


@dataclass(frozen=True, slots=True)
class SiteSheets:
    """The sheets of a site, by URL: those that can be used, each after what it imports, and when each was requested."""

    usable: Mapping[str, str]
    asked_at: Mapping[str, float]  # seconds since the epoch


class Stylesheets:
    """The table `stylesheet`."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._connection = database.connection
        self._of_sites: dict[str, SiteSheets] = {}

    def rolled_back(self) -> None:
        """Forget what was read in a transaction that came to nothing."""
        self._of_sites.clear()

    def of_site(self, name: str) -> SiteSheets:
        """Return the sheets of a site."""
        if name not in self._of_sites:
            if len(self._of_sites) >= MAX_REMEMBERED_SHEETS:
                self._of_sites.clear()
            self._of_sites[name] = self._read("(SELECT id FROM site WHERE name = ?)", name)
        return self._of_sites[name]

    def for_page(self, url: int) -> Mapping[str, str]:
        """Return the sheets that can be used for a page, by the id of its URL, as they are stored now."""
        return self._read("(SELECT site FROM url WHERE id = ?)", url).usable

    def _read(self, site: str, value: str | int) -> SiteSheets:
        rows = self._connection.execute(_OF_SITE.format(site), (value,)).fetchall()
        sheets = {url: (css, stored_json(imports, list)) for url, css, imports, _ in rows if css is not None}
        usable = {
            url: "\n".join([*(sheets[each][0] for each in imports), css])
            for url, (css, imports) in sheets.items()
            if all(each in sheets and not sheets[each][1] for each in imports)
        }
        return SiteSheets(usable, {url: at for url, _, _, at in rows})

    def count(self, site: int) -> int:
        """Return how many sheets of a site were requested, or will be."""
        sql = "SELECT count(*) FROM stylesheet WHERE site = ?"
        return int(self._connection.execute(sql, (site,)).fetchone()[0])

    def ask(self, url: int, site: int, at: float) -> None:
        """Note the request for a sheet, `at` that time in seconds since the epoch; the stored sheet stays."""
        sql = "INSERT INTO stylesheet (url, site, at) VALUES (?, ?, ?) ON CONFLICT (url) DO UPDATE SET at = excluded.at"
        self._connection.execute(sql, (url, site, at))
        self._of_sites.clear()

    def is_imported(self, url: int) -> bool:
        """Return whether another sheet led to this one: what it imports itself is not followed."""
        sql = "SELECT 1 FROM url JOIN probe ON probe.url = url.found_on WHERE url.id = ? AND purpose = ?"
        return self._connection.execute(sql, (url, Purpose.STYLESHEET)).fetchone() is not None

    def put(self, url: int, site: int, sheet: Stylesheet) -> float | None:
        """Store a sheet in place of the earlier one.

        Return when it was requested, in seconds since the epoch; None where it has not changed.
        """
        sql = "SELECT at, css, imports FROM stylesheet WHERE url = ?"
        asked_at, *before = self._connection.execute(sql, (url,)).fetchone()
        row = (sheet.css, json.dumps(sheet.imports))
        self._connection.execute(
            "INSERT OR REPLACE INTO stylesheet (url, site, at, css, imports, etag, last_modified) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (url, site, sheet.fetched_at, *row, sheet.etag, sheet.last_modified),
        )
        self._of_sites.clear()
        return None if tuple(before) == row else float(asked_at)

    def not_used(self, page: int) -> list[tuple[str, str]]:
        """Return the sheets of a page's site that can't be used, by the id of its URL, each with the reason."""
        sql = (
            "SELECT url.url, coalesce(reason, 'it was not requested yet') FROM stylesheet "
            "JOIN url ON url.id = stylesheet.url LEFT JOIN explanation ON explanation.url = url.id "
            "LEFT JOIN journal ON journal.id = explanation.journal "
            "WHERE stylesheet.site = (SELECT site FROM url WHERE id = ?) ORDER BY url.id"
        )
        usable = self.for_page(page)
        rows = self._connection.execute(sql, (page,))
        return [(url, reason) for url, reason in rows if url not in usable]

    def let_be_read_again(self, site: int, since: float) -> None:
        """Let the pages of a site that were fetched after a time be parsed again, with the present sheets."""
        self._connection.execute(
            "UPDATE trait SET disguise = NULL WHERE url IN (SELECT page.url FROM page JOIN url ON url.id = page.url "
            f"WHERE site = ? AND state = {State.DONE:d} AND fetched_at >= ?)",
            (site, since),
        )
