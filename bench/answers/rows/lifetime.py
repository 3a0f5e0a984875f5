"""A file is known already (H28 to H30, H38): for how long, and what if it changes? RFC 9309, 2.4; RFC 9111."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from bench.answers.judging import asks_conditionally, asks_for_robots
from bench.answers.record import DAY, HOUR, MINUTE, Did, Site, Situation, Verdict, Visit
from bench.answers.reply import Reply, rules
from bench.answers.rows.found import RULES

IN_AN_HOUR = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)


def kept(robots: Reply, later: float, *, asks: bool, must_ask: bool = False) -> Site:
    """Return a site that is visited a second time, when its rules may or may not be believed any longer."""
    return Site(robots, (Visit(Did.OBEYED), Visit(Did.OBEYED, later=later, asks=asks, must_ask=must_ask)))


def for_seconds(seconds: int) -> Reply:
    """Return a file that says for how long it holds."""
    return RULES.with_headers(Cache_Control=f"max-age={seconds}")


ROWS = (
    Situation("H28", {
        "young": kept(RULES, DAY - HOUR, asks=False),
        "old": kept(RULES, DAY + HOUR, asks=True, must_ask=True),
        "hour-young": kept(for_seconds(3600), HOUR - MINUTE, asks=False),
        "hour-old": kept(for_seconds(3600), HOUR + MINUTE, asks=True),
        "expires": kept(RULES.with_headers(Expires=IN_AN_HOUR), 2 * HOUR, asks=True),
        "year": kept(for_seconds(365 * 86400), DAY + HOUR, asks=True, must_ask=True),
    }),
    Situation(
        "H29",
        {
            "no-store": kept(RULES.with_headers(Cache_Control="no-store"), 4 * MINUTE, asks=False),
            "no-age": kept(for_seconds(0), 4 * MINUTE, asks=False),
        },
        advised=(asks_for_robots("no-store", times=1), asks_for_robots("no-age", times=1)),
    ),
    Situation(
        "H30",
        {"": kept(replace(RULES, etag='"first"'), DAY + HOUR, asks=True)},
        advised=(asks_conditionally(),),
        otherwise=Verdict.NOT_OFFERED,
    ),
    # What was allowed at the first visit has been disallowed since. Its page waits in the queue, and must stay there.
    Situation("H38", {
        "": Site((rules("User-agent: *", "Disallow: /nothing"), RULES), (
            Visit(Did.OPENED), Visit(Did.OBEYED, later=DAY + HOUR),
        )),
    }),
)  # fmt: skip
