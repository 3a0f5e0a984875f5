"""Which page links to which, with which words, and by which path was a URL found? Table `link`, and columns of `url`.

The words of a link describe the page that it leads to. The index entry of a page has the distinct words of the links to
it. So each change of the graph returns the targets that gained or lost a text. A navigation bar repeats the same words
on every page: after the first page it changes nothing.

A page has the links to all its names: URLs that redirect to it (column `moved_to`), its copies, and pages that name it
as their canonical address. Links with nofollow are in no table; the journal has samples of them.

Column `found_on`, followed back from page to page to a seed, is the path to a URL. It keeps the page that led to it
first, and that page may have changed since. So `path_to` compares each step with what is stored now: a link with its
words, a redirect, a canonical address. Entries of sitemaps and feeds, and links on pages that are not stored, are not
kept one by one. There the step says that this is unknown.

In a divided crawl a page of another part is a source, too: its number in `foreign_page`, negated. The links that lead
to other parts are in table `outbox`, one row for each page and part. A step of a path may lead into another part; the
steps before it come from that part's database.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawldb.database import DatabaseError
from crawldb.tables.journal import SAMPLE_LENGTH
from crawldb.visited import find, find_row
from urls.canonical import site_of
from urls.records import MAX_HOPS, CanonicalUrl, FoundBy
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from crawldb.database import CrawlDatabase


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
    sql = (
        "SELECT text FROM link JOIN anchor ON anchor.id = link.anchor WHERE target = ? AND text != '' "
        "GROUP BY anchor ORDER BY count(*) DESC, text LIMIT ?"
    )
    return tuple(database.column(sql, target, limit))


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
    sql = (
        "SELECT DISTINCT url.url FROM "
        "(SELECT url, samples FROM journal WHERE rule = ? ORDER BY id DESC LIMIT ?) AS told "
        "JOIN url ON url.id = told.url WHERE EXISTS (SELECT 1 FROM json_each(samples) WHERE value = ?) LIMIT ?"
    )
    return tuple(database.column(sql, Rule.NOFOLLOW, MAX_NOFOLLOW_ROWS, url[:SAMPLE_LENGTH], MAX_NOFOLLOW))


LOOKED_BACK = 100  # pages before a URL: a chain of thousands shows what it is in the last of them
_PAGES_BEFORE = (
    "WITH RECURSIVE way (id) AS (SELECT found_on FROM url WHERE id = ? UNION "
    f"SELECT url.found_on FROM url JOIN way ON url.id = way.id LIMIT {LOOKED_BACK}) "
    "SELECT url.url FROM way JOIN url ON url.id = way.id"
)
_LAST_STEPS = (
    "WITH RECURSIVE way (id, step) AS (SELECT :url, 0 UNION ALL SELECT url.found_on, step + 1 FROM url "
    "JOIN way ON url.id = way.id WHERE step < :steps) "
    "SELECT url.url FROM way JOIN url ON url.id = way.id ORDER BY step"
)


def address_of(database: CrawlDatabase, url: int | None) -> CanonicalUrl | None:
    """Return the URL with an id; None where there is none."""
    found = database.value("SELECT url FROM url WHERE id = ?", url)
    return None if found is None else CanonicalUrl(str(found))


def page_before(database: CrawlDatabase, url: int) -> int | None:
    """Return the id of the page on which a URL was found; None: it is a seed, or another part of the crawl found it."""
    found = database.value("SELECT found_on FROM url WHERE id = ?", url)
    return found if isinstance(found, int) else None


def page_before_on_site(database: CrawlDatabase, url: int, site: int) -> CanonicalUrl | None:
    """Return the page on which a URL was found, where it is of the site with this id."""
    sql = "SELECT url.url FROM url WHERE site = ? AND id = (SELECT found_on FROM url WHERE id = ?)"
    row = database.connection.execute(sql, (site, url)).fetchone()
    return None if row is None else CanonicalUrl(row[0])


def pages_before(database: CrawlDatabase, url: int) -> list[CanonicalUrl]:
    """Return the pages that led to a URL, the latest first, LOOKED_BACK at most."""
    return [CanonicalUrl(name) for (name,) in database.connection.execute(_PAGES_BEFORE, (url,))]


def last_steps(database: CrawlDatabase, url: int, steps: int) -> list[CanonicalUrl]:
    """Return a URL and the pages of the last `steps` links that led to it, the latest first."""
    rows = database.connection.execute(_LAST_STEPS, {"url": url, "steps": steps})
    return [CanonicalUrl(name) for (name,) in rows]


MAX_STEPS = 50  # that are followed back; few pages are further from a seed than MAX_DEPTH links
MAX_WORDS = 3  # texts of the links of one page to another that are told

_ROW = (
    "url.id, url.url, found_by, found_at, found_on, (SELECT url FROM url AS page WHERE page.id = url.found_on), "
    "(SELECT page FROM foreign_source WHERE foreign_source.url = url.id), "
    "(SELECT text FROM foreign_source WHERE foreign_source.url = url.id)"
)
_WORDS = (
    "SELECT DISTINCT text FROM link JOIN anchor ON anchor.id = link.anchor WHERE source = ? AND target = ? "
    "ORDER BY text = '', text LIMIT ?"
)
_STANDS = {  # whether the page before still leads there; others are links
    FoundBy.REDIRECT: "SELECT coalesce(moved_to = ?2, 0) FROM url WHERE id = ?1",
    FoundBy.REFRESH: "SELECT coalesce(moved_to = ?2, 0) OR EXISTS "
    "(SELECT 1 FROM link WHERE source = ?1 AND target = ?2) FROM url WHERE id = ?1",
    FoundBy.CANONICAL: "SELECT coalesce(canonical = ?2, 0) FROM page WHERE url = ?1",
    FoundBy.LINK: "SELECT EXISTS (SELECT 1 FROM link WHERE source = ?1 AND target = ?2) FROM page WHERE url = ?1",
}


@dataclass(frozen=True, slots=True)
class FoundStep:
    """A URL on the way, how it was found, and when (seconds since the epoch)."""

    url: str
    by: FoundBy
    at: float
    words: tuple[str, ...] = ()  # of the links to it on the page before, as they are stored now; "": without words
    stands: bool | None = None  # whether the page before leads there as it is stored now; None: that is not kept


@dataclass(frozen=True, slots=True)
class DiscoveryPath:
    """The steps from the first URL to the last, and why the first is no seed; "" where it is one."""

    steps: tuple[FoundStep, ...] = ()
    gap: str = ""


def path_to(home: Callable[[str], CrawlDatabase], url: str) -> DiscoveryPath:
    """Return the way by which a canonical URL was found; `home` gives the database of the part that has a URL."""
    steps: list[FoundStep] = []
    met: set[str] = set()
    gap, here = "", url
    while here and not gap:
        if here in met:
            gap = f"{here} was found by way of itself"
        elif len(steps) == MAX_STEPS:
            gap = f"the way is longer than {MAX_STEPS} steps"
        else:
            met.add(here)
            found = _step(home, here, is_first=not steps)
            if isinstance(found, str):
                gap = found
            else:
                step, here = found
                steps.append(step)
                gap = _why_here_it_begins(step) if not here else ""
    return DiscoveryPath(tuple(reversed(steps)), gap)


def _why_here_it_begins(step: FoundStep) -> str:
    begins = step.by.is_root_set or step.by in {FoundBy.SITEMAP_LINE, FoundBy.ARCHIVE}
    return "" if begins else f"which page led to {step.url} was not noted"


def _step(home: Callable[[str], CrawlDatabase], url: str, *, is_first: bool) -> tuple[FoundStep, str] | str:
    """Return a step with the URL of the one before; or why there is none."""
    try:
        database = home(url)
        row = find_row(database.connection, _ROW, url)
    except (DatabaseError, sqlite3.Error) as error:
        if is_first:
            raise
        return f"the part of the crawl that has {url} can't be read: {error}"
    if row is None:
        return f"{url} is not known any longer"
    identity, name, by, at, parent, before, foreign, text = row
    found_by = FoundBy(by)
    if parent is None:
        words = (text,) if foreign and found_by is FoundBy.LINK else ()
        return FoundStep(name, found_by, at, words), foreign or ""
    sql = _STANDS.get(found_by)
    is_there = None if sql is None else database.value(sql, parent, identity)
    rows = database.connection.execute(_WORDS, (parent, identity, MAX_WORDS)) if found_by is FoundBy.LINK else ()
    words = tuple(text for (text,) in rows)
    return FoundStep(name, found_by, at, words, None if is_there is None else bool(is_there)), before
