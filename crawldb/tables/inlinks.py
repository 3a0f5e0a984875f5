"""Which pages link to this one, with which words, and from which site? Row by row, a few of many.

A page has the links to all its names: what redirects to it, copies it, or names it as its canonical address. Links that
say nofollow are in no table of links; the journal has samples of them, and those are looked through.

Pages of other parts of a divided crawl link here, too. What is known of their sites their own parts are asked for.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawldb.database import DatabaseError
from crawldb.tables.journal import SAMPLE_LENGTH
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crawldb.database import CrawlDatabase

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
    """Return the ids of all names of a page, at most MAX_NAMES, as indexer/links/graph.py puts them together."""
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
    that has a URL. Where it can't be asked, a link of its pages is taken for none of a template.
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
