"""For what does a file speak, and to whom (H31 to H37)? RFC 9309, 2.2.1 to 2.3; RFC 9110, 10.1.2 and 10.1.5."""

from __future__ import annotations

from bench.answers.judging import asks_for_robots, identifies_itself, never_asks, no_credentials, tells_its_owner
from bench.answers.record import Did, Situation, Verdict, site
from bench.answers.reply import moved, rules
from bench.answers.rows.found import RULES


def against(path: str, *names: str) -> tuple[str, ...]:
    """Return the lines that forbid a path to everybody, or to these robots."""
    return (*(f"User-agent: {name}" for name in names or ("*",)), f"Disallow: {path}")


CREDENTIALS = "http://user:secret@h34.localhost:{port}"

ROWS = (
    Situation("H31", {
        "": site(rules(*against("/a")), Did.OBEYED, allowed=("/b", "/c"), forbidden=("/a",)),
        "secure": site(
            rules(*against("/b")), Did.OBEYED, host="h31.localhost", scheme="https",
            allowed=("/a", "/c"), forbidden=("/b",),
        ),
        "port": site(
            rules(*against("/c")), Did.OBEYED, host="h31.localhost", door=1, allowed=("/a", "/b"), forbidden=("/c",)
        ),
    }),
    Situation(
        "H32",
        {
            "": site(
                RULES, Did.OBEYED, allowed=("/open", "/folder/page", "/folder/robots.txt", "/second/page"),
                pages={"/folder/robots.txt": rules(*against("/"))},
            ),
        },
        demanded=(never_asks("/second/robots.txt"),),
    ),
    Situation(
        "H33",
        {"": site(rules(status=404), Did.OPENED, pages={"/ROBOTS.TXT": RULES, "/Robots.txt": RULES})},
        demanded=(never_asks("/ROBOTS.TXT", "/Robots.txt"),),
    ),
    Situation(
        "H34",
        {"": site(RULES, Did.OBEYED, Did.LESS, links=(f"{CREDENTIALS}/open", f"{CREDENTIALS}/private"))},
        advised=(asks_for_robots("", times=1), no_credentials()),
    ),
    Situation(
        "H35",
        {
            "": site(
                rules(*against("/robots.txt"), "Disallow: /private"), Did.OBEYED,
                allowed=("/open", "/robots.txt"), forbidden=("/private", "/robots.txt/page"),
            ),
        },
        demanded=(asks_for_robots("", times=2),),  # before all others, and as a page
    ),
    Situation(
        "H36",
        {
            "": site(
                rules(*against("/private", "BREADCRUMB", "SCRAPY"), *against("/open")), Did.OBEYED
            ),
            # Tokens that are only a part of ours, or stand elsewhere in our header, are those of others.
            "others": site(
                rules(*against("/open", "bread", "scrap", "http", "org", "localhost"), *against("/private")), Did.OBEYED
            ),
        },
        demanded=(identifies_itself(),),
        advised=(tells_its_owner(),),
        otherwise=Verdict.NOT_OFFERED,
    ),
    Situation("H37", {
        "": site(
            RULES, Did.OBEYED,
            links=("/inside", "http://other.h37.localhost:{port}/from", "/open"),
            pages={"/inside": moved(302, "/private")},
        ),
        "other": site(
            rules(*against("/closed")), Did.OBEYED, links=("/from", "/open"), forbidden=("/closed",),
            pages={"/from": moved(302, "/closed")},
        ),
    }),
)  # fmt: skip
