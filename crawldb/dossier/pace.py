"""How is the host of a URL treated? How long lies between two requests to it, who asks for that, and when it rests."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from crawldb.moment import moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawldb.tables.hosts import Host


def sentences(host: Host) -> Iterator[str]:
    """Yield what is to be told about a host: nothing where it is never made to wait."""
    if host.delay:
        yield f"At least {host.delay:.3g} s lie between two requests to {host.name}, because of {host.delay_reason}."
    if host.rests_until > time.time():
        yield f"Its host rests until {moment(host.rests_until)}: {host.rest_reason}."
