"""What if the rules have changed since? Then what they once refused is judged again, and every page is read anew.

A wider scope, a greater depth, another seed: the links that were off site or too deep yesterday are on pages that will
answer "not modified" today. So when the policy differs from that of the last run, pages are asked for without
conditions once, and what a setting had suppressed stands before the policy again.
"""

from __future__ import annotations

from dataclasses import fields
from hashlib import blake2b
from typing import TYPE_CHECKING

from crawldb.frontier.budgets import Budgets
from crawldb.state import State

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.frontier.policy import Policy

OF_SETTINGS = ("depth", "type", "url-length", "repeated-path", "pattern-budget", "site-budget")  # rules of the policy


def digest_of(policy: Policy) -> str:
    """Return what tells two policies apart, the blacklist aside: the scope, the ports and every limit."""
    limits = [
        sorted(value) if isinstance(value, frozenset) else value
        for value in (getattr(policy.limits, field.name) for field in fields(policy.limits))
    ]
    told = repr((sorted(policy.scope.sites), policy.scope.breadth.value, sorted(policy.ports), limits))
    return blake2b(told.encode(), digest_size=8).hexdigest()


def review(database: CrawlDatabase, policy: Policy) -> int:
    """Queue what the policy no longer refuses, and forget every page's validators; return how many URLs were queued."""
    budgets = Budgets(database, policy.limits)
    places = ", ".join("?" * len(OF_SETTINGS))
    queued = 0
    with database.transaction() as connection:
        connection.execute("UPDATE page SET etag = '', last_modified = ''")
        rows = connection.execute(
            f"SELECT id, url, site, depth FROM url WHERE state = ? AND rule IN ({places}) ORDER BY depth, id",
            (State.SUPPRESSED, *OF_SETTINGS),
        ).fetchall()
        for identity, url, site, depth in rows:
            judgement = policy.judge(url, depth)
            if judgement.refusal or judgement.url is None or budgets.spend(site, judgement.url):
                continue
            connection.execute("DELETE FROM suppression WHERE url = ?", (identity,))
            connection.execute(
                "UPDATE url SET state = ?, rule = NULL, due_at = 0 WHERE id = ?", (State.QUEUED, identity)
            )
            queued += 1
    return queued
