"""What happens to URLs that an option makes one? The aliases are suppressed, and the one name takes what was theirs.

Each alias keeps its row, with the rule `alias`, the name that it is known by, and a row of the journal that says which
option did it. Its page leaves the store and the index, and its links count for the one name. When the option is
switched off, the aliases stand in the queue again, but for those that the policy refuses under their own names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.copies import is_indexed, take_out
from crawldb.tables.feed import Feed
from crawldb.tables.journal import Journal
from crawldb.tables.urls import Kind, State
from frontier.discovery import Discovery, Origin
from urls.aliases import ALIAS
from urls.records import CanonicalUrl

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from urls.policy import Policy

_LEFT_ALONE = "('alias', 'blocked')"  # rules of URLs that are suppressed already
Merged = dict[str, list[tuple[int, str]]]  # by what was done: id and URL of each alias


def merge_aliases(database: CrawlDatabase, policy: Policy, run: int | None = None) -> tuple[int, int]:
    """Bring what is known into line with the options of the policy, in the caller's transaction.

    Return how many URLs became aliases, and how many were released.
    """
    journal = Journal(database, run)
    released = _release(database, policy, journal)
    merged = _merge(database, policy, journal, run)
    database.connection.execute("UPDATE option_change SET settled = times")
    return merged, released


def _merge(database: CrawlDatabase, policy: Policy, journal: Journal, run: int | None) -> int:
    discovery = Discovery(database, policy, Journal(database, run))
    merged: Merged = {}
    for site in policy.options.by_site:
        rows = database.connection.execute(
            "SELECT id, url, depth, seed FROM url WHERE site = (SELECT id FROM site WHERE name = ?) AND kind = ? "
            f"AND (rule IS NULL OR rule NOT IN {_LEFT_ALONE}) ORDER BY id",
            (site, Kind.PAGE),
        ).fetchall()
        for identity, url, depth, seed in rows:
            refusal = policy.options.refusal(CanonicalUrl(url))
            if refusal is None:
                continue
            known = policy.options.canonical(CanonicalUrl(url))
            found = discovery.discover([known], Origin("seed" if seed else ALIAS, identity, depth))
            _hand_over(database, journal, identity, found.ids.get(known))
            merged.setdefault(refusal.reason.partition(";")[0], []).append((identity, url))
    for reason, aliases in merged.items():
        _suppress(database, journal, reason, aliases)
    return sum(map(len, merged.values()))


def _hand_over(database: CrawlDatabase, journal: Journal, alias: int, known: int | None) -> None:
    """Let the one name have the alias's links and its place in the root set; what was stored of the alias goes."""
    connection = database.connection
    take_out(database, journal, alias)
    connection.execute("UPDATE url SET moved_to = ? WHERE id = ?", (known, alias))
    if known is None:
        return  # the one name is refused itself: the journal has why
    connection.execute(
        "UPDATE url SET seed = 1, depth = 0 WHERE id = ? AND (SELECT seed FROM url WHERE id = ?) = 1", (known, alias)
    )
    connection.execute("UPDATE OR IGNORE link SET target = ? WHERE target = ? AND source != ?", (known, alias, known))
    connection.execute("DELETE FROM link WHERE target = ?", (alias,))
    if is_indexed(database, known):
        Feed(database).announce([known])


def _suppress(database: CrawlDatabase, journal: Journal, reason: str, aliases: list[tuple[int, str]]) -> None:
    row = journal.write(None, ALIAS, reason, [url for _, url in aliases], count=len(aliases))
    connection = database.connection
    connection.executemany(
        "INSERT OR REPLACE INTO suppression VALUES (?, ?)", [(identity, row) for identity, _ in aliases]
    )
    connection.executemany(
        f"UPDATE url SET state = ?, rule = '{ALIAS}' WHERE id = ?",
        [(State.SUPPRESSED, identity) for identity, _ in aliases],
    )


def _release(database: CrawlDatabase, policy: Policy, journal: Journal) -> int:
    """Queue the aliases that no option makes one any longer."""
    connection = database.connection
    rows = connection.execute(
        "SELECT id, url, depth FROM url WHERE state = ? AND rule = ?", (State.SUPPRESSED, ALIAS)
    ).fetchall()
    released = []
    for identity, url, depth in rows:
        if policy.options.canonical(CanonicalUrl(url)) == url:
            refusal = policy.judge(url, depth).refusal
            if refusal is None:
                released.append((identity, url))
            else:
                row = journal.write(identity, refusal.rule, refusal.reason)
                connection.execute("UPDATE suppression SET journal = ? WHERE url = ?", (row, identity))
                connection.execute("UPDATE url SET rule = ?, moved_to = NULL WHERE id = ?", (refusal.rule, identity))
    connection.executemany("DELETE FROM suppression WHERE url = ?", [(identity,) for identity, _ in released])
    connection.executemany(
        "UPDATE url SET state = ?, rule = NULL, moved_to = NULL, due_at = 0 WHERE id = ?",
        [(State.QUEUED, identity) for identity, _ in released],
    )
    if released:
        reason = "no option of its site makes it another name of a page any longer"
        journal.write(None, "released", reason, [url for _, url in released], count=len(released))
    return len(released)
