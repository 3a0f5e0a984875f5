"""The file is elsewhere (H13 to H19), or so it seems: redirects, and what only looks like one. RFC 9309, 2.3.1.2."""

from __future__ import annotations

from dataclasses import replace

from bench.answers.judging import never_asks
from bench.answers.record import Did, Site, Situation, site
from bench.answers.reply import HTML, Reply, moved, rules
from bench.answers.rows.found import RULES

CODES = (301, 302, 303, 307, 308)


def behind(hops: int, right: Did, *permitted: Did) -> Site:
    """Return a site whose rules are so many redirects away."""
    pages = {f"/hop{number}": moved(302, f"/hop{number + 1}") for number in range(1, hops)}
    return site(moved(302, "/hop1"), right, *permitted, pages=pages | {f"/hop{hops}": RULES})


ROWS = (
    Situation("H13", {
        **{f"code{code}": site(moved(code, "/rules"), Did.OBEYED, pages={"/rules": RULES}) for code in CODES},
        "five": behind(5, Did.OBEYED),
    }),
    Situation("H14", {"": behind(6, Did.OPENED, Did.OBEYED)}),
    Situation(
        "H15",
        {
            "": site(moved(301, "/robots.txt"), Did.OPENED, Did.WAITED),
            "two": site(moved(301, "/two"), Did.OPENED, Did.WAITED, pages={"/two": moved(301, "/robots.txt")}),
        },
        told=dict.fromkeys(("", "two"), "robots.redirect_loop"),
    ),
    Situation("H16", {
        "": site(moved(301, "http://other.h16.localhost:{port}/shared"), Did.OBEYED),
        "other": site(
            rules("User-agent: *", "Disallow: /open"), Did.OBEYED,
            allowed=("/private",), forbidden=("/open",), pages={"/shared": RULES},
        ),
    }),
    Situation("H17", {"": site(replace(RULES, status=302), Did.OPENED, Did.OBEYED, Did.WAITED)}),
    Situation("H18", {"": site(Reply(304), Did.WAITED, Did.OPENED)}),
    Situation(
        "H19",
        {
            "": site(
                Reply(body=b'<meta http-equiv="refresh" content="0; url=/others">\n' + RULES.body, kind=HTML),
                Did.OBEYED, pages={"/others": rules("User-agent: *", "Disallow: /open")},
            ),
        },
        demanded=(never_asks("/others"),),
    ),
)  # fmt: skip
