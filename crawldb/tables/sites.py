"""Which sites are there, and which options has each? Tables `site` and `site_option`.

An option says who switched it on: a seeds file or a person. Everything happens within the caller's transaction.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from crawldb.database import stored_json
from urls.canonical import host_of_site
from urls.site_options import ChosenOption, OptionError, Options, SiteOption, www_counterpart

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crawldb.database import CrawlDatabase


def enter_site(database: CrawlDatabase, name: str, domain: str | None) -> int:
    """Return the id of a site by its name, which is entered where it is new, with the `domain` that it counts for.

    Another port of a host that rests is at rest as well.
    """
    connection = database.connection
    connection.execute(
        "INSERT OR IGNORE INTO site (name, rests_until) "
        "VALUES (?, coalesce((SELECT rests_until FROM host WHERE name = ?), 0))",
        (name, host_of_site(name)),
    )
    (identity,) = connection.execute("SELECT id FROM site WHERE name = ?", (name,)).fetchone()
    connection.execute("UPDATE site SET domain = ? WHERE id = ? AND domain IS NOT ?", (domain, identity, domain))
    return int(identity)


def site_names(database: CrawlDatabase) -> list[str]:
    """Return the names of all sites, in the order in which they were met."""
    return database.column("SELECT name FROM site ORDER BY id")


def site_name_by_id(database: CrawlDatabase, site: int) -> str:
    """Return the name of a site by its id."""
    return str(database.value("SELECT name FROM site WHERE id = ?", site))


SEEDS, PERSON = "seeds", "person"


def options_of(database: CrawlDatabase) -> Options:
    """Return the options as they are now."""
    by_site: dict[str, tuple[ChosenOption, ...]] = {}
    for site, option, names in database.connection.execute("SELECT site, option, names FROM site_option"):
        by_site[site] = (*by_site.get(site, ()), ChosenOption(SiteOption(option), tuple(stored_json(names, list))))
    return Options(by_site)


def are_applied(database: CrawlDatabase) -> bool:
    """Return whether what is known is in line with the options as they are now."""
    return database.value("SELECT times = settled FROM option_change") == 1


def note_applied(database: CrawlDatabase) -> None:
    """Note that what is known is in line with the options, within the caller's transaction."""
    database.connection.execute("UPDATE option_change SET settled = times")


def switch_on(database: CrawlDatabase, site: str, choices: Iterable[ChosenOption], origin: str = PERSON) -> None:
    """Switch options of a site on, in the caller's transaction; raise `OptionError` where one leads nowhere or back."""
    for choice in choices:
        _leads_away(site, choice)
        database.connection.execute(
            "INSERT OR REPLACE INTO site_option (site, option, names, origin, at) VALUES (?, ?, ?, ?, ?)",
            (site, choice.option.value, json.dumps(choice.names), origin, time.time()),
        )
    _changed(database)
    _leads_somewhere(options_of(database), site)


def switch_off(database: CrawlDatabase, site: str, option: SiteOption) -> bool:
    """Switch an option of a site off, in the caller's transaction; return whether it was on."""
    sql = "DELETE FROM site_option WHERE site = ? AND option = ?"
    gone = database.connection.execute(sql, (site, option.value)).rowcount > 0
    _changed(database)
    return gone


def take_over_from_seeds(database: CrawlDatabase, said: Mapping[str, tuple[ChosenOption, ...]]) -> None:
    """Let the options that a seeds file had given its sites be those that it says now; what a person chose stays."""
    for site, choices in said.items():
        rows = database.connection.execute(
            "SELECT option, names FROM site_option WHERE site = ? AND origin = ?", (site, SEEDS)
        ).fetchall()
        before = {ChosenOption(SiteOption(option), tuple(stored_json(names, list))) for option, names in rows}
        if before == set(choices):
            continue
        database.connection.execute("DELETE FROM site_option WHERE site = ? AND origin = ?", (site, SEEDS))
        switch_on(database, site, choices, SEEDS)


def _leads_away(site: str, choice: ChosenOption) -> None:
    if choice.option is SiteOption.WWW and www_counterpart(site) == site:
        raise OptionError(f"{site} has no other name with or without www: an address may have the option address")
    if choice.option is SiteOption.ADDRESS and choice.names == (site,):
        raise OptionError(f"{site} can't be another name of itself: address names the site that the pages are known by")


def _leads_somewhere(options: Options, site: str) -> None:
    beside = options.sites_beside(frozenset({site})) - {site}
    for other in beside:
        if site in options.sites_beside(frozenset({other})) - {other}:
            raise OptionError(
                f"{site} and {other} would be known by each other's name: switch off the option of one of them first"
            )


def _changed(database: CrawlDatabase) -> None:
    database.connection.execute("UPDATE option_change SET times = times + 1")
