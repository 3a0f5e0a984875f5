"""What do the pages of a site have in common? Its template, learnt from a sample of its pages, and its name.

The rule is in pages/content/site_template.py. A crawl learns a template twice while the sample grows, so the pages of a
long crawl lose their menus early, and once more when the run ends. Then the pages that were filtered by another version
are filtered again (pipelines/review.py). Table `site_name` has the name that frontier/followers learns from titles. The
stored titles stay whole; the name is removed when they are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase
    from urls.records import CanonicalUrl, Page

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
