"""How fast may a host be asked? One request at a time and a second apart, unless it is this very machine.

The pace is kept by Scrapy's slot of the host; this says which slot a URL has, and with which delay and concurrency.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from spiders.address import is_loopback


@dataclass(frozen=True, slots=True)
class Pace:
    """Delay in seconds between the starts of two requests to a host, and how many may be under way at once."""

    delay: float
    concurrency: int


@dataclass(frozen=True, slots=True)
class Paces:
    """The pace for hosts elsewhere, and the one for this machine."""

    elsewhere: Pace
    loopback: Pace

    def of(self, host: str) -> Pace:
        """Return the pace for a host."""
        return self.loopback if is_loopback(host) else self.elsewhere


def slot_of(url: str) -> str:
    """Return the slot of a URL: its host, whatever the port, since it is one machine that is spared."""
    return urlsplit(url).hostname or ""
