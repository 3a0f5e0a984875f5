"""No file came (H20 to H27): is there none, or is the server in trouble? RFC 9309, 2.3.1.3 and 2.3.1.4."""

from __future__ import annotations

from dataclasses import replace

from bench.answers.judging import asks_for_robots
from bench.answers.record import DAY, HOUR, Did, Site, Situation, Visit, site
from bench.answers.reply import Manner, Reply
from bench.answers.rows.found import RULES

CAUTIOUS = (Did.OBEYED, Did.LESS, Did.WAITED)  # a robot that may fetch everything need not
AS_IF_FREE = (Did.OBEYED, Did.OPENED)
NO_FILE = (400, 404, 410, 418, 451)
DENIED = (401, 403)
IN_TROUBLE = (500, 502, 503)
CLOSED_DOOR = 2  # the server's port that answers nobody


def with_rules(status: int) -> Reply:
    """Return an error whose page would be a robots.txt, if somebody read it as one."""
    return replace(RULES, status=status)


def mended(trouble: Reply, later: float, *permitted: Did) -> Site:
    """Return a site that is in trouble at the first visit, and has rules at the second."""
    return Site((trouble, RULES), (Visit(Did.WAITED, frozenset(permitted)), Visit(Did.OBEYED, later=later)))


BUSY = with_rules(429).with_headers(Retry_After="3600")
MONTH = 30 * DAY

ROWS = (
    Situation(
        "H20",
        {f"code{code}": site(with_rules(code), Did.OPENED, *CAUTIOUS) for code in NO_FILE},
        told={f"code{code}": f"robots.{code}" for code in NO_FILE},
    ),
    Situation(
        "H21",
        {
            **{f"code{code}": site(with_rules(code), Did.OPENED, *CAUTIOUS) for code in DENIED},
            "classic": Site(
                with_rules(403), (Visit(Did.WAITED, frozenset({Did.OPENED, *CAUTIOUS}), waits=False),),
                settings={"ROBOTS_DENIAL": "closed"},
            ),
        },
        told={f"code{code}": f"robots.{code}" for code in DENIED},
    ),
    Situation(
        "H22",
        {"": site(BUSY, Did.WAITED, *AS_IF_FREE), "mended": mended(BUSY, 2 * HOUR, *AS_IF_FREE)},
        advised=(asks_for_robots("", times=1),),
        told={"": "robots.429"},
    ),
    Situation(
        "H23",
        {
            **{f"code{code}": site(with_rules(code), Did.WAITED) for code in IN_TROUBLE},
            "mended": mended(with_rules(500), DAY),
        },
        told={f"code{code}": f"robots.{code}" for code in IN_TROUBLE},
    ),
    Situation(
        "H24",
        {
            "silent": site(Reply(manner=Manner.SILENT), Did.WAITED),
            "reset": site(Reply(manner=Manner.RESET), Did.WAITED),
            "refused": site(Reply(), Did.WAITED, door=CLOSED_DOOR),
            "unknown": site(Reply(), Did.WAITED, host="h24.invalid"),
        },
        told=dict.fromkeys(("silent", "reset", "refused", "unknown"), "robots.unreachable"),
    ),
    Situation("H25", {
        "short": site(replace(RULES, manner=Manner.SHORT), Did.WAITED),
        "chunks": site(replace(RULES, manner=Manner.BAD_CHUNK), Did.WAITED),
    }),
    Situation("H26", {"": site(Reply(manner=Manner.GARBAGE), Did.WAITED)}, told={"": "robots.unreachable"}),
    Situation(
        "H27",
        {
            "weeks": Site(Reply(500), (Visit(Did.WAITED), Visit(Did.WAITED, later=MONTH - DAY))),
            "month": Site(Reply(500), (
                Visit(Did.WAITED), Visit(Did.OPENED, frozenset({Did.WAITED}), later=MONTH + DAY),
            )),
            # Two that have had rules. Those decide again after half a day (Google, 2026), and still after a month.
            "half-day": Site((RULES, Reply(500)), (
                Visit(Did.OBEYED), Visit(Did.WAITED, frozenset({Did.OBEYED}), later=2 * DAY),
                Visit(Did.OBEYED, frozenset({Did.WAITED}), later=13 * HOUR),
            )),
            "copy": Site((RULES, Reply(500)), (
                Visit(Did.OBEYED), Visit(Did.WAITED, frozenset({Did.OBEYED}), later=2 * DAY),
                Visit(Did.OBEYED, frozenset({Did.OPENED, Did.WAITED}), later=MONTH + DAY),
            )),
            "new": Site((Reply(500), Reply(500), RULES), (
                Visit(Did.WAITED), Visit(Did.WAITED, later=2 * DAY), Visit(Did.OBEYED, later=2 * DAY),
            )),
        },
        told={"month": "robots.given_up", "half-day": "robots.last_copy"},
    ),
)  # fmt: skip
