"""What if the rules have changed since? Then what they once refused is judged again, and every page is read anew.

A wider scope, a greater depth, another seed: the links that were off site or too deep yesterday are on pages that will
answer "not modified" today. So when the policy differs from that of the last run, pages are asked for without
conditions once, and what a setting had suppressed stands before the policy again.
"""

from __future__ import annotations

from dataclasses import fields
from hashlib import blake2b
from typing import TYPE_CHECKING

from crawldb.frontier.budgets import Budgets, queue_again
from crawldb.frontier.traps import TRAP_RULES, Pattern, PatternKind
from crawldb.frontier.traps.patience import has_had_its_chance
from crawldb.frontier.traps.standing import Standing
from crawldb.frontier.wide import kind_of
from crawldb.state import State

if TYPE_CHECKING:
    from sqlite3 import Connection

    from crawldb.database import CrawlDatabase
    from crawldb.frontier.policy import Policy

# Rules of the policy
OF_SETTINGS = ("type", "dynamic", *TRAP_RULES)


def digest_of(policy: Policy) -> str:
    """Return what tells two policies apart, the blacklist aside: scope, ports, options of sites, every limit."""
    limits = [
        sorted(value) if isinstance(value, frozenset) else value
        for value in (getattr(policy.limits, field.name) for field in fields(policy.limits))
    ]
    scope = (sorted(policy.scope.sites), policy.scope.breadth.value)
    told = repr((*scope, sorted(policy.ports), limits, policy.options.told()))
    return blake2b(told.encode(), digest_size=8).hexdigest()


def review(database: CrawlDatabase, policy: Policy) -> int:
    """Queue what the policy no longer refuses, and forget every page's validators; return how many URLs were queued."""
    budgets = Budgets(database, policy.limits)
    places = ", ".join("?" * len(OF_SETTINGS))
    queued = 0
    with database.transaction() as connection:
        connection.execute("UPDATE page SET etag = '', last_modified = ''")
        connection.execute("UPDATE sitemap SET etag = '', last_modified = ''")
        _open_what_more_patience_opens(connection, policy.limits.trap_patience)
        rows = connection.execute(
            "SELECT id, url, site, depth FROM url "
            f"WHERE state = ? AND kind = 0 AND rule IN ({places}) ORDER BY depth, id",
            (State.SUPPRESSED, *OF_SETTINGS),
        ).fetchall()
        for identity, url, site, depth in rows:
            judgement = policy.judge(url, depth)
            if judgement.refusal or judgement.url is None or budgets.spend(site, judgement.url, depth):
                continue
            queue_again(connection, [identity])
            queued += 1
    return queued


def _open_what_more_patience_opens(connection: Connection, patience: int) -> None:
    closed = connection.execute(
        "SELECT id, pattern, kind, barren FROM pattern WHERE closed IS NOT NULL AND (standing != ? OR ? = 0)",
        (Standing.MADE_UP, patience),
    ).fetchall()
    opened = [
        (identity,)
        for identity, name, kind, barren in closed
        if not has_had_its_chance(kind_of(Pattern(name, PatternKind(kind))), barren, patience)
    ]
    connection.executemany("UPDATE pattern SET closed = NULL WHERE id = ?", opened)
