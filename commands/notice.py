"""What should be known before a robot leaves the house for the first time? That it can do harm, and to whom.

*HTTP: The Definitive Guide*, 9.1.3: a robot in a cycle wastes its own time, loads the server, and fills the results
with copies; and a site owner whose server is brought down by one has ground for a complaint, and for more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spiders.address import is_loopback

if TYPE_CHECKING:
    from collections.abc import Iterable

NOTICE = (
    "This is the first crawl into this folder, and it leaves this machine. A robot that walks in a circle wastes its\n"
    "time, loads other people's servers and fills the results with copies. Overload can be ground for a complaint,\n"
    "and you answer for it: look at ./breadcrumb report traps while it runs. Ctrl-C stops it in order, and\n"
    "./breadcrumb block SITE ends a complaint."
)


def first_run_notice(run: int, hosts: Iterable[str]) -> str:
    """Return the notice for the first run of a folder with a seed on another machine than this; else ""."""
    return NOTICE if run == 1 and any(not is_loopback(host) for host in hosts) else ""
