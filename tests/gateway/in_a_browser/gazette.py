"""A crawl that brings the views into states which a small site does not: main pages, copies, several sites, long words.

Its titles and addresses are as long as they get, without a place to break: what is too wide for a phone is seen here.
"""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from crawldb.tables.robots_files import write_robots
from frontier.job import CrawlJob
from frontier.session import Session
from indexer.following import StopSignal, update
from indexer.links import PageRankSchedule
from pages.content.similarity import ORDERS
from robots import RobotsRecord
from tests.gateway.conftest import REFUSED, SITE, a_page, crawl
from urls.canonical import canonicalize
from urls.records import Link, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

ARCHIVE = "http://archive.gazette.localhost:8400"
WORD = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung"
MENU = tuple(canonicalize(f"{SITE}/{path}") for path in ("births", "ships/" + WORD.lower(), "prizes", "letters"))
TITLES = ("Births, deaths, marriages and whatever else there is to announce in this week's gazette", WORD,
          f"{SITE}/prizes/of-the-gazette/for/the-best-letter?year=2026", "Letters to the gazette " * 6)  # fmt: skip
COPIES = random.Random(5).randbytes(ORDERS)
SHARED = " ".join(f"word{number}" for number in range(400))
COMMENTS = "# a comment\n" * 80
RULES = f"User-agent: *\n{COMMENTS}Disallow: /*/{WORD}$\nAllow: /{'x' * 300}\nDisallow: /private/\n"
_MENU = tuple(Link(url, title) for url, title in zip(MENU, TITLES, strict=True))

PAGES = (
    a_page("/", "The Gazette", "The gazette of the town, each week.", headings=("Gazette",)),
    *(
        a_page(url.removeprefix(SITE), title, f"{title}: what the gazette has of it.", links=_MENU)
        for url, title in zip(MENU, TITLES, strict=True)
    ),
    *(
        a_page(f"/notes/{number}", f"Note {number}", f"Note {number} {SHARED} {number}.", signature=COPIES, links=_MENU)
        for number in range(1, 5)
    ),
    a_page("/same", "Note 1", f"Note 1 {SHARED} 1.", duplicate_of=canonicalize(f"{SITE}/notes/1"),
           refusals=(Refusal(Rule.DUPLICATE, f"the same text as {SITE}/notes/1"),)),
    a_page("/tides", "Tides", "Tides\nAll of the week.\nHigh water\nHigh water comes twice a day. Then boats leave.",
           layout="htht", sections=((0, 1, ""), (2, 2, "high"))),
    a_page("/hints", "Hints", "Where else to look.", links=(Link(REFUSED.url, f"secret gazette {WORD}"),)),
    *(
        replace(a_page("/", title, text, language="de", content_type=kind), url=canonicalize(f"{ARCHIVE}/{path}"))
        for path, title, text, kind in (
            ("", "Das Archiv der Gazette", "Alle Hefte der Gazette seit 1840, auf Papier.", "text/html"),
            ("1840.pdf", f"{WORD} 1840", "Die Gazette von 1840.", "application/pdf"),
        )
    ),
)  # fmt: skip
NOTE = f"{SITE}/notes/2"

STATES = [  # each with words that must be seen
    ("/search?q=gazette", "Filters"),
    ('/search?q="the+gazette+each"', "without the phrase"),
    ("/search?q=secret", "Not fetched"),
    ("/search?q=note", "similar pages"),
    ("/search?q=high+water", "High water comes twice a day."),
    ("/search?" + urlencode({"q": "note", "similar": NOTE}), "Back to all results"),
    (
        "/why?" + urlencode({"url": "HTTP://Bakery.localhost:8400/x/../notes/2#top", "q": "note"}),
        "represents the cluster",
    ),
    ("/why?" + urlencode({"url": REFUSED.url, "q": "secret"}), "robots.txt"),
    ("/why/diff?" + urlencode({"url": NOTE, "with": f"{SITE}/notes/3"}), "that both have"),
]


def make(data_dir: Path) -> None:
    """Crawl and index it."""
    now = time.time()
    session = Session(data_dir, CrawlJob((PAGES[0].url,)))
    file = RobotsRecord(SITE, "PARSED", "answered 200", now, now + 86_400, 200, RULES.encode())
    write_robots(session.database, session.run, file)
    session.close("finished")
    crawl(data_dir, PAGES, (REFUSED,))
    until = StopSignal()
    until.closed.set()
    update(data_dir, until, upkeep=PageRankSchedule())
