"""Which page of a host comes first, and when is a page due again?

The order is breadth first or, as an option, by the probable importance of a page. Pages with many links to them, and
those near the home page, are the ones that people look for (Cho, Garcia-Molina and Page, *Efficient Crawling Through
URL Ordering*, WWW7, 1998). A site lists in its sitemap what it wants found. A page that changes often is out of date
soonest. The weights are ours; they add up to 1.

A page is due when it has probably changed, judging by its visits so far. Cho and Garcia-Molina, *Estimating Frequency
of Change* (ACM TOIT 3(3), 2003): changes are a Poisson process, and of several changes between two visits one is seen.
If `unchanged` of `visits` found nothing new, a good estimate with little bias is -log((unchanged + 0.5) / (visits +
0.5)) changes an interval. That holds for regular visits. Ours are irregular, and the mean interval replaces them: the
exact estimate has no closed form, and a schedule with bounds needs no more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

NEAR = 0.45  # weight of the distance from a seed, which halves with each link
LINKED = 0.30  # … of the pages that link to it, by their logarithm
LISTED = 0.15  # … of standing in a sitemap
LIVELY = 0.10  # … of changing once a day or more
MAX_INLINKS = 100  # pages that are counted: more tell no more
LEAST_APART = 1e-9  # every priority is below UNSET
UNSET = 1.0  # the priority of a URL that has none yet, so that it is met first

DAY = 24 * 3600.0
MIN_REVISIT = 20 * 3600.0  # seconds: less than a day, so that a nightly crawl fetches a lively page each night
PATIENCE = 2.0  # times as long as a page was seen to stand still: the longest wait that this alone can bring about
SHARE_OF_AGE = 0.1  # of the age that its server tells: how long a page may be taken for fresh (RFC 9111, 4.2.2)


class Priority(Enum):
    """The orders within a host that the engine has: setting `PRIORITY`."""

    BREADTH = "breadth"
    WORTH = "worth"


def worth(depth: int, inlinks: int, listed: int, changes: float) -> float:
    """Return the probable importance of a page: more than 0, less than 1.

    `depth` counts links from a seed, `listed` is 1 for a URL in a sitemap, `changes` is a rate a day.
    """
    near = 0.5**depth
    linked = math.log1p(min(inlinks, MAX_INLINKS)) / math.log1p(MAX_INLINKS)
    total = NEAR * near + LINKED * linked + LISTED * (listed > 0) + LIVELY * min(max(changes, 0.0), 1.0)
    return min(total, UNSET - LEAST_APART)


class Mode(Enum):
    """Which URLs a run asks for: `crawl site -a mode=…`."""

    ALL = "all"  # every page, once a round
    DUE = "due"  # what was never fetched, and the pages whose time has come
    DISCOVER = "discover"  # what was never fetched, and the sitemaps that may tell of more


@dataclass(frozen=True, slots=True)
class RevisitBounds:
    """The shortest and the longest time between two visits, in seconds."""

    least: float = MIN_REVISIT
    most: float = 30 * DAY


@dataclass(frozen=True, slots=True)
class VisitHistory:
    """The results of the visits to one page, as in the table `visit`. Times in seconds since the epoch."""

    visits: int
    unchanged: int
    seconds: float
    seen_at: float
    still_since: float

    def after(self, at: float, *, changed: bool) -> VisitHistory:
        """Return the history with one more visit; a clock that was set back makes an interval of nothing."""
        return VisitHistory(
            self.visits + 1,
            self.unchanged + (not changed),
            self.seconds + max(0.0, at - self.seen_at),
            at,
            at if changed else self.still_since,
        )


def first_visit(at: float) -> VisitHistory:
    """Return the history of a page that was just fetched for the first time."""
    return VisitHistory(0, 0, 0.0, at, at)


def change_rate(history: VisitHistory) -> float:
    """Return the estimated changes a second; infinite where a page changed within no time at all."""
    if history.unchanged >= history.visits:
        return 0.0
    changes = -math.log((history.unchanged + 0.5) / (history.visits + 0.5))
    return changes * history.visits / history.seconds if history.seconds > 0 else math.inf


def seconds_to_wait(
    history: VisitHistory, bounds: RevisitBounds, *, interval: float = 0.0, dated: float | None = None
) -> float:
    """Return the seconds until the next visit: the mean time between two changes, within what experience allows.

    `interval` are the seconds between the last two visits; `dated` is when the page changed as its server or its
    sitemap says. No evidence shows that a page never changes: so the wait grows with the time without a change.
    """
    rate = change_rate(history)
    wanted = 1 / rate if rate else math.inf
    seen = PATIENCE * max(interval, history.seen_at - history.still_since)
    by_date = SHARE_OF_AGE * (history.seen_at - dated) if dated is not None and dated < history.still_since else 0.0
    return max(bounds.least, min(wanted, max(seen, by_date), bounds.most))
