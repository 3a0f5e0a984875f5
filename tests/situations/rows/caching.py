"""A file is known already (H28 to H30, H38): for how long, and what if it changes? RFC 9309, 2.4; RFC 9111."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from tests.situations.assessment import asks_conditionally, asks_for_robots
from tests.situations.rows.contents import RULES
from tests.situations.scripted_reply import ScriptedReply, robots_lines
from tests.situations.situation import DAY, HOUR, MINUTE, Did, ExpectedVisit, Grade, PlayedSite, Situation

IN_AN_HOUR = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)


def visited_twice(robots: ScriptedReply, later: float, *, asks: bool, must_ask: bool = False) -> PlayedSite:
    """Return a site that is visited a second time, when its rules may or may not be believed any longer."""
    return PlayedSite(
        robots, (ExpectedVisit(Did.OBEYED), ExpectedVisit(Did.OBEYED, later=later, asks=asks, must_ask=must_ask))
    )


def for_seconds(seconds: int) -> ScriptedReply:
    """Return a file that says for how long it holds."""
    return RULES.with_headers(Cache_Control=f"max-age={seconds}")


CACHED = (
    Situation(
        "H28",
        {
            "young": visited_twice(RULES, DAY - HOUR, asks=False),
            "old": visited_twice(RULES, DAY + HOUR, asks=True, must_ask=True),
            "hour-young": visited_twice(for_seconds(3600), HOUR - MINUTE, asks=False),
            "hour-old": visited_twice(for_seconds(3600), HOUR + MINUTE, asks=True),
            "expires": visited_twice(RULES.with_headers(Expires=IN_AN_HOUR), 2 * HOUR, asks=True),
            "year": visited_twice(for_seconds(365 * 86400), DAY + HOUR, asks=True, must_ask=True),
        },
    ),
    Situation(
        "H29",
        {
            "no-store": visited_twice(RULES.with_headers(Cache_Control="no-store"), 4 * MINUTE, asks=False),
            "no-age": visited_twice(for_seconds(0), 4 * MINUTE, asks=False),
        },
        advised=(asks_for_robots("no-store", times=1), asks_for_robots("no-age", times=1)),
    ),
    Situation(
        "H30",
        {"": visited_twice(replace(RULES, etag='"first"'), DAY + HOUR, asks=True)},
        advised=(asks_conditionally(),),
        otherwise=Grade.NOT_OFFERED,
    ),
    # What was allowed at the first visit has been disallowed since. Its page waits in the queue, and must stay there.
    Situation(
        "H38",
        {
            "": PlayedSite(
                (robots_lines("User-agent: *", "Disallow: /nothing"), RULES),
                (
                    ExpectedVisit(Did.OPENED),
                    ExpectedVisit(Did.OBEYED, later=DAY + HOUR),
                ),
            ),
        },
    ),
)
