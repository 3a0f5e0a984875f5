"""What remains of a part when its hosts are divided again? The same database, without the rows of other parts' hosts.

Below that: the numbers of the messages that a part writes to others, and near copies and canonicals in several parts.

A part that is split, and each part that is split off, begin with one database, and each keeps its share. Ids stay as
they are, and no row is copied. A table is of URLs, of sites, of hosts or origins by their names, or of the crawl, which
stays on both sides. A migration that adds a table has to say here which it is
(tests/extensions/machines/test_belongings.py).

What was within one part may now lead from part to part. It takes the form that such things have everywhere
(`crawldb/parts/mailbox.py`): a link is in the outbox of one part and comes from a `foreign_page` in the other. A copy
whose original is in another part becomes a page of its own.

Messages from before the split may be under way. Each part writes its messages to a part with new hosts again, under its
own number. A receiver ignores what was meant for the part as it was (`Outbox`). So messages arrive at least once, and
the last message about a page's links stays the last.
"""

from __future__ import annotations

import json
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from crawldb.pages.bodies import Bodies
from crawldb.pages.clusters import elect
from crawldb.pages.copies import is_shown_as_canonical, release_copies
from crawldb.pages.feed import Feed
from crawldb.parts.division import held_by, note_part
from crawldb.parts.partition import heirs_of
from crawldb.tables.journal import Journal
from crawldb.tables.links import outlinks_as_kept
from crawldb.tables.runs import END_OF_RUN
from crawldb.visited import find
from urls.canonical import site_of
from urls.records import CanonicalUrl, FoundBy

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from crawldb.database import CrawlDatabase
    from crawldb.parts.partition import Partition

OF_URLS = {  # the columns with the id of a URL: a row goes with any of them
    "body": ("url",),
    "capture": ("url",),
    "census": ("url",),
    "change": ("url",),
    "explanation": ("url",),
    "foreign_canonical": ("url",),
    "foreign_source": ("url",),
    "judged_by_template": ("url",),
    "lie": ("probe",),
    "link": ("source", "target"),
    "page": ("url",),
    "probe": ("url",),
    "promise": ("url",),
    "seed_mark": ("url",),
    "signal": ("url",),
    "sitemap": ("url",),
    "sitemap_child": ("parent", "child"),
    "stylesheet": ("url",),
    "template_sample": ("url",),
    "to_read_again": ("url",),
    "topic_page": ("url",),
    "trait": ("url",),
    "trapped": ("url",),
    "visit": ("url",),
    "visited": ("url",),
}
OF_SITES = {  # the column with the id of a site
    "alarm": "site",
    "judge_again": "site",
    "pattern": "site",
    "site_name": "site",
    "site_question": "site",
    "site_template": "site",
    "topic_folder": "site",
    "url": "site",
    "volatile_line": "site",
}
OF_NAMES = {  # an expression that gives a site or a host by its name, or NULL: then the old part keeps the row
    "block_proposal": "iif(kind = 'site', target, its_site(target))",
    "host": "name",
    "robots": "its_site(origin)",
    "robots_change": "its_site(origin)",
    "robots_version": "iif(origin = '', NULL, its_site(origin))",
    "site": "name",
    "sitemap_naming": "its_site(origin)",
}
OF_THE_OLD_PART = ("archived", "archive_file", "plan")  # an archive stays where its files are
OF_ALL = {  # what holds for the crawl: it was done with all hosts, or is asked of any part
    *("anchor", "block", "exemption", "identity", "imported_archive", "imported_site", "link_change", "manners"),
    *("open_work", "option_change", "other_method", "rereading", "robots_history", "round", "site_option", "topic"),
    "turn_topic",
}
BY_THEMSELVES = {  # what this module or a trigger sees to
    *("cluster", "earlier_division", "fetch", "foreign_page", "inbox", "journal", "outbox", "part", "pattern_line"),
    *("robots_body", "run"),
}


def mark_gone(connection: sqlite3.Connection, partition: Partition) -> None:
    """Note in a table of this connection alone, `gone`, the URLs whose hosts are not the part's."""
    connection.create_function("stays", 1, lambda site: site is not None and partition.owns(site), deterministic=True)
    connection.create_function("its_site", 1, _its_site, deterministic=True)
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS gone (url INTEGER PRIMARY KEY)")
    connection.execute("DELETE FROM gone")
    connection.execute("INSERT INTO gone SELECT id FROM url WHERE site IN (SELECT id FROM site WHERE NOT stays(name))")


def drop_gone(connection: sqlite3.Connection, *, is_new: bool) -> None:
    """Drop the rows that belong to hosts of other parts, within the caller's transaction, after `mark_gone`.

    A new part (`is_new`) also drops what has no host: the old one keeps it, so it is counted once.
    """
    connection.execute(
        "DELETE FROM fetch WHERE url IN (SELECT url FROM gone) OR (url IS NULL AND "
        f"NOT coalesce(stays(its_site(coalesce(nullif(origin, ''), address))), {not is_new:d}))"
    )
    for table, columns in OF_URLS.items():
        for column in columns:
            connection.execute(f"DELETE FROM {table} WHERE {column} IN (SELECT url FROM gone)")
    # A row about one page may explain what became of URLs on several hosts: then both parts have it.
    unneeded = "id NOT IN (SELECT journal FROM explanation)"
    connection.execute(f"DELETE FROM journal WHERE url IN (SELECT url FROM gone) AND {unneeded}")
    connection.execute(f"DELETE FROM journal WHERE url IS NULL AND {is_new:d} AND {unneeded}")
    connection.execute("UPDATE journal SET url = NULL WHERE url IN (SELECT url FROM gone)")
    for table, column in OF_SITES.items():
        connection.execute(f"DELETE FROM {table} WHERE {column} IN (SELECT id FROM site WHERE NOT stays(name))")
    connection.execute("DELETE FROM pattern_line WHERE pattern NOT IN (SELECT id FROM pattern)")
    for table, name in OF_NAMES.items():
        connection.execute(f"DELETE FROM {table} WHERE NOT coalesce(stays({name}), {not is_new:d})")
    for table in OF_THE_OLD_PART if is_new else ():
        connection.execute(f"DELETE FROM {table}")
    if is_new:  # its runs are the old part's, where their time, memory and bytes are counted
        nothing = "waiting = 0, peak_memory = 0, index_memory = 0, received = 0"
        connection.execute(f"UPDATE run SET started_at = {END_OF_RUN}, {nothing}")


def _its_site(address: str | None) -> str | None:
    """Return the site of a URL or of an origin; of what has none, None."""
    return site_of(CanonicalUrl(f"{address}/")) if address and "//" in address else None


_GONE = "(SELECT url FROM gone)"
_LETTER = "url, part, depth, found_by, found_on, text, links"
_STANDS = (
    "EXISTS (SELECT 1 FROM indexed_page AS its WHERE its.url = page.canonical AND its.canonical IS NULL "
    "AND its.url NOT IN (SELECT url FROM foreign_canonical))"
)
_ROOTS = ", ".join(f"'{by}'" for by in FoundBy if by.is_root_set)


def gone_from_index(database: CrawlDatabase, partition: Partition) -> Iterator[str]:
    """Yield the URLs that the index may have and that are other parts' by a later division; nothing is changed."""
    mark_gone(database.connection, partition)
    rows = database.connection.execute(f"SELECT url.url FROM change JOIN url ON id = change.url WHERE id IN {_GONE}")
    return (url for (url,) in rows)


def keep_share(database: CrawlDatabase, partition: Partition) -> None:
    """Leave in a database of an earlier division what belongs to a part of a later one, in one transaction."""
    held = held_by(database)
    is_new = held.number != partition.number
    with database.transaction() as connection:
        mark_gone(connection, partition)
        _hand_over_outbox(connection, held, partition)
        _hand_over_links(connection, partition)
        changed = _part_copies(database)
        clusters = connection.execute(f"SELECT DISTINCT cluster FROM page WHERE url IN {_GONE}").fetchall()
        # A page that stands aside continues to do so: its other page is in the index, and elsewhere now.
        connection.execute(
            "INSERT OR IGNORE INTO foreign_canonical (url, target, stands) SELECT page.url, url.url, "
            f"{_STANDS} FROM page JOIN url ON url.id = page.canonical "
            f"WHERE page.canonical IN {_GONE} AND page.url NOT IN {_GONE}"
        )
        drop_gone(connection, is_new=is_new)
        connection.execute(f"UPDATE page SET canonical = NULL WHERE canonical IN {_GONE}")
        connection.execute("DELETE FROM cluster WHERE id NOT IN (SELECT cluster FROM page WHERE cluster IS NOT NULL)")
        for (cluster,) in clusters:
            if cluster is not None:
                elect(database, cluster)
        Feed(database).announce(changed)
        if is_new:
            connection.execute("DELETE FROM inbox")  # all that others say to it, they say again
        note_part(connection, partition)
    if database.value("SELECT 1 FROM gone LIMIT 1") is not None:
        database.connection.execute("VACUUM")


def _hand_over_outbox(connection: sqlite3.Connection, held: Partition, partition: Partition) -> None:
    """Keep what was written for pages of this part, and write to new parts what they have to know.

    A part that is split off has the links of a page as the old part had taken them. A later list may still be on its
    way to the old part. So each new part gets a message about each page, even if no link leads there.
    """
    for seq, url, part, depth, by, on, text, links in connection.execute(
        f"SELECT seq, {_LETTER} FROM outbox ORDER BY seq"
    ).fetchall():
        page = on if links is None else url
        is_ours = not page or partition.owns(site_of(CanonicalUrl(page)))
        links_by_part: dict[int, str | None] = {partition.owner(site_of(CanonicalUrl(url))): None}
        if links is not None:
            led = _by_owner(partition, ((target, words) for target, words in json.loads(links)))
            links_by_part = dict.fromkeys(heirs_of(part, len(held.earlier), partition.counts), "[]")
            links_by_part |= {number: outlinks_as_kept(found) for number, found in led.items()}
        if not is_ours or part not in links_by_part or links_by_part[part] != links:
            connection.execute("DELETE FROM outbox WHERE seq = ?", (seq,))
        if is_ours:
            new = [(number, found) for number, found in links_by_part.items() if (number, found) != (part, links)]
            _write(connection, [(url, number, depth, by, on, text, found) for number, found in new])


def _hand_over_links(connection: sqlite3.Connection, partition: Partition) -> None:
    """Let links, and the ways by which URLs were found, lead from part to part where they now do."""
    within = connection.execute(
        "SELECT source.url, source.depth, target.url, text FROM link JOIN url AS source ON source.id = source "
        "JOIN url AS target ON target.id = target JOIN anchor ON anchor.id = link.anchor "
        f"WHERE target IN {_GONE} AND source NOT IN {_GONE} ORDER BY source.id"
    ).fetchall()
    for (page, depth), rows in groupby(within, itemgetter(0, 1)):
        led = _by_owner(partition, ((url, words) for *_, url, words in rows))
        by, found = FoundBy.LINK, led.items()
        _write(connection, [(page, to, depth + 1, by, "", "", outlinks_as_kept(links)) for to, links in found])
    others = connection.execute(
        "SELECT url.url, url.depth, iif(url.seed AND url.found_by NOT IN "
        f"({_ROOTS}), '{FoundBy.SEED}', url.found_by), coalesce(page.url, '') FROM url "
        f"LEFT JOIN url AS page ON page.id = url.found_on AND page.id NOT IN {_GONE} WHERE url.id IN {_GONE} "
        f"AND url.kind = 0 AND (url.seed OR (page.id IS NOT NULL AND url.found_by != '{FoundBy.LINK}'))"
    ).fetchall()
    _write(
        connection,
        [(url, partition.owner(site_of(url)), depth, by, on, "", None) for url, depth, by, on in others],
    )
    words = "SELECT min(text) FROM link JOIN anchor ON anchor.id = anchor WHERE source = page.id AND target = url.id"
    connection.execute(
        f"INSERT OR IGNORE INTO foreign_source SELECT url.id, page.url, coalesce(({words}), '') FROM url "
        f"JOIN url AS page ON page.id = url.found_on WHERE page.id IN {_GONE} AND url.id NOT IN {_GONE}"
    )
    connection.execute(f"UPDATE url SET found_on = NULL WHERE found_on IN {_GONE} AND id NOT IN {_GONE}")
    connection.execute(f"UPDATE url SET moved_to = NULL WHERE moved_to IN {_GONE} AND id NOT IN {_GONE}")
    connection.execute(f"UPDATE promise SET via = NULL WHERE via IN {_GONE}")
    crossing = f"source IN {_GONE} AND target NOT IN {_GONE}"
    connection.execute(
        "INSERT OR IGNORE INTO foreign_page (url, site) SELECT url.url, name FROM url JOIN site ON site.id = url.site "
        f"WHERE url.id IN (SELECT source FROM link WHERE {crossing})"
    )
    before = connection.total_changes
    connection.execute(
        "UPDATE link SET source = -(SELECT foreign_page.id FROM url JOIN foreign_page USING (url) "
        f"WHERE url.id = source) WHERE {crossing}"
    )
    connection.execute(f"DELETE FROM link WHERE source IN {_GONE} OR target IN {_GONE}")
    connection.execute("UPDATE link_change SET links = links + ?", (connection.total_changes - before,))
    connection.execute("DELETE FROM foreign_page WHERE NOT EXISTS (SELECT 1 FROM link WHERE source = -foreign_page.id)")


def _by_owner(partition: Partition, links: Iterable[tuple[str, str]]) -> dict[int, set[tuple[str, str]]]:
    """Return links (URL, words) by the part that has the host of each."""
    found: dict[int, set[tuple[str, str]]] = {}
    for url, words in links:
        found.setdefault(partition.owner(site_of(CanonicalUrl(url))), set()).add((url, words))
    return found


def _write(connection: sqlite3.Connection, rows: Iterable[tuple[object, ...]]) -> None:
    connection.executemany(f"INSERT OR IGNORE INTO outbox ({_LETTER}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def _part_copies(database: CrawlDatabase) -> list[int]:
    """Let copies whose original is another part's stand by themselves, as they do in parts; return the ids of pages.

    The bytes that a copy shares with its original come with it.
    """
    connection, changed = database.connection, list[int]()
    connection.execute(f"UPDATE page SET duplicate_of = NULL WHERE url IN {_GONE}")
    originals = f"SELECT DISTINCT duplicate_of FROM page WHERE duplicate_of IN {_GONE}"
    for (url,) in connection.execute(originals).fetchall():
        changed += release_copies(database, Journal(database), url)
    connection.execute(f"DELETE FROM body WHERE same_as IS NOT NULL AND url IN {_GONE}")
    for (url,) in connection.execute(f"SELECT DISTINCT same_as FROM body WHERE same_as IN {_GONE}").fetchall():
        Bodies(database).remove(url)
    return changed


def urls_handed_over(database: CrawlDatabase) -> int:
    """Return how many URLs this part has handed over to others."""
    return database.count("SELECT count(*) FROM outbox WHERE links IS NULL")


def number_messages_above(database: CrawlDatabase, last: int) -> None:
    """Give the next message a higher number than `last`, the highest in a lost folder.

    To be called within a transaction. Otherwise receivers would take new messages for old ones.
    """
    database.connection.execute("DELETE FROM sqlite_sequence WHERE name = 'outbox' AND seq < ?", (last,))
    database.connection.execute(
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'outbox', ?1 "
        "WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'outbox')",
        (last,),
    )


def renumber_messages(database: CrawlDatabase, last: int) -> None:
    """Give all messages of this part numbers above `last`, in their order, within the caller's transaction."""
    database.connection.execute("UPDATE outbox SET seq = -seq - ?", (last,))
    database.connection.execute("UPDATE outbox SET seq = -seq")


class Centre(NamedTuple):
    """A cluster of a part: its MinHash, the URL of its canonical page, and the number it has had so far.

    If it is not `shown`, it has no page in the index; it is listed only for its number.
    """

    part: int
    cluster: int
    signature: bytes
    canonical: str
    joined: int | None = None
    shown: bool = True


def centres(database: CrawlDatabase) -> list[Centre]:
    """Return the clusters that have a page in the index or a number that they share; their `part` is 0."""
    rows = database.connection.execute(
        "SELECT cluster.id, signature, url.url, joined, "
        "EXISTS (SELECT 1 FROM indexed_page AS page WHERE page.cluster = cluster.id) AS shown "
        "FROM cluster JOIN url ON url.id = canonical WHERE shown OR joined IS NOT NULL ORDER BY cluster.id"
    )
    return [
        Centre(0, cluster, signature, canonical, joined, bool(shown))
        for cluster, signature, canonical, joined, shown in rows
    ]


def joined_clusters(database: CrawlDatabase) -> dict[int, int]:
    """Return the numbers that clusters share with clusters of other parts."""
    return dict(database.connection.execute("SELECT id, joined FROM cluster WHERE joined IS NOT NULL").fetchall())


def put_joined(database: CrawlDatabase, numbers: Mapping[int, int | None]) -> None:
    """Let clusters share these numbers with clusters of other parts, within the caller's transaction; None: none."""
    rows = [(number, cluster) for cluster, number in numbers.items()]
    database.connection.executemany("UPDATE cluster SET joined = ? WHERE id = ?", rows)


def pages_in_index(database: CrawlDatabase, cluster: int) -> list[int]:
    """Return the ids of the pages of a cluster that are in the index."""
    return database.column("SELECT url FROM indexed_page WHERE cluster = ?", cluster)


def named_elsewhere(database: CrawlDatabase) -> dict[int, tuple[str, bool]]:
    """Return by page which page of another part it names, and whether that one was known to stand."""
    rows = database.connection.execute("SELECT url, target, stands FROM foreign_canonical JOIN page USING (url)")
    return {url: (target, bool(stands)) for url, target, stands in rows}


def those_shown(database: CrawlDatabase, targets: Collection[str]) -> set[str]:
    """Return the addresses whose pages are in the index and name no other page."""
    numbers = {target: find(database.connection, target) for target in targets}
    return {
        target for target, number in numbers.items() if number is not None and is_shown_as_canonical(database, number)
    }
