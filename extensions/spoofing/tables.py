"""Which pages may spoof together? Candidates, found by SQL; groups.py decides."""

from __future__ import annotations

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


def mutual_thin_pages(database: CrawlDatabase) -> Iterator[tuple[int, int, str]]:
    """Yield (page, other page, its language): pages of two sites, with little text, that link to each other."""
    yield from database.connection.execute(
        "SELECT one.url, other.url, coalesce(language, '') FROM trait AS one JOIN link ON link.source = one.url "
        "JOIN trait AS other ON other.url = link.target JOIN url AS here ON here.id = one.url "
        "JOIN url AS there ON there.id = other.url LEFT JOIN page ON page.url = other.url "
        "WHERE one.words < :thin AND other.words < :thin AND here.site != there.site "
        "AND EXISTS (SELECT 1 FROM link AS back WHERE back.source = other.url AND back.target = one.url) "
        f"AND {in_index('one.url')} GROUP BY one.url, other.url",
        {"thin": THIN_WORDS},
    )


def links_between_sites(database: CrawlDatabase) -> Iterator[tuple[int, int]]:
    """Yield (site, other site) for each two of which a page of the one links to a page of the other.

    A copy of a page has the links of that page: those of copies are not kept.
    """
    yield from database.connection.execute(
        "SELECT here.site, there.site FROM link JOIN url AS here ON here.id = link.source "
        "JOIN url AS there ON there.id = link.target WHERE here.site != there.site "
        "UNION SELECT here.site, there.site FROM page JOIN url AS here ON here.id = page.url "
        "JOIN link ON link.source = page.duplicate_of JOIN url AS there ON there.id = link.target "
        "WHERE page.duplicate_of IS NOT NULL AND here.site != there.site"
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


class NamedLink(NamedTuple):
    """A link between two sites' pages with little text, both of which have titles."""

    text: str
    sites: tuple[int, int]
    titles: tuple[str, str]


def links_of_same_words(database: CrawlDatabase, least: int) -> Iterator[NamedLink]:
    """Yield the links between thin pages of two sites whose words lead to at least so many sites."""
    of_both = (
        "link JOIN trait AS one ON one.url = link.source JOIN trait AS other ON other.url = link.target "
        "JOIN url AS here ON here.id = link.source JOIN url AS there ON there.id = link.target "
        "AND here.site != there.site AND one.words < :thin AND other.words < :thin"
    )
    rows = database.connection.execute(
        "SELECT anchor.text, here.site, there.site, said.title, heard.title "
        f"FROM {of_both} JOIN anchor ON anchor.id = link.anchor JOIN indexed_page AS said ON said.url = link.source "
        "JOIN indexed_page AS heard ON heard.url = link.target WHERE link.anchor IN (SELECT link.anchor "
        f"FROM {of_both} GROUP BY link.anchor HAVING count(DISTINCT there.site) >= :least LIMIT :most)",
        {"thin": THIN_WORDS, "least": least, "most": MAX_GROUPS},
    )
    for text, site, other, said, heard in rows:
        yield NamedLink(text, (site, other), (said, heard))


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
