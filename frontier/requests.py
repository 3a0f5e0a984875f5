"""What may a person ask of the crawl? To forget pages, or to block them for good.

The commands and the gateway come through here alone. `forget` and `block` take pages out of the database at once and
tell the index by the change feed; a searcher filters what is blocked even before the index has followed.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from crawldb.tables.copies import take_out
from crawldb.tables.journal import Journal
from crawldb.tables.pages import is_blocked_or_gone
from crawldb.tables.urls import FORGOTTEN, Kind, State
from crawldb.visited import find
from frontier.rounds import blacklist
from urls.blacklist import Target, target_of
from urls.canonical import UnusableUrl
from urls.records import CanonicalUrl
from urls.site import site_of

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

PERSON, FILE = "person", "file"  # who put an entry on the blacklist


def forget(database: CrawlDatabase, text: str) -> tuple[Target, int]:
    """Take pages out of the store and, by the feed, out of the index. Return what was meant, and how many pages.

    What a round that is open has queued or under way of them waits for the next one, which may fetch them again:
    `block` is the word for never.
    """
    target = target_of(text)
    with database.transaction():
        _put_off(database, target)
        return target, _take_out(database, target, FORGOTTEN, "a person asked for it with forget")


def put_off_by(database: CrawlDatabase, target: Target) -> int:
    """Return how many URLs `forget` would let wait for the next round."""
    return len(_in_this_round(database, target)[1])


def _in_this_round(database: CrawlDatabase, target: Target) -> tuple[int | None, list[tuple[int, str]]]:
    """Return the open round, and id and URL of the pages that it has queued or under way of a target."""
    number = database.count("SELECT id FROM round WHERE closed_at IS NULL")
    if not number:
        return None, []  # what is queued now waits for the next round anyway
    return number, _covered(database, target, f"state IN ({State.QUEUED:d}, {State.LEASED:d}) AND kind = {Kind.PAGE:d}")


def _put_off(database: CrawlDatabase, target: Target) -> None:
    """End for this round what is queued or under way of a target: else the round would bring back what is forgotten."""
    number, urls = _in_this_round(database, target)
    if not urls:
        return
    reason = f"a person asked for it with forget ({target}): what was queued or under way waits for the next round"
    row = Journal(database).write(None, FORGOTTEN, reason, [url for _, url in urls], count=len(urls))
    # The row by which `why` finds it, as with what is suppressed.
    database.connection.executemany("INSERT OR REPLACE INTO suppression VALUES (?, ?)", [(url, row) for url, _ in urls])
    database.connection.executemany(
        "UPDATE url SET state = ?, rule = ?, ended_in = ?, urgency = 0 WHERE id = ?",
        [(State.DONE, FORGOTTEN, number, url) for url, _ in urls],
    )


def block(database: CrawlDatabase, text: str, reason: str) -> tuple[Target, int]:
    """Put a site, URL or pattern on the blacklist, suppress what is queued of it, and take its pages out."""
    target = target_of(text)
    with database.transaction():
        return target, put_on_blacklist(database, target, reason)


def put_on_blacklist(database: CrawlDatabase, target: Target, reason: str, origin: str = PERSON) -> int:
    """Do what `block` does, in the caller's transaction; return how many pages were taken out."""
    connection = database.connection
    connection.execute(
        "INSERT OR REPLACE INTO block (target, kind, reason, at, origin) VALUES (?, ?, ?, ?, ?)",
        (target.name, target.kind, reason, time.time(), origin),
    )
    why = f"{target} is on the blacklist" + (f": {reason}" if reason else "")
    pages = _take_out(database, target, "blocked", why)
    urls = _covered(database, target, "rule IS NOT 'blocked'")
    if urls:
        row = Journal(database).write(None, "blocked", why, [url for _, url in urls], count=len(urls))
        connection.executemany("INSERT OR REPLACE INTO suppression VALUES (?, ?)", [(url, row) for url, _ in urls])
        connection.executemany(
            "UPDATE url SET state = ?, rule = 'blocked', moved_to = NULL WHERE id = ?",
            [(State.SUPPRESSED, url) for url, _ in urls],
        )
    return pages


def unblock(database: CrawlDatabase, text: str) -> tuple[Target, int]:
    """Take a site, URL or pattern off the blacklist. Return what was meant, and how many URLs are queued again."""
    target = target_of(text)
    with database.transaction() as connection:
        if not connection.execute("DELETE FROM block WHERE target = ?", (target.name,)).rowcount:
            raise LookupError(f"{target} is not on the blacklist")
        return target, release_from_blacklist(database, target)


def release_from_blacklist(database: CrawlDatabase, target: Target) -> int:
    """Queue what an entry that is gone had blocked and no other entry blocks, in the caller's transaction."""
    connection = database.connection
    connection.execute("DELETE FROM block WHERE target = ?", (target.name,))
    left = blacklist(database)
    urls = [
        (identity,)
        for identity, url in _covered(database, target, "rule = 'blocked'")
        if left.refusal(CanonicalUrl(url)) is None
    ]
    connection.executemany("DELETE FROM suppression WHERE url = ?", urls)
    connection.executemany(
        "UPDATE url SET state = ?, rule = NULL WHERE id = ?", [(State.QUEUED, url) for (url,) in urls]
    )
    if urls:
        Journal(database).write(None, "unblocked", f"{target} was taken off the blacklist", count=len(urls))
    return len(urls)


def known_of(database: CrawlDatabase, target: Target) -> int:
    """Return how many URLs that the crawl knows are meant: none may be a mistake in the spelling."""
    return len(_covered(database, target, "1"))


def _covered(database: CrawlDatabase, target: Target, where: str) -> list[tuple[int, str]]:
    """Return id and URL of what a target means, among the rows of `url` for which the condition `where` holds."""
    sql = f"SELECT id, url FROM url WHERE {where} AND "
    rows = database.connection.execute
    if target.kind == "site":
        return rows(f"{sql} site = (SELECT id FROM site WHERE name = ?)", (target.name,)).fetchall()
    if target.kind == "pattern":  # read row by row: a crawl knows millions of URLs, and few of them are meant
        return [(identity, url) for identity, url in rows(f"{sql} 1") if target.covers(CanonicalUrl(url))]
    if target.is_folder:
        site = site_of(CanonicalUrl(target.name))  # by its index, so that the other sites are not read
        below = "site = (SELECT id FROM site WHERE name = ?) AND url >= ? AND url < ?"
        return rows(sql + below, (site, target.name, f"{target.name[:-1]}0")).fetchall()  # 0 follows /
    return rows(f"{sql} id = ?", (find(database.connection, target.name),)).fetchall()


def _take_out(database: CrawlDatabase, target: Target, rule: str, reason: str) -> int:
    rows = _covered(database, target, "id IN (SELECT url FROM page)")
    journal = Journal(database)
    for identity, _ in rows:
        take_out(database, journal, identity)
        journal.write(identity, rule, reason)
    return len(rows)


__all__ = ["Target", "UnusableUrl", "block", "forget", "is_blocked_or_gone", "target_of", "unblock"]
