"""What the standard leaves to others (H39, H40): a wish for pauses, and lists of pages. RFC 9309, 2.2.4."""

from __future__ import annotations

from bench.answers.judging import asks, keeps_pauses, never_asks
from bench.answers.record import Did, Situation, Verdict, site
from bench.answers.reply import Reply, page, rules

PAUSE = 0.5  # seconds
PAUSE_CAP = 0.8  # seconds; what a robot is told to be the longest that it lets itself be asked for
PLACES = ("/open", "/second", "/third")
XML = "application/xml"


def listing(*paths: str) -> Reply:
    """Return a sitemap of H40's site."""
    urls = "".join(f"<url><loc>http://h40.localhost:{{port}}{path}</loc></url>" for path in paths)
    head = '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return Reply(body=f"{head}{urls}</urlset>".encode(), kind=XML)


ROWS = (
    Situation(
        "H39",
        {
            # It stands between the lines that name a group and its rules, and does not part them.
            "": site(
                rules("User-agent: other", f"Crawl-delay: {PAUSE}", "User-agent: *", f"Crawl-delay: {PAUSE}",
                      "Disallow: /private"),
                Did.OBEYED, allowed=PLACES,
            ),
            "huge": site(
                rules("User-agent: *", "Crawl-delay: 1000000000", "Disallow: /private"), Did.OBEYED, allowed=PLACES
            ),
        },
        advised=(keeps_pauses("", PAUSE), keeps_pauses("huge", PAUSE_CAP)),
        told={"huge": "crawl-delay"},
        otherwise=Verdict.NOT_OFFERED,
    ),
    Situation(
        "H40",
        {
            "": site(
                rules("Sitemap: http://h40.localhost:{port}/map.xml", "Sitemap: /relative.xml",
                      "Sitemap: ftp://h40.localhost/map.xml", "User-agent: *", "Disallow: /private"),
                Did.OBEYED,
                pages={
                    "/listed": page("listed"),
                    "/map.xml": listing("/listed", "/private"),
                    "/relative.xml": listing("/open"),
                },
            ),
        },
        advised=(asks("/listed"), never_asks("/relative.xml")),
        otherwise=Verdict.NOT_OFFERED,
    ),
)  # fmt: skip
