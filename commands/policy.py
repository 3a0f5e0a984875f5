"""Which policy on URLs holds for a command? That of the next crawl: the root set, the blacklist, and the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.command import Trouble
from crawldb.frontier.partition.outbox import held_by
from crawldb.frontier.policy import Policy
from crawldb.frontier.release import released
from crawldb.frontier.scope import Scope
from crawldb.rounds import blacklist, seed_sites
from crawldb.tables.site_options import options_of
from spiders.conduct import Conduct, SettingError
from spiders.identity import IdentityError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commands.settings import Settings
    from crawldb import CrawlDatabase


def policy_for(database: CrawlDatabase, settings: Settings, more_sites: Iterable[str] = ()) -> Policy:
    """Return the policy of a crawl whose seeds are on the sites of the root set, and on `more_sites`."""
    try:
        plan = Conduct.read(settings, seeds="").plan
    except (SettingError, IdentityError) as error:
        raise Trouble(str(error)) from error
    scope = Scope(seed_sites(database) | frozenset(more_sites), plan.breadth)
    return Policy(
        scope, blacklist(database), plan.limits, plan.ports, options_of(database), held_by(database),
        released(database),
    )  # fmt: skip
