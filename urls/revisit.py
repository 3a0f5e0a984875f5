"""When is a page worth another look? When it has probably changed, as far as its visits so far can tell.

Cho and Garcia-Molina, *Estimating Frequency of Change* (ACM TOIT 3(3), 2003): changes come as a Poisson process, and
of several changes between two visits one is seen. If `unchanged` of `visits` found nothing new, a good estimate with
little bias is -log((unchanged + 0.5) / (visits + 0.5)) changes an interval. That is for regular visits. Ours are not,
and the mean interval stands for them: the exact estimate has no closed form, and a schedule with bounds needs no more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum

DAY = 24 * 3600.0
PATIENCE = 2.0  # times as long as a page was seen to stand still: the longest wait that this alone can bring about
SHARE_OF_AGE = 0.1  # of the age that its server tells: how long a page may be taken for fresh (RFC 9111, 4.2.2)


class Mode(Enum):
    """Which URLs a run asks for: `crawl site -a mode=…`."""

    ALL = "all"  # every page, once a round
    DUE = "due"  # what was never fetched, and the pages whose time has come
    DISCOVER = "discover"  # what was never fetched, and the sitemaps that may tell of more


@dataclass(frozen=True, slots=True)
class Bounds:
    """The shortest and the longest time between two visits, in seconds: MIN_REVISIT and MAX_REVISIT."""

    least: float = 20 * 3600.0
    most: float = 30 * DAY


@dataclass(frozen=True, slots=True)
class History:
    """What the visits to one page have told, as the table `visit` has it. Times in seconds since the epoch."""

    visits: int
    unchanged: int
    seconds: float
    seen_at: float
    still_since: float

    def after(self, at: float, *, changed: bool) -> History:
        """Return the history with one more visit; a clock that was set back makes an interval of nothing."""
        return History(
            self.visits + 1,
            self.unchanged + (not changed),
            self.seconds + max(0.0, at - self.seen_at),
            at,
            at if changed else self.still_since,
        )


def first_visit(at: float) -> History:
    """Return the history of a page that was just fetched for the first time."""
    return History(0, 0, 0.0, at, at)


def change_rate(history: History) -> float:
    """Return the estimated changes a second; infinite where a page changed within no time at all."""
    if history.unchanged >= history.visits:
        return 0.0
    changes = -math.log((history.unchanged + 0.5) / (history.visits + 0.5))
    return changes * history.visits / history.seconds if history.seconds > 0 else math.inf


def seconds_to_wait(history: History, bounds: Bounds, *, interval: float = 0.0, dated: float | None = None) -> float:
    """Return the seconds until the next visit: the mean time between two changes, within what experience allows.

    `interval` are the seconds between the last two visits; `dated` is when the page changed as its server or its
    sitemap says. Nobody knows that a page never changes: so the wait grows with the time that it was seen to stand.
    """
    rate = change_rate(history)
    wanted = 1 / rate if rate else math.inf
    seen = PATIENCE * max(interval, history.seen_at - history.still_since)
    told = SHARE_OF_AGE * (history.seen_at - dated) if dated is not None and dated < history.still_since else 0.0
    return max(bounds.least, min(wanted, max(seen, told), bounds.most))


def time_of_header(last_modified: str) -> float | None:
    """Return the time that a Last-Modified header names, in seconds since the epoch, or None where it names none."""
    try:
        return parsedate_to_datetime(last_modified).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
