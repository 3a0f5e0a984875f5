"""For what does a file speak, to whom (H31 to H37), and what else may it say (H39, H40)?

RFC 9309, 2.2.1 to 2.3; RFC 9110, 10.1.2 and 10.1.5. Pauses and sitemaps are other records by RFC 9309, 2.2.4.
"""

from __future__ import annotations

from tests.situations.assessment import (
    asks,
    asks_for_robots,
    identifies_itself,
    keeps_pauses,
    never_asks,
    no_credentials,
    tells_its_owner,
)
from tests.situations.rows.contents import RULES
from tests.situations.scripted_reply import ScriptedReply, linked_page, redirect, robots_lines
from tests.situations.situation import Did, Grade, Situation, visited_once
from urls.rules import Rule


def against(path: str, *names: str) -> tuple[str, ...]:
    """Return the lines that forbid a path to everybody, or to these robots."""
    return (*(f"User-agent: {name}" for name in names or ("*",)), f"Disallow: {path}")


CREDENTIALS = "http://user:secret@h34.localhost:{port}"

SCOPE = (
    Situation(
        "H31",
        {
            "": visited_once(robots_lines(*against("/a")), Did.OBEYED, allowed=("/b", "/c"), forbidden=("/a",)),
            "secure": visited_once(
                robots_lines(*against("/b")),
                Did.OBEYED,
                host="h31.localhost",
                scheme="https",
                allowed=("/a", "/c"),
                forbidden=("/b",),
            ),
            "port": visited_once(
                robots_lines(*against("/c")),
                Did.OBEYED,
                host="h31.localhost",
                door=1,
                allowed=("/a", "/b"),
                forbidden=("/c",),
            ),
        },
    ),
    Situation(
        "H32",
        {
            "": visited_once(
                RULES,
                Did.OBEYED,
                allowed=("/open", "/folder/page", "/folder/robots.txt", "/second/page"),
                pages={"/folder/robots.txt": robots_lines(*against("/"))},
            ),
        },
        demanded=(never_asks("/second/robots.txt"),),
    ),
    Situation(
        "H33",
        {"": visited_once(robots_lines(status=404), Did.OPENED, pages={"/ROBOTS.TXT": RULES, "/Robots.txt": RULES})},
        demanded=(never_asks("/ROBOTS.TXT", "/Robots.txt"),),
    ),
    Situation(
        "H34",
        {"": visited_once(RULES, Did.OBEYED, Did.LESS, links=(f"{CREDENTIALS}/open", f"{CREDENTIALS}/private"))},
        advised=(asks_for_robots("", times=1), no_credentials()),
    ),
    Situation(
        "H35",
        {
            "": visited_once(
                robots_lines(*against("/robots.txt"), "Disallow: /private"),
                Did.OBEYED,
                allowed=("/open", "/robots.txt"),
                forbidden=("/private", "/robots.txt/page"),
            ),
        },
        demanded=(asks_for_robots("", times=2),),  # before all others, and as a page
    ),
    Situation(
        "H36",
        {
            "": visited_once(robots_lines(*against("/private", "BREADCRUMB", "SCRAPY"), *against("/open")), Did.OBEYED),
            # Tokens that are only a part of ours, or stand elsewhere in our header, are those of others.
            "others": visited_once(
                robots_lines(*against("/open", "bread", "scrap", "http", "org", "localhost"), *against("/private")),
                Did.OBEYED,
            ),
        },
        demanded=(identifies_itself(),),
        advised=(tells_its_owner(),),
        otherwise=Grade.NOT_OFFERED,
    ),
    Situation(
        "H37",
        {
            "": visited_once(
                RULES,
                Did.OBEYED,
                links=("/inside", "http://other.h37.localhost:{port}/from", "/open"),
                pages={"/inside": redirect(302, "/private")},
            ),
            "other": visited_once(
                robots_lines(*against("/closed")),
                Did.OBEYED,
                links=("/from", "/open"),
                forbidden=("/closed",),
                pages={"/from": redirect(302, "/closed")},
            ),
        },
    ),
)

# -- other records -----------------------------------------------------------------------------------------------------

PAUSE = 0.5  # seconds
PAUSE_CAP = 0.8  # seconds; what a robot is told to be the longest that it lets itself be asked for
PLACES = ("/open", "/second", "/third")
XML = "application/xml"


def listing(*paths: str) -> ScriptedReply:
    """Return a sitemap of H40's site."""
    urls = "".join(f"<url><loc>http://h40.localhost:{{port}}{path}</loc></url>" for path in paths)
    head = '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return ScriptedReply(body=f"{head}{urls}</urlset>".encode(), kind=XML)


OTHER_RECORDS = (
    Situation(
        "H39",
        {
            # It stands between the lines that name a group and its rules, and does not part them.
            "": visited_once(
                robots_lines(
                    "User-agent: other",
                    f"Crawl-delay: {PAUSE}",
                    "User-agent: *",
                    f"Crawl-delay: {PAUSE}",
                    "Disallow: /private",
                ),
                Did.OBEYED,
                allowed=PLACES,
            ),
            "huge": visited_once(
                robots_lines("User-agent: *", "Crawl-delay: 1000000000", "Disallow: /private"),
                Did.OBEYED,
                allowed=PLACES,
            ),
        },
        advised=(keeps_pauses("", PAUSE), keeps_pauses("huge", PAUSE_CAP)),
        told={"huge": Rule.CRAWL_DELAY},
        otherwise=Grade.NOT_OFFERED,
    ),
    Situation(
        "H40",
        {
            "": visited_once(
                robots_lines(
                    "Sitemap: http://h40.localhost:{port}/map.xml",
                    "Sitemap: /relative.xml",
                    "Sitemap: ftp://h40.localhost/map.xml",
                    "User-agent: *",
                    "Disallow: /private",
                ),
                Did.OBEYED,
                pages={
                    "/listed": linked_page("listed"),
                    "/map.xml": listing("/listed", "/private"),
                    "/relative.xml": listing("/open"),
                },
            ),
        },
        advised=(asks("/listed"), never_asks("/relative.xml")),
        otherwise=Grade.NOT_OFFERED,
    ),
)
