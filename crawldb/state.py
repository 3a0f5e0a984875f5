"""In which state is a URL? In exactly one: discovered = queued + leased + done + failed + suppressed."""

from __future__ import annotations

from enum import IntEnum


class State(IntEnum):
    """The state of a discovered URL, as the column `url.state` has it."""

    QUEUED = 0
    LEASED = 1
    DONE = 2
    FAILED = 3
    SUPPRESSED = 4


class Kind(IntEnum):
    """What a discovered URL is asked for, as the column `url.kind` has it."""

    PAGE = 0
    SITEMAP = 1


PAGE_URGENCY = 1  # of a page that changed since it was fetched, as its sitemap says; 0: of any other
SITEMAP_URGENCY = 2  # of a sitemap: what it lists comes after it
FORGOTTEN = "forgotten"  # the rule of what a person took out with forget
