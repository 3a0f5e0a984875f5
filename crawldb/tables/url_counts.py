"""How many URLs and pages did each site and each URL pattern bring?

Table `site` has the count of each site. Table `pattern` has a row for each site and pattern, and `pattern_line` the
lines of its pages.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from crawldb.tables.urls import State
from urls.generated_urls import Authorship
from urls.traps import Pattern, PatternKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase
    from urls.records import Page
    from urls.rules import Rule

NEW_LINES_KEPT = 32  # of a page: what it has beyond them stays new for the next page that shows it
_AT_A_TIME = 500  # values in one statement


class SiteCount(NamedTuple):
    """How many URLs a site has brought, and the domain whose sites are counted together; None: it is counted alone."""

    urls: int
    domain: str | None


class DomainCount(NamedTuple):
    """How many URLs the sites of a domain have brought, and how many sites have brought any."""

    urls: int
    sites: int


def count_url(database: CrawlDatabase, site: int) -> None:
    """Count one more URL of a site."""
    database.connection.execute("UPDATE site SET urls = urls + 1 WHERE id = ?", (site,))


def count_of_site(database: CrawlDatabase, site: int) -> SiteCount:
    """Return how many URLs a site has brought."""
    return SiteCount(*database.connection.execute("SELECT urls, domain FROM site WHERE id = ?", (site,)).fetchone())


def count_of_domain(database: CrawlDatabase, domain: str) -> DomainCount:
    """Return how many URLs the sites of a domain have brought."""
    sql = "SELECT sum(urls), count(*) FILTER (WHERE urls > 0) FROM site WHERE domain = ?"
    return DomainCount(*database.connection.execute(sql, (domain,)).fetchone())


@dataclass(frozen=True, slots=True)
class PatternCounts:
    """The counts of one pattern of a site: what it has cost and brought so far."""

    id: int
    site: int
    pattern: Pattern
    urls: int = 0
    fresh: int = 0
    wasted: int = 0
    barren: int = 0  # wasted pages that no fresh one has made up for
    closed: str | None = None  # why nothing more of it is requested
    exempt: bool = False
    authorship: Authorship = Authorship.UNASKED

    @property
    def may_be_closed(self) -> bool:
        """Whether it is still open, and no person has released it."""
        return not (self.closed or self.exempt)


class Patterns:
    """Reads and writes the counts of patterns, in the caller's transaction."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._connection = database.connection

    def find(self, site: int, patterns: Sequence[Pattern]) -> dict[Pattern, PatternCounts]:
        """Return the counts of those of the patterns of `site` that have any, in the order given."""
        rows = self._connection.execute(
            "SELECT pattern, id, urls, fresh, wasted, barren, closed, exempt, authorship FROM pattern "
            f"WHERE site = ? AND pattern IN ({', '.join('?' * len(patterns))})",
            (site, *(pattern.name for pattern in patterns)),
        )
        found = {name: row for name, *row in rows}
        tallies = {}
        for pattern in patterns:
            if pattern.name in found:
                identity, urls, fresh, wasted, barren, closed, exempt, authorship = found[pattern.name]
                counts = (urls, fresh, wasted, barren)
                decision = (closed, bool(exempt), Authorship(authorship))
                tallies[pattern] = PatternCounts(identity, site, pattern, *counts, *decision)
        return tallies

    def ensure(self, site: int, pattern: Pattern) -> PatternCounts:
        """Return the counts of a pattern, which begin at 0 where there were none."""
        tally = self.find(site, [pattern]).get(pattern)
        if tally is not None:
            return tally
        cursor = self._connection.execute(
            "INSERT INTO pattern (site, pattern, kind) VALUES (?, ?, ?)", (site, pattern.name, pattern.kind)
        )
        return PatternCounts(int(cursor.lastrowid or 0), site, pattern)

    def by_id(self, pattern_id: int) -> PatternCounts:
        """Return the counts of a pattern, by its id."""
        site, name, kind = self._connection.execute(
            "SELECT site, pattern, kind FROM pattern WHERE id = ?", (pattern_id,)
        ).fetchone()
        return self.ensure(site, Pattern(name, PatternKind(kind)))

    def probe_urls(self, pattern_id: int) -> list[str]:
        """Return the URLs that Breadcrumb generated for a pattern."""
        sql = "SELECT url.url FROM probe JOIN url ON url.id = probe.url WHERE pattern = ? ORDER BY url.id"
        return [url for (url,) in self._connection.execute(sql, (pattern_id,))]

    def site_of(self, pattern_id: int) -> int:
        """Return the id of the site of a pattern."""
        return int(self._connection.execute("SELECT site FROM pattern WHERE id = ?", (pattern_id,)).fetchone()[0])

    def bare(self, pattern_id: int) -> int:
        """Return how many of the pages that a pattern has led to by itself only name links."""
        return int(self._connection.execute("SELECT bare FROM pattern WHERE id = ?", (pattern_id,)).fetchone()[0])

    def count_url(self, pattern_id: int, urls: int = 1) -> None:
        """Note that one more URL was accepted, or as many."""
        self._connection.execute("UPDATE pattern SET urls = urls + ? WHERE id = ?", (urls, pattern_id))

    def has_new_line(self, pattern_id: int, marks: Sequence[int]) -> bool:
        """Remember the lines of a page; return whether one of them is new to the pattern."""
        return bool(self.new_lines(pattern_id, marks))

    def new_lines(self, pattern_id: int, marks: Sequence[int], *, keep: int = NEW_LINES_KEPT) -> list[int]:
        """Remember `keep` new lines of a page at most; return all that are new to the pattern."""
        known: set[int] = set()
        for start in range(0, len(marks), _AT_A_TIME):
            part = marks[start : start + _AT_A_TIME]
            places = ", ".join("?" * len(part))
            rows = self._connection.execute(
                f"SELECT mark FROM pattern_line WHERE pattern = ? AND mark IN ({places})", (pattern_id, *part)
            )
            known.update(mark for (mark,) in rows)
        new = [mark for mark in marks if mark not in known]
        kept = [(pattern_id, mark) for mark in new[:keep]]
        self._connection.executemany("INSERT INTO pattern_line VALUES (?, ?)", kept)
        return new

    def note_page(self, pattern_id: int, page: Page, *, fresh: bool, counts: bool = True) -> int:
        """Count a page; return how many wasted pages no fresh page has compensated yet."""
        if fresh:
            (barren,) = self._connection.execute(
                "UPDATE pattern SET fresh = fresh + 1, barren = barren / 2 WHERE id = ? RETURNING barren", (pattern_id,)
            ).fetchone()
            return int(barren)
        (barren,) = self._connection.execute(
            "UPDATE pattern SET wasted = wasted + 1, barren = barren + ?, wasted_bytes = wasted_bytes + ?, "
            "wasted_seconds = wasted_seconds + ? WHERE id = ? RETURNING barren",
            (counts, page.size, page.seconds, pattern_id),
        ).fetchone()
        return int(barren)

    def note_page_of_tree_or_views(self, pattern_id: int, *, fresh: bool, counts: bool) -> int:
        """Count a page for a tree or for views, and return as `note_page` does.

        The cost of the page is counted for its narrow pattern.
        """
        (barren,) = self._connection.execute(
            "UPDATE pattern SET barren = iif(?, barren / 2, barren + ?) WHERE id = ? RETURNING barren",
            (fresh, counts, pattern_id),
        ).fetchone()
        return int(barren)

    def credit(self, site: int, pattern: Pattern) -> None:
        """Let a pattern have half of its barren pages back: one of its pages led to something new."""
        self._connection.execute(
            "UPDATE pattern SET barren = barren / 2 WHERE site = ? AND pattern = ? AND barren > 0", (site, pattern.name)
        )

    def note_growth(self, pattern_id: int, *, bare: bool = False) -> int:
        """Note a fresh page that the pattern itself led to, `bare` if it only names links; return their number."""
        sql = "UPDATE pattern SET grown = grown + 1, bare = bare + ? WHERE id = ? RETURNING grown"
        return int(self._connection.execute(sql, (bare, pattern_id)).fetchone()[0])

    def waste_growth(self, pattern_id: int) -> None:
        """Count as wasted the pages that a pattern has led to by itself: its site has made them up."""
        self._connection.execute(
            "UPDATE pattern SET wasted = wasted + grown, fresh = max(0, fresh - grown) WHERE id = ?", (pattern_id,)
        )

    def set_authorship(self, pattern_id: int, authorship: Authorship) -> None:
        """Write down who made the pages of a pattern."""
        self._connection.execute("UPDATE pattern SET authorship = ? WHERE id = ?", (authorship, pattern_id))

    def close(self, pattern_id: int, reason: str) -> None:
        """Let nothing more of a pattern be requested."""
        self._connection.execute("UPDATE pattern SET closed = ? WHERE id = ?", (reason, pattern_id))

    def let_wait(self, pattern_id: int, urls: Sequence[int]) -> None:
        """Remember which suppressed URLs wait for their pattern."""
        self._connection.executemany(
            "INSERT OR REPLACE INTO trapped VALUES (?, ?)", [(url, pattern_id) for url in urls]
        )

    def waiting(self, pattern_id: int, rule: Rule, limit: int) -> list[tuple[int, str]]:
        """Return ids and URLs of the first `limit` URLs of a pattern that a rule holds back."""
        return self._connection.execute(
            "SELECT url.id, url.url FROM trapped JOIN url ON url.id = trapped.url "
            "WHERE pattern = ? AND url.state = ? AND url.rule = ? ORDER BY trapped.url LIMIT ?",
            (pattern_id, State.SUPPRESSED, rule, limit),
        ).fetchall()

    # -- What a person or another policy opens again

    def named(self, name: str, site: str, *, wide: bool) -> list[int]:
        """Return the ids of the patterns of a name, of all sites or of one; `wide`: also longer ones."""
        rows = self._connection.execute(
            "SELECT pattern.id FROM pattern JOIN site ON site.id = pattern.site "
            "WHERE (pattern = ? OR (? AND substr(pattern, 1, ?) = ?)) AND ? IN ('', site.name)",
            (name, wide, len(name) - 1, name[:-1], site),
        )
        return [identity for (identity,) in rows]

    def release(self, pattern_ids: Sequence[int]) -> None:
        """Let patterns bring as many URLs as they have: a person says so."""
        self._connection.executemany(
            "UPDATE pattern SET exempt = 1, closed = NULL, barren = 0 WHERE id = ?", [(each,) for each in pattern_ids]
        )

    def caught(self, pattern_id: int) -> list[tuple[int, str]]:
        """Return ids and URLs of what is suppressed and waits for a pattern."""
        return self._connection.execute(
            "SELECT url.id, url.url FROM trapped JOIN url ON url.id = trapped.url WHERE pattern = ? AND state = ?",
            (pattern_id, State.SUPPRESSED),
        ).fetchall()

    def closed_by_patience(self, patience: int) -> list[tuple[int, Pattern, int]]:
        """Return id, pattern and barren pages of what a patience has closed: of all that is closed, where it is 0."""
        rows = self._connection.execute(
            "SELECT id, pattern, kind, barren FROM pattern WHERE closed IS NOT NULL AND (authorship != ? OR ? = 0)",
            (Authorship.MADE_UP, patience),
        )
        return [(identity, Pattern(name, PatternKind(kind)), barren) for identity, name, kind, barren in rows]

    def open(self, pattern_ids: Sequence[int]) -> None:
        """Open closed patterns again."""
        self._connection.executemany("UPDATE pattern SET closed = NULL WHERE id = ?", [(each,) for each in pattern_ids])


def exemptions(database: CrawlDatabase) -> list[str]:
    """Return the URLs that a person released from the trap rules, newest first; a `*` at the end: all that begin so."""
    return database.column("SELECT target FROM exemption ORDER BY at DESC")


def put_exemption(database: CrawlDatabase, target: str) -> None:
    """Let no rule about traps hold for a URL, or for all that begin so, within the caller's transaction."""
    database.connection.execute("INSERT OR REPLACE INTO exemption VALUES (?, ?)", (target, time.time()))
