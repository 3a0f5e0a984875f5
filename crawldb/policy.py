"""Which policy on URLs holds in a data folder? Its root set, blacklist, options, part and releases, under given limits.

A crawl, the commands and the gateway all ask here, so that none of them judges a URL by a rule that another has missed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from crawldb.frontier.partition.outbox import held_by
from crawldb.frontier.policy import Policy
from crawldb.frontier.release import released
from crawldb.frontier.scope import Breadth, Scope
from crawldb.frontier.traps import Limits
from crawldb.rounds import blacklist, seed_sites
from crawldb.tables.site_options import options_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase


def policy_in(
    database: CrawlDatabase, *, breadth: Breadth = Breadth.HOST, limits: Limits | None = None,
    ports: frozenset[int] = frozenset(), sites: Iterable[str] = (),
) -> Policy:  # fmt: skip
    """Return the policy that holds in a data folder; `sites` are crawled beside those of its root set.

    What a crawl is told and the folder doesn't keep is given: how far from the seeds it may go, the limits on a URL's
    shape (`Limits()`, if none), and the ports beside 80, 443 and the seeds' own.
    """
    scope = Scope(seed_sites(database) | frozenset(sites), breadth)
    return renewed(Policy(scope, limits=limits or Limits(), ports=ports, partition=held_by(database)), database)


def renewed(policy: Policy, database: CrawlDatabase) -> Policy:
    """Return `policy` with what `submit`, `block`, `suggest` and `release` have changed in the folder since."""
    return replace(
        policy,
        scope=replace(policy.scope, sites=policy.scope.sites | seed_sites(database)),
        blacklist=blacklist(database),
        options=options_of(database),
        released=released(database),
    )
