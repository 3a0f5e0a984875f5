"""What did an engine do on the practice web? A crawl, and one that is killed, compared with the facts."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.database import CrawlDatabase
from demo import PracticeWeb
from tests.own_commands import breadcrumb, our_command
from textbook.index import FOLDER, open_whoosh, search

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from demo.truth import Ranks, Truth

KILLED_AFTER = 150  # requests
LONGEST = 600.0  # seconds for one crawl


@dataclass(frozen=True, slots=True)
class Figures:
    """What one engine did on the practice web."""

    requests: int
    in_traps: int  # requests for URLs in traps
    forbidden: int  # requests for URLs that the truth says must never be fetched
    wrong: int  # pages in the index that the truth leaves out, or has under another URL
    missing: int  # pages that the truth has in the index and that are not there
    cheated: int  # queries for which a cheat stands before an honest page
    kept: int  # pages that are kept after the kill


def arguments(engine: str, seeds: str, pages: int) -> list[str]:
    """Return the words of a crawl; the engine of the product needs no limit."""
    return ["crawl", engine, "-a", f"seeds={seeds}", *(["-a", f"pages={pages}"] if engine == "textbook" else [])]


def indexed_urls(engine: str, data: Path) -> set[str]:
    """Return the URLs in the index, or of the stored pages that the index will get."""
    if engine == "textbook":
        with open_whoosh(data / FOLDER).searcher() as searcher:
            return {fields["url"] for fields in searcher.all_stored_fields()}
    with CrawlDatabase(data, readonly=True) as database:
        rows = database.connection.execute(
            "SELECT url.url FROM page JOIN url ON url.id = page.url WHERE page.refusals = '[]'"
        )
        return {url for (url,) in rows}


def results(engine: str, data: Path, query: str) -> list[str]:
    """Return the URLs of the first hundred results."""
    if engine == "textbook":
        return [url for _, url, _, _ in search(data / FOLDER, query, limit=100)]
    printed = breadcrumb("search", query, "-n", "100", "--json", DATA_DIR=data).stdout
    return [hit["url"] for hit in json.loads(printed)["hits"]]


def is_cheated(ranks: Ranks, found: list[str]) -> bool:
    """Return whether a cheat stands before an honest page, or an honest page is not found."""
    places = {url: place for place, url in enumerate(found)}
    last = max(places.get(url, len(found)) for url in ranks.honest)
    return any(places[url] < last for url in ranks.cheats if url in places)


def kill(engine: str, pages: int, data: Path) -> int:
    """Crawl until the server has seen KILLED_AFTER requests, kill the crawl, and return how many pages are kept."""
    with PracticeWeb(0) as web:
        line = our_command(*arguments(engine, ",".join(web.seeds), pages), DATA_DIR=data)
        with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as crawl:
            until = time.monotonic() + LONGEST
            while len(web.requests) < KILLED_AFTER and crawl.poll() is None and time.monotonic() < until:
                time.sleep(0.01)
            crawl.kill()
    return len(indexed_urls(engine, data))


def measure(engine: str, pages: int, folder: Path) -> Figures:
    """Crawl the practice web with one engine, and compare with what is true of it."""
    data = folder / engine
    with PracticeWeb(0) as web:
        done = breadcrumb(*arguments(engine, ",".join(web.seeds), pages), DATA_DIR=data)
        if done.returncode not in {0, 1}:
            raise SystemExit(f"crawl {engine} failed:\n{done.stdout}{done.stderr}")
        truth, asked = web.truth, [request.url for request in web.requests]
    urls = indexed_urls(engine, data)
    return Figures(
        requests=len(asked),
        in_traps=sum(map(truth.is_trap, asked)),
        forbidden=sum(map(truth.forbids, asked)),
        wrong=len(wrong_in(truth, urls)),
        missing=len(truth.indexed - urls),
        cheated=sum(is_cheated(ranks, results(engine, data, ranks.query)) for ranks in truth.ranks),
        kept=kill(engine, pages, folder / f"{engine}-killed"),
    )


def wrong_in(truth: Truth, urls: set[str]) -> set[str]:
    """Return the URLs that should not be in the index; of a group that holds one page, all but one."""
    refused = {refused.url for refused in truth.refused}
    aliases = {alias for names in truth.aliases.values() for alias in names}
    spare = {url for group in truth.one_of for url in sorted(group & urls)[1:]}
    return (urls & (refused | aliases) - truth.indexed) | spare


ROWS: list[tuple[str, Callable[[Figures], int]]] = [
    ("requests to the practice web", lambda figures: figures.requests),
    ("of them into traps: calendars, sessions, endless folders", lambda figures: figures.in_traps),
    ("of them for URLs that no robot should fetch", lambda figures: figures.forbidden),
    ("pages in the index that are copies, errors or walls", lambda figures: figures.wrong),
    ("good pages that are not in the index", lambda figures: figures.missing),
    ("of 3 queries, those with a cheat before an honest page", lambda figures: figures.cheated),
    (f"pages kept after `kill -9` at request {KILLED_AFTER}", lambda figures: figures.kept),
]
