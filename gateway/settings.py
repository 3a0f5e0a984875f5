"""What is a gateway told by whoever runs it? Who they are, what visitors may do, and how the crawl behaves.

`./breadcrumb serve` reads the settings and fills this record; the views read nothing else. The policy page tells the
owners of sites what the record says of the crawl.

The file is short because it stands alone: whoever fills the record need not wait for Flask.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from frontier.policy_in_force import policy_in
from indexer.ranking.weights import Formula

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.evaluation import JudgedQuery
    from urls.policy import Policy


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """The settings of a gateway, under the names of docs/settings.md in small letters; times are in seconds."""

    product: str = "Breadcrumb"
    contact: str = ""
    bot_url: str = ""  # a public address of this gateway: requests are answered under its host too
    allowed_hosts: tuple[str, ...] = ()  # names under which it answers, too
    allow_submit: bool = False
    submits_per_hour: int = 20
    complaints_per_hour: int = 20  # proposals of a block, of all visitors of the policy page; 0: it has no form
    request_log: str = ""  # a file in the data folder, "-" for standard error; "": none
    request_log_format: str = "common"  # or "json"
    request_log_queries: bool = False  # whether the words that people search for stay in it
    request_log_bytes: int = 10 * 1024 * 1024  # of a file; then another is begun, and five older ones are kept
    admin_token: str = ""  # what opens the admin page, at least 16 characters; "": it is off
    admin_over_http: bool = False  # whether it opens where others on the way can read the token
    search_timeout: float = 3.0  # for one question; what is due later is left out, and named
    download_delay: float = 1.0
    max_crawl_delay: float = 60.0
    max_host_rest: float = 3600.0
    concurrent_requests_per_domain: int = 1
    stale_after: int = 3  # 404 or 410 answers in a row, after which a round no longer asks: what Why? promises
    link_only_results: bool = True  # whether a page that robots.txt forbids is a result by the links to it
    near_duplicate_threshold: float = 0.45  # of the crawl: /inside/duplicates begins there
    folder: str = ""  # the option by which the commands that are shown name the data folder, after a blank
    policy_of: Callable[..., Policy] = policy_in  # by which Why? and what visitors hand in are judged
    formula: Formula = field(default_factory=Formula)  # of the settings RANKING, SPOOF_SIGNALS and SPOOF_PENALTY
    judgements: tuple[JudgedQuery, ...] = ()  # by which a change of the ranking is judged: serve --judgements
