"""The settings of a gateway, as `./breadcrumb serve` reads them. The views read nothing else.

This module imports no Flask, so a command can fill the record quickly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from indexer.ranking.weights import Formula

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawldb.database import CrawlDatabase
    from indexer.evaluation import JudgedQuery
    from urls.policy import Policy


SUBMITS_PER_HOUR = 20  # URLs that all visitors together may submit


def _policy_in(database: CrawlDatabase, **around: Any) -> Policy:
    from frontier.policy_in_force import policy_in  # noqa: PLC0415 - `search` imports this file, and needs no policy

    return policy_in(database, **around)


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """The settings of a gateway, under the names of docs/settings.md in lower case; times are in seconds."""

    product: str = "Breadcrumb"
    contact: str = ""
    bot_url: str = ""  # the public URL of this gateway: it accepts requests for that host, too
    allowed_hosts: tuple[str, ...] = ()  # more host names that it accepts
    allow_submit: bool = False
    submits_per_hour: int = SUBMITS_PER_HOUR
    complaints_per_hour: int = 20  # from all visitors together; 0: /bot has no form
    admin_token: str = ""  # at least 16 characters; "": /admin is off
    admin_over_http: bool = False  # whether /admin opens over plain HTTP from a network
    search_timeout: float = 3.0  # for one query; what is left out is named
    download_delay: float = 1.0
    max_crawl_delay: float = 60.0
    max_host_rest: float = 3600.0  # as spiders/pace/host_pace.py has it
    concurrent_requests_per_domain: int = 1
    stale_after: int = 3  # consecutive 404 or 410 responses after which a page is not fetched again; Why? says so
    link_only_results: bool = True  # whether a page that robots.txt disallows is found by the links to it
    near_duplicate_threshold: float = 0.45  # of the crawl: /inside/duplicates starts there
    folder: str = ""  # the option, after a space, that names the data folder in the commands shown
    policy_of: Callable[..., Policy] = _policy_in  # the URL policy for Why? and for submitted URLs
    formula: Formula = field(default_factory=Formula)  # from the settings RANKING, SPOOF_SIGNALS and SPOOF_PENALTY
    judgements: tuple[JudgedQuery, ...] = ()  # that rate a tuned ranking: serve --judgements
