"""Which policy on URLs holds for a command? That of the next crawl: the root set, the blacklist, and the settings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from commands.exits import Trouble
from frontier.policy_in_force import policy_in
from spiders.conduct import Conduct, SettingError
from spiders.identity import IdentityError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from commands.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from urls.policy import Policy


def policy_for(database: CrawlDatabase, settings: CommandSettings, more_sites: Iterable[str] = ()) -> Policy:
    """Return the policy of a crawl whose seeds are on the sites of the root set, and on `more_sites`."""
    return policy_under(settings, more_sites)(database)


def policy_under(settings: CommandSettings, more_sites: Iterable[str] = ()) -> Callable[[CrawlDatabase], Policy]:
    """Return what gives that policy for a data folder: settings that can't hold are told before one is opened."""
    try:
        plan = Conduct.read(settings, seeds="").plan
    except (SettingError, IdentityError) as error:
        raise Trouble(str(error)) from error
    return partial(policy_in, breadth=plan.breadth, limits=plan.limits, ports=plan.ports, sites=frozenset(more_sites))
