"""How fast may it go? Crawl-delay, which no text defines, and Request-rate, from a proposal of 1996.

    Crawl-delay: 10                  ten seconds from one visit to the next, as it is mostly read
    Request-rate: 1/10s              one page in 10 seconds
    Request-rate: 30/5m              thirty pages in five minutes
    Request-rate: 1/10m 0800-1800    one page in ten minutes, from eight to six (UTC)

A window of hours is read and then ignored: the rate holds at all hours. That keeps the rate within the window, and
outside it the robot is only slower than it need be. A rate is an average. A robot that spaces its visits evenly keeps
it best, so `seconds_per_request` is the time between two visits, as a Crawl-delay is.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from robots.lines import Field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from robots.lines import LineTuple

_UNITS: Final[Mapping[bytes, int]] = MappingProxyType({b"": 1, b"s": 1, b"m": 60, b"h": 3600, b"d": 86400})  # seconds
# At most nine digits: no rate needs more, and int() has its own limit on what a hostile file may write.
_RATE: Final = re.compile(rb"(\d{1,9})\s*/\s*(\d{1,9})\s*([smhd]?)(?:\s+\d{3,4}\s*-\s*\d{3,4})?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `requests` in `seconds`. There is at least one request; 0 seconds mean no limit."""

    requests: int
    seconds: float

    @property
    def seconds_per_request(self) -> float:
        """The seconds between two visits that keep the rate."""
        return self.seconds / self.requests


def rate_of(value: bytes) -> Rate | None:
    """Read a Request-rate; return None for what is no rate. Zero requests are no rate either: Disallow says that."""
    found = _RATE.fullmatch(value)
    if found is None or not int(found[1]):
        return None
    return Rate(int(found[1]), float(int(found[2]) * _UNITS[found[3].lower()]))


def delay_seconds(value: bytes) -> float | None:
    """Read a Crawl-delay; return None for what is no number of seconds. The caller says which delay is too long."""
    if value.strip(b"0123456789.eE+"):  # "nan", "inf" and "1_000" are numbers to float()
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def slowest_delay(paces: Sequence[LineTuple]) -> float | None:
    """Return the greatest Crawl-delay. Of several for one robot the slowest counts, because it does no harm."""
    delays = (delay_seconds(value) for _, field, value in paces if field is Field.CRAWL_DELAY)
    return max((delay for delay in delays if delay is not None), default=None)


def slowest_rate(paces: Sequence[LineTuple]) -> Rate | None:
    """Return the slowest Request-rate, for the same reason."""
    rates = (rate_of(value) for _, field, value in paces if field is Field.REQUEST_RATE)
    return max((rate for rate in rates if rate), key=attrgetter("seconds_per_request"), default=None)
