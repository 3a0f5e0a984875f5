"""What should be known before a robot goes out? That it can do harm, whose it is, and which seeds it refuses.

*HTTP: The Definitive Guide*, 9.1.3: a robot in a cycle wastes its own time, loads the server, and fills the results
with copies; and a site owner whose server is brought down by one has ground for a complaint, and for more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from spiders.address_policy import ASK_FOR_IDENTITY, is_local_name, is_loopback, is_public_host
from spiders.identity import IdentityError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frontier.session import Session
    from spiders.conduct import Conduct


NOTICE = (
    "This is the first crawl into this folder, and it leaves this machine. A robot that walks in a circle wastes its\n"
    "time, loads other people's servers and fills the results with copies. Overload can be ground for a complaint,\n"
    "and you answer for it: look at ./breadcrumb report traps while it runs. Ctrl-C stops it in order, and\n"
    "./breadcrumb block SITE ends a complaint."
)


def first_run_notice(run: int, hosts: Iterable[str]) -> str:
    """Return the notice for the first run of a folder with a seed on another machine than this; else ""."""
    return NOTICE if run == 1 and any(not is_loopback(host) for host in hosts) else ""


def refused_seeds(session: Session) -> Iterable[str]:
    """Yield a sentence for each seed that was given and is refused."""
    for rule, refusals in session.seeds_found.refused.items():
        for url, reason, _ in refusals:
            yield f"the seed {url} is refused ({rule}): {reason}"


def check_owner_is_known(conduct: Conduct, seeds: Iterable[str]) -> None:
    """Raise `IdentityError` where a seed is on the internet and nobody could tell whose robot this is."""
    if conduct.identity.complete:
        return
    for seed in seeds:
        host = urlsplit(seed).hostname or ""
        if not is_local_name(host) and _may_be_public(host):
            raise IdentityError(f"{seed} is on the internet: {ASK_FOR_IDENTITY}")


def _may_be_public(host: str) -> bool:
    try:
        return is_public_host(host)
    except (OSError, UnicodeError):
        return True  # nobody knows where it is; the operator's own names would be known here
