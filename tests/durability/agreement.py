"""Do the stored pages, the index, the server's log and the truth agree? Each disagreement is a sentence."""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import indexer
from crawldb.database import FILE_NAME, CrawlDatabase
from crawldb.pages.feed import Feed
from crawldb.seal import damage
from crawldb.tables.urls import State
from extension_points import built_in
from indexer.segments.generation import CURRENT_FILE, contents_name, index_folder, read_generation
from urls.rules import Rule

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from tests.durability.generated_site import ExpectedFates, GeneratedSite

ROBOTS = "/robots.txt"
SHOWN = 5  # examples of a difference
# An extension that writes files says, beside its tests, with which settings it does, and looks what is wrong in them.
ADDED = [
    import_module(f"tests.extensions.{name}.durability")
    for name in built_in()
    if Path(__file__).parents[1].joinpath("extensions", name, "durability.py").exists()
]
RECORDING = tuple(word for each in ADDED for word in each.SETTINGS)
FINAL = frozenset({Rule.FETCHED, Rule.NOT_MODIFIED, Rule.MOVED, Rule.GONE})  # end a lease; others are retried


def faults_after_a_kill(data: Path) -> Iterator[str]:
    """Look at what a kill has left, before anybody repairs it: nothing half, and the index readable."""
    if wrong := damage(data / FILE_NAME, math.inf):
        yield f"a sound database counts as damaged: {wrong}"
    with CrawlDatabase(data, readonly=True) as database:
        verdict = database.value("PRAGMA integrity_check")
        if verdict != "ok":
            yield f"integrity_check says {verdict}"
        yield from _accounting(database)
        half = "SELECT count(*) FROM url WHERE rule = ? AND id NOT IN (SELECT url FROM page)"
        if database.count(half, Rule.FETCHED):
            yield "a URL counts as fetched, and its page is not stored"
        unannounced = "SELECT count(*) FROM page WHERE refusals = '[]' AND url NOT IN (SELECT url FROM change)"
        if database.count(unannounced):
            yield "a page is stored, and the index was never told"
        last = Feed(database).last()
    for each in ADDED:
        yield from each.AFTER_A_KILL(data)
    try:
        searcher = indexer.open_index(data)
    except indexer.NoIndex:
        return
    if searcher.position > last:
        yield f"the index is at row {searcher.position} of the feed, which ends at {last}"


def _accounting(database: CrawlDatabase) -> Iterator[str]:
    known = ", ".join(str(int(state)) for state in State)
    if database.count(f"SELECT count(*) FROM url WHERE state NOT IN ({known})"):
        yield "a URL is in no state"
    unexplained = (
        "SELECT count(*) FROM url WHERE state = ? AND id NOT IN "
        "(SELECT explanation.url FROM explanation JOIN journal ON journal.id = explanation.journal)"
    )
    if database.count(unexplained, State.SUPPRESSED):
        yield "a URL is suppressed, and no row of the journal says why"


def content_digest(connection: sqlite3.Connection) -> str:
    """Return a digest of all rows of all tables: two databases that hold the same have the same."""
    found = hashlib.sha256()
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    for (table,) in connection.execute(tables).fetchall():
        found.update(repr(sorted(map(repr, connection.execute(f"SELECT * FROM {table}")))).encode())
    found.update(repr(connection.execute("PRAGMA user_version").fetchone()).encode())
    return found.hexdigest()


def stored_urls(data: Path) -> list[str]:
    """Return the URLs of the pages that are stored."""
    with CrawlDatabase(data, readonly=True) as database:
        return [url for (url,) in database.connection.execute("SELECT url.url FROM page JOIN url ON url.id = page.url")]


def faults_of_the_index(data: Path, closed: str = "/closed/") -> Iterator[str]:
    """Compare the index with what is stored, after the index writer had the time to finish.

    `closed` is a part of those URLs that robots.txt disallows.
    """
    with CrawlDatabase(data, readonly=True) as database:
        pages = database.count("SELECT count(*) FROM page WHERE refusals = '[]'")
        by_links = "SELECT count(*) FROM url WHERE instr(url, ?) AND id IN (SELECT url FROM change)"
        linked = database.count(by_links, closed)
        # They may be results by the words of links, until a round asks robots.txt again
        last = Feed(database).last()
    try:
        searcher = indexer.open_index(data)
    except indexer.NoIndex:
        yield from ["nothing is indexed, and pages are stored"] * bool(pages)
        return
    if searcher.position != last:
        yield f"the index is at row {searcher.position} of the feed, which ends at {last}"
    if not pages <= searcher.documents <= pages + linked:
        yield f"the index has {searcher.documents} documents, and {pages} pages are stored for it, {linked} are linked"


def faults_at_the_end(data: Path, site: GeneratedSite) -> Iterator[str]:
    """Compare what is stored and indexed at the end with the truth of the site."""
    truth = site.truth
    yield from faults_after_a_kill(data)
    for each in ADDED:
        yield from each.AT_THE_END(data)
    with CrawlDatabase(data, readonly=True) as database:
        yield from _urls(database, truth, site.url)
        pages = dict(
            database.connection.execute("SELECT url.url, refusals FROM page JOIN url ON url.id = page.url").fetchall()
        )
    stored = {url.removeprefix(site.url): refusals for url, refusals in pages.items()}
    yield from _difference("stored pages", set(stored), truth.stored)
    yield from _documents(data, site, {path for path, refusals in stored.items() if refusals == "[]"})


def _urls(database: CrawlDatabase, truth: ExpectedFates, site: str) -> Iterator[str]:
    rows = database.connection.execute("SELECT url, state FROM url").fetchall()
    states = {url.removeprefix(site): State(state) for url, state in rows}
    yield from _difference("discovered URLs", set(states), truth.discovered)
    expected = dict.fromkeys(truth.stored | truth.moved.keys(), State.DONE)
    expected |= dict.fromkeys(truth.gone, State.FAILED) | dict.fromkeys(truth.closed, State.SUPPRESSED)
    for path, state in expected.items():
        if states.get(path, state) is not state:
            yield f"{path} is {states[path].name.lower()}, and should be {state.name.lower()}"


def _documents(data: Path, site: GeneratedSite, stored: set[str]) -> Iterator[str]:
    searcher, truth = indexer.open_index(data), site.truth
    expected = sum(document.pages for document in truth.documents) + len(truth.closed)
    if searcher.documents != expected:
        yield f"the index has {searcher.documents} documents instead of {expected}"
    for document in truth.documents:
        found = searcher.search(document.word, exact=True)
        paths = [hit.url.removeprefix(site.url) for hit in found.hits]
        if len(paths) != 1 or paths[0] not in document.paths or paths[0] not in stored:
            yield f"{document.word} finds {paths} instead of one of {sorted(document.paths)}"
        elif found.folded != document.pages - 1:
            yield f"{found.folded} pages stand under {paths[0]} instead of {document.pages - 1}"
        elif found.hits[0].title != site.title(paths[0]):
            yield f"{paths[0]} has the title {found.hits[0].title!r} instead of {site.title(paths[0])!r}"
    for path, word in truth.hidden.items():
        if searcher.search(word, exact=True).total:
            yield f"{path} says noindex, and {word} finds it"
    leftovers = leftover_files(data)
    if leftovers:
        yield f"the index folder has files of no generation: {', '.join(leftovers)}"


def leftover_files(data: Path) -> list[str]:
    """Return the files of the index that no generation names: what a kill in the middle of a commit leaves."""
    folder = index_folder(data)
    named: set[str] = set()
    if (folder / CURRENT_FILE).exists():
        generation = read_generation(folder)
        named = {f"{generation.build}/{name}" for name in generation.files | generation.ranks}
        named.add(f"{generation.build}/{contents_name(generation.number)}")
    return [
        str(path.relative_to(folder))
        for path in sorted([*folder.glob("build-*/*"), *folder.glob("*.new")])
        if str(path.relative_to(folder)) not in named
    ]


def faults_of_the_log(data: Path, site: GeneratedSite, kills: int) -> Iterator[str]:
    """Compare the server's log with the requests that the crawl has noted: all but those under way at a kill."""
    log = list(site.log)
    if log and log[0] != ROBOTS:
        yield f"the first request was for {log[0]}"
    asked = Counter(log)
    if asked[ROBOTS] > 1 + kills:
        yield f"robots.txt was asked for {asked[ROBOTS]} times with {kills} kills"
    for path in asked.keys() - site.truth.discovered - {ROBOTS}:
        yield f"{path} was asked for, and nothing links to it"
    for path in asked.keys() & site.truth.closed:
        yield f"{path} was asked for, and robots.txt disallows it"
    noted = _noted(data, site.url)
    for path in site.truth.discovered - site.truth.closed:
        unnoted = asked[path] - sum(noted[path].values())
        if not 0 <= unnoted <= kills:
            yield f"{path} was asked for {asked[path]} times; {sum(noted[path].values())} are noted, of {kills} kills"
        for round_, times in noted[path].items():
            if times > 1 + (path in site.truth.flaky):
                yield f"{path} was asked for {times} times in round {round_}"


def repeated_requests(data: Path, site: GeneratedSite) -> int:
    """Return how many requests were lost to kills: sent, and not noted."""
    noted = sum(sum(rounds.values()) for rounds in _noted(data, site.url).values())
    return sum(path != ROBOTS for path in site.log) - noted


def _noted(data: Path, site: str) -> defaultdict[str, Counter[int]]:
    """Return how many requests for each path the crawl database has, by round; each retry must have its journal row."""
    with CrawlDatabase(data, readonly=True) as database:
        rows = database.connection.execute(
            "SELECT url.url, run.round, fetch.rule, EXISTS (SELECT 1 FROM journal WHERE journal.url = url.id "
            "AND journal.rule = fetch.rule) FROM fetch JOIN run ON run.id = fetch.run JOIN url ON url.id = fetch.url"
        ).fetchall()
    noted: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for url, round_, rule, journaled in rows:
        if rule in FINAL or journaled:
            noted[url.removeprefix(site)][round_] += 1
    return noted


def _difference(what: str, found: set[str], expected: set[str]) -> Iterator[str]:
    if found - expected:
        yield f"{what} too many: {', '.join(sorted(found - expected)[:SHOWN])}"
    if expected - found:
        yield f"{what} missing: {', '.join(sorted(expected - found)[:SHOWN])}"
