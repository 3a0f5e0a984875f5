"""Which page links to which, and with which words? Table `link`, and the redirects in column `url.moved_to`.

The words of a link describe the page that it leads to. The index entry of a page has the distinct words of the links to
it. So each change of the graph returns the targets that gained or lost a text. A navigation bar repeats the same words
on every page: after the first page it changes nothing.

A page has the links to all its names: URLs that redirect to it, its copies, and pages that name it as their canonical
address. Links with nofollow are in no table; the journal has samples of them.

In a divided crawl a page of another part is a source, too: its number in `foreign_page`, negated. The links that lead
to other parts are in table `outbox`, one row for each page and part.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawldb.database import DatabaseError
from crawldb.tables.journal import SAMPLE_LENGTH
from crawldb.visited import find
from urls.records import MAX_HOPS, FoundBy
from urls.rules import Rule
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from crawldb.database import CrawlDatabase
    from urls.records import CanonicalUrl

MAX_ANCHORS = 200  # distinct texts a page that are searched, the most frequent ones; 50 cost manuals names
_CACHED_TEXTS = 100_000  # anchor texts whose ids are kept in memory, and links whose words are known
_CHAIN = (
    "WITH RECURSIVE hop (id, number) AS (SELECT moved_to, 1 FROM url WHERE id = ? "
    "UNION ALL SELECT moved_to, number + 1 FROM hop JOIN url USING (id) WHERE number < ?) "
    "SELECT 1 FROM hop WHERE id = ?"
)


class LinkGraph:
    """The links between URLs, by their ids, within the caller's transaction."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._connection = database.connection
        self._anchors: dict[str, int] = {}
        self._standing: set[tuple[int, int]] = set()  # (target, anchor) of links that are known to be there
        self._version = 0  # of the database, as SQLite counts what other connections write

    def replace(self, source: int, links: Iterable[tuple[int, str]]) -> set[int]:
        """Make `links` (target, text) the links of `source`; return the targets whose distinct texts changed."""
        self._forget_what_others_changed()
        new = {(target, self._anchor(text)) for target, text in links if target != source}
        old = set(self._connection.execute("SELECT target, anchor FROM link WHERE source = ?", (source,)))
        gained, lost = new - old, old - new
        unknown = gained - self._standing
        changed = unknown - self._known(unknown)
        self._connection.executemany("INSERT INTO link VALUES (?, ?, ?)", [(source, *pair) for pair in gained])
        self._connection.executemany(
            "DELETE FROM link WHERE source = ? AND target = ? AND anchor = ?", [(source, *pair) for pair in lost]
        )
        if len(self._standing) >= _CACHED_TEXTS:
            self._standing.clear()
        self._standing |= gained
        gone = lost - self._known(lost)
        self._standing -= gone
        changed |= gone
        if gained or lost:  # which the index writer asks about: PageRank may have to be computed again
            self._connection.execute("UPDATE link_change SET links = links + ?", (len(gained) + len(lost),))
        return {target for target, anchor in changed if anchor != self._anchor("")}

    def _forget_what_others_changed(self) -> None:
        """Forget which words were known where another process has written: it may have taken links out."""
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        if version != self._version:
            self._version = version
            self._standing.clear()

    def targets(self, source: int) -> set[str]:
        """Return the URLs that `source` links to."""
        sql = "SELECT DISTINCT url FROM link JOIN url ON url.id = target WHERE source = ?"
        return {url for (url,) in self._connection.execute(sql, (source,))}

    def _known(self, pairs: Collection[tuple[int, int]]) -> set[tuple[int, int]]:
        """Return those pairs of a target and an anchor that a link has."""
        if not pairs:
            return set()
        rows = self._connection.execute(
            "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?) WHERE EXISTS "
            "(SELECT 1 FROM link WHERE target = json_extract(value, '$[0]') AND anchor = json_extract(value, '$[1]'))",
            (json.dumps(list(pairs)),),
        )
        return {*rows}

    def _anchor(self, text: str) -> int:
        identity = self._anchors.get(text)
        if identity is None:
            added = self._connection.execute("INSERT OR IGNORE INTO anchor (text) VALUES (?)", (text,))
            identity = added.lastrowid if added.rowcount > 0 else None
            if identity is None:
                (identity,) = self._connection.execute("SELECT id FROM anchor WHERE text = ?", (text,)).fetchone()
            if len(self._anchors) >= _CACHED_TEXTS:
                self._anchors.clear()
            self._anchors[text] = identity
        return identity

    def rolled_back(self) -> None:
        """Forget what a transaction that came to nothing had put into memory."""
        self._anchors.clear()
        self._standing.clear()


def anchors_of(database: CrawlDatabase, target: int, limit: int) -> tuple[str, ...]:
    """Return the distinct texts of the links to `target`, the most frequent first, and else by the alphabet."""
    rows = database.connection.execute(
        "SELECT text FROM link JOIN anchor ON anchor.id = link.anchor WHERE target = ? AND text != '' "
        "GROUP BY anchor ORDER BY count(*) DESC, text LIMIT ?",
        (target, limit),
    )
    return tuple(text for (text,) in rows)


def hand_over_links(database: CrawlDatabase, alias: int, known: int) -> None:
    """Let the links to an alias count for the URL that it is known by, within the caller's transaction."""
    connection = database.connection
    connection.execute("UPDATE OR IGNORE link SET target = ? WHERE target = ? AND source != ?", (known, alias, known))
    connection.execute("DELETE FROM link WHERE target = ?", (alias,))


def is_foreign_page(database: CrawlDatabase, url: CanonicalUrl) -> bool:
    """Return whether a page of another part is in the graph."""
    return database.value("SELECT 1 FROM foreign_page WHERE url = ?", url) is not None


def foreign_page(database: CrawlDatabase, url: CanonicalUrl) -> int:
    """Return the source that a page of another part is in the graph, within the caller's transaction."""
    database.connection.execute("INSERT OR IGNORE INTO foreign_page (url, site) VALUES (?, ?)", (url, site_of(url)))
    return -database.count("SELECT id FROM foreign_page WHERE url = ?", url)


def write_outlinks(
    connection: sqlite3.Connection, page: CanonicalUrl, depth: int, links: Mapping[int, Collection[tuple[str, str]]]
) -> None:
    """Write what is new of the `links` (URL, words) of a page to other parts, within the caller's transaction."""
    before = dict(connection.execute("SELECT part, links FROM outbox WHERE url = ? AND links IS NOT NULL", (page,)))
    now = dict.fromkeys(before, "[]") | {part: outlinks_as_kept(led) for part, led in links.items()}
    connection.executemany(
        "INSERT OR REPLACE INTO outbox (url, part, depth, found_by, found_on, links) VALUES (?, ?, ?, ?, '', ?)",
        [(page, part, depth, FoundBy.LINK, led) for part, led in now.items() if before.get(part) != led],
    )


def outlinks_as_kept(links: Iterable[tuple[str, str]]) -> str:
    """Return links (URL, words) as the outbox keeps them: the same ones are the same text."""
    return json.dumps(sorted(links))


def led_to(database: CrawlDatabase, target: str, sources: Iterable[str]) -> Iterator[str]:
    """Give those of `sources` (canonical URLs) that redirect to `target`, directly or by way of others."""
    for source in sources:
        ids = find(database.connection, source), find(database.connection, target)
        if None not in ids and database.value(_CHAIN, ids[0], MAX_HOPS, ids[1]) is not None:
            yield source


def leads_back(database: CrawlDatabase, target: int, url: int) -> bool:
    """Return whether the redirects from `target` on come to `url` again."""
    here: object = target
    for _ in range(MAX_HOPS + 1):
        if here == url:
            return True
        here = database.value("SELECT moved_to FROM url WHERE id = ?", here)
    return False


MAX_NAMES = 50  # of a page, whose links are looked at
MAX_ROWS = 200  # links that are read: beyond, a page is well known
MAX_NOFOLLOW_ROWS = 2_000  # of the journal, the newest
MAX_NOFOLLOW = 5  # pages that are named

_OTHER_NAMES = (
    "SELECT moved_to FROM url WHERE id = ?1 AND moved_to IS NOT NULL UNION SELECT id FROM url WHERE moved_to = ?1 "
    "UNION SELECT duplicate_of FROM page WHERE url = ?1 AND duplicate_of IS NOT NULL "
    "UNION SELECT url FROM page WHERE duplicate_of = ?1 "
    "UNION SELECT canonical FROM page WHERE url = ?1 AND canonical IS NOT NULL "
    "UNION SELECT url FROM page WHERE canonical = ?1"
)
_FROM_OTHER_PARTS = (
    "SELECT source, page.url, named.url, page.site, text FROM link JOIN foreign_page AS page ON page.id = -source "
    "JOIN url AS named ON named.id = target JOIN anchor ON anchor.id = link.anchor "
    "WHERE target IN ({names}) AND source < 0 ORDER BY source DESC, text = '' LIMIT ?"
)
_LINKS = (
    "SELECT source, page.url, named.url, site.id, site.name, page.site = own.site, "
    "coalesce(stored.cluster = home.cluster, 0), text "
    "FROM link JOIN url AS page ON page.id = source JOIN site ON site.id = page.site "
    "JOIN url AS named ON named.id = target JOIN anchor ON anchor.id = link.anchor JOIN url AS own ON own.id = ? "
    "LEFT JOIN page AS stored ON stored.url = source LEFT JOIN page AS home ON home.url = own.id "
    "WHERE target IN ({names}) AND source NOT IN ({names}) ORDER BY page.site = own.site, source, text = '' LIMIT ?"
)
_TIMES = (
    "SELECT count(DISTINCT source) FROM link JOIN url ON url.id = source "
    "WHERE target IN ({names}) AND source NOT IN ({names}) AND site = ?"
)
_TIMES_ELSEWHERE = (
    "SELECT count(DISTINCT source) FROM link JOIN foreign_page ON id = -source WHERE target IN ({names}) AND site = ?"
)
_LINKING = (
    "SELECT count(*) FROM (SELECT 1 FROM url WHERE site = ? AND EXISTS "
    "(SELECT 1 FROM link WHERE source = url.id AND target != url.id) LIMIT ?)"
)


@dataclass(frozen=True, slots=True)
class Inlink:
    """A page that links: its URL and site, the texts of its links, and what says how much that counts."""

    url: str
    to: str  # the name of the page that it links to
    site: str
    words: tuple[str, ...]
    own_site: bool
    near_copy: bool  # both pages are of one cluster
    times: int  # pages of its site that link here
    linking: int  # pages of its site that link anywhere; counted no further than `most_linking` asks


def names_of(database: CrawlDatabase, target: int) -> tuple[int, ...]:
    """Return the ids of all names of a page, at most MAX_NAMES, as indexer/links.py puts them together."""
    found = {target: None}
    waiting = [target]
    while waiting and len(found) < MAX_NAMES:
        for (other,) in database.connection.execute(_OTHER_NAMES, (waiting.pop(),)):
            if other not in found and len(found) < MAX_NAMES:
                found[other] = None
                waiting.append(other)
    return tuple(found)


def inlinks_to(
    database: CrawlDatabase, names: Sequence[int], share: float, home: Callable[[str], CrawlDatabase] | None = None
) -> tuple[Inlink, ...]:
    """Return links to a page, those of other parts and of other sites first, and one for each page that links.

    `linking` is counted up to the number of which `times` is less than `share`; `home` gives the database of the part
    that has a URL. Where it can't be read, its links do not count as links of a template.
    """
    marks = ", ".join("?" * len(names))
    # Of several names the one that was met first says which site the page is of, as in the graph of links.
    values = (min(names), *names, *names, MAX_ROWS)
    ask = database.connection.execute
    counts: dict[int | str, tuple[int, int]] = {}
    found: dict[int, Inlink] = {}
    for source, url, to, name, text in ask(_FROM_OTHER_PARTS.format(names=marks), (*names, MAX_ROWS)).fetchall():
        if name not in counts:
            times = database.count(_TIMES_ELSEWHERE.format(names=marks), *names, name)
            counts[name] = times, _linking_elsewhere(home, url, name, int(times / share) + 1)
        _add(found, source, text, Inlink(url, to, name, (), False, False, *counts[name]))
    for source, url, to, site, name, own, near, text in ask(_LINKS.format(names=marks), values).fetchall():
        if site not in counts:
            times = database.count(_TIMES.format(names=marks), *names, *names, site)
            counts[site] = times, database.count(_LINKING, site, int(times / share) + 1)
        _add(found, source, text, Inlink(url, to, name, (), bool(own), bool(near), *counts[site]))
    return tuple(found.values())


def _add(found: dict[int, Inlink], source: int, text: str, link: Inlink) -> None:
    link = found.get(source, link)
    found[source] = replace(link, words=(*link.words, text)) if text else link


def _linking_elsewhere(home: Callable[[str], CrawlDatabase] | None, url: str, site: str, most: int) -> int:
    """Return how many pages of a site of another part link anywhere, counted up to `most`."""
    try:
        database = home(url) if home else None
        number = database and database.value("SELECT id FROM site WHERE name = ?", site)
        return most if database is None else database.count(_LINKING, number, most)
    except (DatabaseError, sqlite3.Error):
        return most


def linkers(database: CrawlDatabase, names: Sequence[int]) -> int:
    """Return how many other pages link to a page."""
    marks = ", ".join("?" * len(names))
    sql = f"SELECT count(DISTINCT source) FROM link WHERE target IN ({marks}) AND source NOT IN ({marks})"
    return database.count(sql, *names, *names)


def nofollow_pages(database: CrawlDatabase, url: str) -> tuple[str, ...]:
    """Return pages that are known to link to a URL with nofollow: the newest samples of the journal tell of them."""
    rows = database.connection.execute(
        "SELECT DISTINCT url.url FROM "
        "(SELECT url, samples FROM journal WHERE rule = ? ORDER BY id DESC LIMIT ?) AS told "
        "JOIN url ON url.id = told.url WHERE EXISTS (SELECT 1 FROM json_each(samples) WHERE value = ?) LIMIT ?",
        (Rule.NOFOLLOW, MAX_NOFOLLOW_ROWS, url[:SAMPLE_LENGTH], MAX_NOFOLLOW),
    )
    return tuple(page for (page,) in rows)
