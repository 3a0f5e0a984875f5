"""Which rows of a part's database go with a host? Each table is named here once, also those whose rows stay.

When a part is split, both sides begin with the same database, and each drops what the other side has. So a table is of
URLs, of sites, of hosts or origins by their names, or it is of the crawl and stays on both sides. A migration that adds
a table has to say here which it is (tests/crawldb/parts/test_belongings.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urls.records import CanonicalUrl
from urls.site import site_of

if TYPE_CHECKING:
    import sqlite3

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
BY_THEMSELVES = {  # what splitting.py or a trigger sees to
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

    A new part (`is_new`) also drops what has no host: the old one keeps it, so that it is counted once.
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
        ended = "coalesce(ended_at, (SELECT max(at) FROM fetch WHERE fetch.run = run.id), started_at)"
        nothing = "waiting = 0, peak_memory = 0, index_memory = 0, received = 0"
        connection.execute(f"UPDATE run SET started_at = {ended}, {nothing}")


def _its_site(address: str | None) -> str | None:
    """Return the site of a URL or of an origin; of what has none, None."""
    return site_of(CanonicalUrl(f"{address}/")) if address and "//" in address else None
