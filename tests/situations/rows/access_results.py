"""The file is elsewhere (H13 to H19), or none came (H20 to H27): what may be fetched then?

Access results by RFC 9309: redirects (2.3.1.2), no file (2.3.1.3), a server in trouble (2.3.1.4).
"""

from __future__ import annotations

from dataclasses import replace

from tests.situations.assessment import asks_for_robots, never_asks
from tests.situations.rows.contents import RULES
from tests.situations.scripted_reply import HTML, Manner, ScriptedReply, redirect, robots_lines
from tests.situations.situation import DAY, HOUR, Did, ExpectedVisit, PlayedSite, Situation, visited_once

# -- it is elsewhere, or so it seems -----------------------------------------------------------------------------------

CODES = (301, 302, 303, 307, 308)


def behind(hops: int, right: Did, *permitted: Did) -> PlayedSite:
    """Return a site whose rules are so many redirects away."""
    pages = {f"/hop{number}": redirect(302, f"/hop{number + 1}") for number in range(1, hops)}
    return visited_once(redirect(302, "/hop1"), right, *permitted, pages=pages | {f"/hop{hops}": RULES})


REDIRECTED = (
    Situation(
        "H13",
        {
            **{
                f"code{code}": visited_once(redirect(code, "/rules"), Did.OBEYED, pages={"/rules": RULES})
                for code in CODES
            },
            "five": behind(5, Did.OBEYED),
        },
    ),
    Situation("H14", {"": behind(6, Did.OPENED, Did.OBEYED)}),
    Situation(
        "H15",
        {
            "": visited_once(redirect(301, "/robots.txt"), Did.OPENED, Did.WAITED),
            "two": visited_once(
                redirect(301, "/two"), Did.OPENED, Did.WAITED, pages={"/two": redirect(301, "/robots.txt")}
            ),
        },
        told=dict.fromkeys(("", "two"), "robots.redirect_loop"),
    ),
    Situation(
        "H16",
        {
            "": visited_once(redirect(301, "http://other.h16.localhost:{port}/shared"), Did.OBEYED),
            "other": visited_once(
                robots_lines("User-agent: *", "Disallow: /open"),
                Did.OBEYED,
                allowed=("/private",),
                forbidden=("/open",),
                pages={"/shared": RULES},
            ),
        },
    ),
    Situation("H17", {"": visited_once(replace(RULES, status=302), Did.OPENED, Did.OBEYED, Did.WAITED)}),
    Situation("H18", {"": visited_once(ScriptedReply(304), Did.WAITED, Did.OPENED)}),
    Situation(
        "H19",
        {
            "": visited_once(
                ScriptedReply(body=b'<meta http-equiv="refresh" content="0; url=/others">\n' + RULES.body, kind=HTML),
                Did.OBEYED,
                pages={"/others": robots_lines("User-agent: *", "Disallow: /open")},
            ),
        },
        demanded=(never_asks("/others"),),
    ),
)

# -- no file came ----------------------------------------------------------------------------------------------------

CAUTIOUS = (Did.OBEYED, Did.LESS, Did.WAITED)  # a robot that may fetch everything need not
AS_IF_FREE = (Did.OBEYED, Did.OPENED)
NO_FILE = (400, 404, 410, 418, 451)
DENIED = (401, 403)
IN_TROUBLE = (500, 502, 503)
CLOSED_DOOR = 2  # the server's port that answers nobody


def with_rules(status: int) -> ScriptedReply:
    """Return an error whose page would be a robots.txt, if somebody read it as one."""
    return replace(RULES, status=status)


def mended(trouble: ScriptedReply, later: float, *permitted: Did) -> PlayedSite:
    """Return a site that is in trouble at the first visit, and has rules at the second."""
    return PlayedSite(
        (trouble, RULES), (ExpectedVisit(Did.WAITED, frozenset(permitted)), ExpectedVisit(Did.OBEYED, later=later))
    )


BUSY = with_rules(429).with_headers(Retry_After="3600")
MONTH = 30 * DAY

UNAVAILABLE = (
    Situation(
        "H20",
        {f"code{code}": visited_once(with_rules(code), Did.OPENED, *CAUTIOUS) for code in NO_FILE},
        told={f"code{code}": f"robots.{code}" for code in NO_FILE},
    ),
    Situation(
        "H21",
        {
            **{f"code{code}": visited_once(with_rules(code), Did.OPENED, *CAUTIOUS) for code in DENIED},
            "classic": PlayedSite(
                with_rules(403),
                (ExpectedVisit(Did.WAITED, frozenset({Did.OPENED, *CAUTIOUS}), waits=False),),
                settings={"ROBOTS_DENIAL": "closed"},
            ),
        },
        told={f"code{code}": f"robots.{code}" for code in DENIED},
    ),
    Situation(
        "H22",
        {"": visited_once(BUSY, Did.WAITED, *AS_IF_FREE), "mended": mended(BUSY, 2 * HOUR, *AS_IF_FREE)},
        advised=(asks_for_robots("", times=1),),
        told={"": "robots.429"},
    ),
    Situation(
        "H23",
        {
            **{f"code{code}": visited_once(with_rules(code), Did.WAITED) for code in IN_TROUBLE},
            "mended": mended(with_rules(500), DAY),
        },
        told={f"code{code}": f"robots.{code}" for code in IN_TROUBLE},
    ),
    Situation(
        "H24",
        {
            "silent": visited_once(ScriptedReply(manner=Manner.SILENT), Did.WAITED),
            "reset": visited_once(ScriptedReply(manner=Manner.RESET), Did.WAITED),
            "refused": visited_once(ScriptedReply(), Did.WAITED, door=CLOSED_DOOR),
            "unknown": visited_once(ScriptedReply(), Did.WAITED, host="h24.invalid"),
        },
        told=dict.fromkeys(("silent", "reset", "refused", "unknown"), "robots.unreachable"),
    ),
    Situation(
        "H25",
        {
            "short": visited_once(replace(RULES, manner=Manner.SHORT), Did.WAITED),
            "chunks": visited_once(replace(RULES, manner=Manner.BAD_CHUNK), Did.WAITED),
        },
    ),
    Situation(
        "H26",
        {"": visited_once(ScriptedReply(manner=Manner.GARBAGE), Did.WAITED)},
        told={"": "robots.unreachable"},
    ),
    Situation(
        "H27",
        {
            "weeks": PlayedSite(
                ScriptedReply(500),
                (
                    ExpectedVisit(Did.WAITED),
                    ExpectedVisit(Did.WAITED, later=MONTH - DAY),
                ),
            ),
            "month": PlayedSite(
                ScriptedReply(500),
                (
                    ExpectedVisit(Did.WAITED),
                    ExpectedVisit(Did.OPENED, frozenset({Did.WAITED}), later=MONTH + DAY),
                ),
            ),
            # Two that have had rules. Those decide again after half a day (Google, 2026), and still after a month.
            "half-day": PlayedSite(
                (RULES, ScriptedReply(500)),
                (
                    ExpectedVisit(Did.OBEYED),
                    ExpectedVisit(Did.WAITED, frozenset({Did.OBEYED}), later=2 * DAY),
                    ExpectedVisit(Did.OBEYED, frozenset({Did.WAITED}), later=13 * HOUR),
                ),
            ),
            "copy": PlayedSite(
                (RULES, ScriptedReply(500)),
                (
                    ExpectedVisit(Did.OBEYED),
                    ExpectedVisit(Did.WAITED, frozenset({Did.OBEYED}), later=2 * DAY),
                    ExpectedVisit(Did.OBEYED, frozenset({Did.OPENED, Did.WAITED}), later=MONTH + DAY),
                ),
            ),
            "new": PlayedSite(
                (ScriptedReply(500), ScriptedReply(500), RULES),
                (
                    ExpectedVisit(Did.WAITED),
                    ExpectedVisit(Did.WAITED, later=2 * DAY),
                    ExpectedVisit(Did.OBEYED, later=2 * DAY),
                ),
            ),
        },
        told={"month": "robots.given_up", "half-day": "robots.last_copy"},
    ),
)
