"""Which pages may spoof together? Candidates, found by SQL; groups.py decides."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from crawldb.database import in_index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from crawldb.database import CrawlDatabase
    from urls.signals import Signal

MAX_GROUPS = 1_000  # of pages with one residue
MAX_MEMBERS = 200  # of one group that are looked at
MAX_BOMBS = 1_000  # pages with many links of the same words
THIN_WORDS = 100  # a page with fewer has little text
# A copy of a page has the links of that page: those of copies are not kept.
_GIVEN = (
    "(SELECT source, target, anchor FROM link UNION ALL SELECT page.url, target, anchor FROM page "
    "JOIN link ON link.source = page.duplicate_of WHERE page.duplicate_of IS NOT NULL) AS given"
)

ThinPages = dict[int, list[tuple[int, str]]]  # by site: (page, language)


class AlikePage(NamedTuple):
    """A page of a group that says the same but for its name."""

    url: int
    title: str
    lead: str
    words: int


def alike_but_for_names(database: CrawlDatabase, least: int) -> Iterator[list[AlikePage]]:
    """Yield groups of at least so many pages in the index that have one residue."""
    keys = database.connection.execute(
        "SELECT residue FROM trait WHERE residue != 0 GROUP BY residue HAVING count(*) >= ? LIMIT ?",
        (least, MAX_GROUPS),
    ).fetchall()
    for (key,) in keys:
        rows = database.connection.execute(
            "SELECT trait.url, title, lead, words FROM trait JOIN indexed_page AS page ON page.url = trait.url "
            "WHERE residue = ? LIMIT ?",
            (key, MAX_MEMBERS),
        )
        members = [AlikePage(*row) for row in rows]
        if len(members) >= least:
            yield members


def targets_of(database: CrawlDatabase, sources: Iterable[int]) -> dict[int, set[int]]:
    """Return for each of these pages where it links to."""
    found: dict[int, set[int]] = {source: set() for source in sources}
    for source, targets in found.items():
        targets.update(
            row[0] for row in database.connection.execute("SELECT target FROM link WHERE source = ?", (source,))
        )
    return found


class ReturnedLink(NamedTuple):
    """A link to a page of another site that links back; both have little text."""

    source: int
    target: int
    site: int  # of the target, and its language
    language: str
    text: str


def mutual_thin_pages(database: CrawlDatabase) -> Iterator[ReturnedLink]:
    """Yield the links between pages of two sites, with little text, that link to each other."""
    rows = database.connection.execute(
        "SELECT one.url, other.url, there.site, coalesce(language, ''), text FROM trait AS one "
        "JOIN link ON link.source = one.url JOIN trait AS other ON other.url = link.target "
        "JOIN url AS here ON here.id = one.url JOIN url AS there ON there.id = other.url "
        "JOIN anchor ON anchor.id = link.anchor LEFT JOIN page ON page.url = other.url "
        "WHERE one.words < :thin AND other.words < :thin AND here.site != there.site "
        "AND EXISTS (SELECT 1 FROM link AS back WHERE back.source = other.url AND back.target = one.url) "
        f"AND {in_index('one.url')}",
        {"thin": THIN_WORDS},
    )
    yield from (ReturnedLink(*row) for row in rows)


def links_between_sites(database: CrawlDatabase) -> Iterator[tuple[int, int]]:
    """Yield (site, other site) for each two of which a page of the one links to a page of the other."""
    yield from database.connection.execute(
        f"SELECT DISTINCT here.site, there.site FROM {_GIVEN} JOIN url AS here ON here.id = given.source "
        "JOIN url AS there ON there.id = given.target WHERE here.site != there.site"
    )


def thin_pages_of_thin_sites(database: CrawlDatabase, share: float) -> tuple[ThinPages, frozenset[int]]:
    """Return (page, language) of the pages with little text, by site: where so many of a site's pages have little.

    The second value are the other sites with pages in the index. A site of copies alone is neither.
    """
    found: dict[int, list[tuple[int, str]]] = {}
    pages: dict[int, int] = Counter()
    for site, url, language, words in database.connection.execute(
        "SELECT site, trait.url, language, words FROM trait JOIN indexed_page AS page ON page.url = trait.url "
        "JOIN url ON url.id = trait.url"
    ):
        pages[site] += 1
        if words < THIN_WORDS:
            found.setdefault(site, []).append((url, language))
    thin_sites = {site: thin for site, thin in found.items() if len(thin) >= share * pages[site]}
    return thin_sites, frozenset(pages.keys() - thin_sites.keys())


class WordsLink(NamedTuple):
    """Words with which a site links to a page of another one."""

    source: int  # the site
    site: int
    target: int
    text: str


def words_between(database: CrawlDatabase, sites: Iterable[int]) -> Iterator[WordsLink]:
    """Yield the words of the links between these sites."""
    rows = database.connection.execute(
        f"SELECT DISTINCT here.site, there.site, given.target, text FROM {_GIVEN} "
        "JOIN url AS here ON here.id = given.source JOIN url AS there ON there.id = given.target "
        "JOIN anchor ON anchor.id = given.anchor WHERE here.site IN (SELECT value FROM json_each(:sites)) "
        "AND here.site != there.site AND there.site IN (SELECT value FROM json_each(:sites))",
        {"sites": json.dumps([*sites])},
    )
    yield from (WordsLink(*row) for row in rows)


class NamedPage(NamedTuple):
    """A page in the index with a title."""

    url: int
    site: int
    language: str
    title: str


class NamedLink(NamedTuple):
    """A link between two sites, whose words are in the titles of both pages."""

    text: str
    source: NamedPage
    target: NamedPage


def links_by_titles(database: CrawlDatabase) -> Iterator[NamedLink]:
    """Yield the links between two sites with words that the titles of both pages have."""
    rows = database.connection.execute(
        "SELECT text, source, here.site, said.language, said.title, target, there.site, heard.language, heard.title "
        "FROM link JOIN url AS here ON here.id = source JOIN url AS there ON there.id = target "
        "AND here.site != there.site JOIN anchor ON anchor.id = link.anchor "
        "JOIN indexed_page AS said ON said.url = source JOIN indexed_page AS heard ON heard.url = target "
        "WHERE text != '' AND instr(lower(said.title), lower(text)) AND instr(lower(heard.title), lower(text))"
    )
    for text, *pages in rows:
        yield NamedLink(text, NamedPage(*pages[:4]), NamedPage(*pages[4:]))


def titles_of_sites(database: CrawlDatabase) -> Iterator[tuple[int, str]]:
    """Yield (site, title) of the pages in the index."""
    yield from database.connection.execute("SELECT site, title FROM indexed_page AS page JOIN url ON url.id = page.url")


class Bomb(NamedTuple):
    """Links from other sites with the same words."""

    target: int
    url: str
    text: str
    links: int
    sites: int  # from which they come


def same_words_from_others(database: CrawlDatabase, least: int) -> Iterator[Bomb]:
    """Yield the pages in the index to which at least so many links of other sites have the same words."""
    rows = database.connection.execute(
        f"SELECT target, anchor FROM link WHERE {in_index('target')} "
        "GROUP BY target, anchor HAVING count(*) >= ? LIMIT ?",
        (least, MAX_BOMBS),
    ).fetchall()
    for target, anchor in rows:
        found = database.connection.execute(
            "SELECT target.url, text, count(*), count(DISTINCT source.site) "
            "FROM link JOIN anchor ON anchor.id = link.anchor JOIN url AS target ON target.id = link.target "
            "JOIN url AS source ON source.id = link.source "
            "WHERE link.target = ? AND link.anchor = ? AND source.site != target.site",
            (target, anchor),
        ).fetchone()
        if found[2] >= least:
            yield Bomb(target, *found)


def replace_signals(database: CrawlDatabase, found: Mapping[int, Sequence[Signal]]) -> list[int]:
    """Make `found` the signals of several pages, within the caller's transaction; return the ids that changed."""
    connection = database.connection
    new = {(url, each.name.value, each.value, each.evidence) for url, signals in found.items() for each in signals}
    old = set(connection.execute("SELECT url, name, value, evidence FROM signal"))
    connection.executemany("DELETE FROM signal WHERE url = ? AND name = ?", [row[:2] for row in old - new])
    connection.executemany("INSERT INTO signal VALUES (?, ?, ?, ?)", new - old)
    return sorted({row[0] for row in new ^ old})
