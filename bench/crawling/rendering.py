"""What does a rendered page cost, and does it say the same as the page written as HTML?

    bench/crawl rendering [--pages 20] [--json]

It crawls a site on loopback twice: once with pages that are written as HTML, once with pages that a script fills from a
file of data. It shows the CPU of the browser for each page, the largest memory of a process that ran pages, how many
texts are the same, and how many requests reached a forbidden path by the server's own log. Needs Chromium.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from bench.harness.cost import measure_command
from bench.harness.program import parser_of, show
from bench.harness.start import ROOT
from crawldb.database import CrawlDatabase
from crawldb.pages.pages import Pages
from tests.journey.conftest import served_site
from tests.own_commands import our_command
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from tests.journey.conftest import Answer

HTML, SCRIPT, DATA = "text/html; charset=utf-8", "text/javascript", "application/json"
FILL = """
fetch("/closed/secret.json").catch(() => 0);
fetch(location.pathname + ".json").then(answer => answer.json()).then(lines => {
  document.getElementById("app").innerHTML = lines.map(line => "<p>" + line + "</p>").join("");
});
"""


@dataclass(frozen=True, slots=True)
class Rendered:
    """The figures of both crawls: seconds, and bytes of resident memory."""

    pages: int
    rendered: int
    same_text: int
    browser_cpu: float  # of a page, the median
    crawl_cpu: float  # of a page: what the crawl itself takes more than for HTML
    start_cpu: float  # of the browser for the first page, beyond the median
    memory: tuple[int, ...]  # of the largest processes, the largest first; shared pages count in each
    forbidden: int  # requests that reached the forbidden path


def lines_of(number: int) -> list[str]:
    """Return the text of a page, which no other page has."""
    return [
        f"Line {line} of lot {number}: hemp rope of {number * 7 + line} fathoms, tarred twice." for line in range(30)
    ]


def sites(pages: int) -> tuple[dict[str, Answer], dict[str, Answer]]:
    """Return the site as HTML and the same with scripts, each page under the same path."""
    links = "".join(f'<a href="/lot{number}">lot {number}</a> ' for number in range(pages))
    shared: dict[str, Answer] = {
        "/": (200, {"Content-Type": HTML}, f"<title>Lots</title><p>All the lots of today.</p>{links}".encode()),
        "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /closed/\n"),
        "/fill.js": (200, {"Content-Type": SCRIPT}, FILL.encode()),
    }
    written, scripted = dict(shared), dict(shared)
    for number in range(pages):
        head = f"<!doctype html><html><head><title>Lot {number}</title></head><body>"
        text = "".join(f"<p>{line}</p>" for line in lines_of(number))
        written[f"/lot{number}"] = 200, {"Content-Type": HTML}, f'{head}<div id="app">{text}</div>'.encode()
        shell = f'{head}<div id="app"></div><script src="/fill.js"></script>'
        scripted[f"/lot{number}"] = 200, {"Content-Type": HTML}, shell.encode()
        scripted[f"/lot{number}.json"] = 200, {"Content-Type": DATA}, json.dumps(lines_of(number)).encode()
    return written, scripted


def texts(folder: Path) -> dict[str, str]:
    """Return the text of each stored page, by its path."""
    with CrawlDatabase(folder, readonly=True) as database:
        urls = [url for (url,) in database.connection.execute("SELECT url.url FROM page JOIN url ON url.id = page.url")]
        pages = [(url, Pages(database).get(canonicalize(url))) for url in urls]
    return {url.split("/", 3)[3]: page.text for url, page in pages if page is not None}


def measured(pages: int) -> Rendered:
    """Crawl both sites, and compare them."""
    found = []
    with tempfile.TemporaryDirectory() as parent, served_site() as site:
        for name, served in zip(("written", "scripted"), sites(pages), strict=True):
            site.pages.clear()
            site.pages.update(served)
            folder = Path(parent) / name
            settings = {"RENDER": "auto", "RENDER_SANDBOX": "no", "PROBE_AFTER": 0, "INDEX_FOLLOW": "no"}
            command = our_command("crawl", "site", "-a", f"seeds={site.url}/", DATA_DIR=folder, **settings)
            cost, _ = measure_command(command, cwd=ROOT)
            found.append((cost, texts(folder)))
        forbidden = sum(path.startswith("/closed/") for path in site.asked())
        with CrawlDatabase(folder, readonly=True) as database:
            rows = database.connection.execute("SELECT cpu FROM rendering_page WHERE rendered ORDER BY at").fetchall()
    (plain, before), (scripted, after) = found
    cpu = [each for (each,) in rows]
    usual = median(cpu) if cpu else 0.0
    same = sum(text == after.get(path) for path, text in before.items() if path)
    more = (scripted.cpu - plain.cpu) / pages
    return Rendered(pages, len(cpu), same, usual, more, max(cpu, default=0.0) - usual, scripted.peaks[:8], forbidden)


def main() -> int:
    """Measure, print, and fail where a text differs or a forbidden path was reached."""
    options = parser_of(__doc__, pages=20).parse_args()
    found = measured(options.pages)
    show(found, options)
    return 0 if found.same_text == found.rendered == found.pages and not found.forbidden else 1
