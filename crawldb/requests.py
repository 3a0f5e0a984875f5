"""What may a person ask of the crawl? To add an address, to forget pages, or to block them for good.

The commands and the gateway come through here alone. `forget` and `block` take pages out of the database at once and
tell the index by the change feed; a searcher filters what is blocked even before the index has followed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.frontier.canonical import UnusableUrl, canonicalize
from crawldb.frontier.site import site_of
from crawldb.state import State
from crawldb.tables.journal import Journal
from crawldb.tables.removal import take_out

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase


@dataclass(frozen=True, slots=True)
class Target:
    """What a request is about: a whole site (`bakery.example:8080`), or a URL and what is below it if it ends in /."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"the site {self.name}" if self.kind == "site" else self.name


def target_of(text: str) -> Target:
    """Read `text` as a URL or as a site; raise `UnusableUrl` where it is neither."""
    if "://" in text:
        return Target("url", canonicalize(text))
    try:
        site = site_of(canonicalize(f"http://{text.strip().rstrip('/')}/"))
    except UnusableUrl:
        canonicalize(text)  # says why it is no URL either
        raise
    return Target("site", site.removesuffix(":443"))


def forget(database: CrawlDatabase, text: str) -> tuple[Target, int]:
    """Take pages out of the store and, by the feed, out of the index. Return what was meant, and how many pages.

    The next round may fetch them again: `block` is the word for never.
    """
    target = target_of(text)
    with database.transaction():
        return target, _take_out(database, target, "forgotten", "a person asked for it with forget")


def block(database: CrawlDatabase, text: str, reason: str) -> tuple[Target, int]:
    """Put a site or URL on the blacklist, suppress what is queued of it, and take its pages out."""
    target = target_of(text)
    with database.transaction() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO block (target, kind, reason, at) VALUES (?, ?, ?, ?)",
            (target.name, target.kind, reason, time.time()),
        )
        why = f"{target} is on the blacklist" + (f": {reason}" if reason else "")
        pages = _take_out(database, target, "blocked", why)
        where, parameters = _covered(target)
        journal = Journal(database)
        urls = connection.execute(
            f"SELECT id, url FROM url WHERE {where} AND rule IS NOT 'blocked'", parameters
        ).fetchall()
        if urls:
            row = journal.write(None, "blocked", why, [url for _, url in urls], count=len(urls))
            connection.executemany("INSERT OR REPLACE INTO suppression VALUES (?, ?)", [(url, row) for url, _ in urls])
            connection.executemany(
                "UPDATE url SET state = ?, rule = 'blocked' WHERE id = ?", [(State.SUPPRESSED, url) for url, _ in urls]
            )
    return target, pages


def unblock(database: CrawlDatabase, text: str) -> tuple[Target, int]:
    """Take a site or URL off the blacklist. Return what was meant, and how many URLs are queued again."""
    target = target_of(text)
    with database.transaction() as connection:
        if not connection.execute("DELETE FROM block WHERE target = ?", (target.name,)).rowcount:
            raise LookupError(f"{target} is not on the blacklist")
        where, parameters = _covered(target)
        urls = connection.execute(f"SELECT id FROM url WHERE {where} AND rule = 'blocked'", parameters).fetchall()
        connection.executemany("DELETE FROM suppression WHERE url = ?", urls)
        connection.executemany(
            "UPDATE url SET state = ?, rule = NULL WHERE id = ?", [(State.QUEUED, url) for (url,) in urls]
        )
        if urls:
            Journal(database).write(None, "unblocked", f"{target} was taken off the blacklist", count=len(urls))
    return target, len(urls)


def _covered(target: Target) -> tuple[str, tuple[object, ...]]:
    """Return the condition on table `url` that a target means."""
    if target.kind == "site":
        return "site = (SELECT id FROM site WHERE name = ?)", (target.name,)
    if target.name.endswith("/"):
        return "(url = ? OR substr(url, 1, ?) = ?)", (target.name, len(target.name), target.name)
    return "url = ?", (target.name,)


def _take_out(database: CrawlDatabase, target: Target, rule: str, reason: str) -> int:
    where, parameters = _covered(target)
    rows = database.connection.execute(
        f"SELECT id, url FROM url WHERE {where} AND id IN (SELECT url FROM page)", parameters
    ).fetchall()
    journal = Journal(database)
    for identity, _ in rows:
        take_out(database, journal, identity)
        journal.write(identity, rule, reason)
    return len(rows)


def is_blocked_or_gone(database: CrawlDatabase, url: str) -> bool:
    """Return whether a search result must be hidden at once: its page is no longer stored, or was refused since."""
    sql = "SELECT refusals FROM page WHERE url = (SELECT id FROM url WHERE url = ?)"
    return database.value(sql, url) != "[]"


__all__ = ["Target", "UnusableUrl", "block", "forget", "is_blocked_or_gone", "target_of", "unblock"]
