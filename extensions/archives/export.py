"""How does another program read a crawl? As a WARC archive, made from the crawl database.

It is for crawls that kept no archive while they ran. A body is stored unpacked, with only the header lines that matter
for reading. The request is not stored. A redirect has its target, an error its status. The export invents nothing: the
metadata record lists the missing parts. A page without a stored body (noindex, noarchive, no text, too large) has that
record alone. There is no copy of a page that forbids copies, that a person has blocked, or that `forget` removed.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.frame.exits import DONE, NO
from commands.frame.new_file import new_folder
from commands.frame.terminal import json_line
from crawldb.database import DatabaseError
from crawldb.pages.pages import Pages
from crawldb.tables.robots_files import read_robots
from extensions.archives.files import WarcFiles
from extensions.archives.records import ArchivedExchange, Earlier, group
from extensions.archives.tables import answered_urls, robots_origins, unchanged_visits
from reports.wording import counted
from robots import Access, robots_url
from urls.records import refusal_of_controls

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator

    from commands.frame.command_settings import CommandSettings
    from crawldb.database import CrawlDatabase
    from robots import RobotsRecord
    from spiders.crawl_settings import CrawlSettings

MADE_AGAIN = "made again from Breadcrumb's crawl database"
NO_REQUEST = "the request"
SOME_LINES = "header lines that reading a page does not mind"
PACKING = "how the body was packed"
ITS_BODY = "the body"
_MOVED = range(300, 400)  # status codes
_UNCHANGED = b"HTTP/1.1 304 Not Modified\r\n\r\n"


@dataclass(frozen=True, slots=True)
class StoredExchange:
    """An exchange as far as it is stored. `facts` make its metadata record; `visits` are later 304 responses."""

    exchange: ArchivedExchange
    facts: tuple[tuple[str, str], ...]
    visits: tuple[ArchivedExchange, ...] = ()
    kind: str = "page"  # or "robots.txt", "answer without a page", "without a body", "damaged"


def stored_exchanges(database: CrawlDatabase, now: float) -> Iterator[StoredExchange]:
    """Yield every robots.txt, then each URL's exchange. `now` (seconds since the epoch) decides which pages expired."""
    yield from _robots_files(database)
    pages = Pages(database)
    for identity, url, rule, fetched_at, came, answered, status, target in answered_urls(database):
        if fetched_at is None:
            yield _without_page(url, answered or 0.0, rule, status, target)
            continue
        at = came or fetched_at
        try:
            found = _page(pages, url, now)
        except DatabaseError:  # of this page alone
            facts = (*_facts(rule, [NO_REQUEST, "the answer"]), ("reason", "its stored body is damaged"))
            yield StoredExchange(ArchivedExchange(url, at, b"", b""), facts, kind="damaged")
            continue
        if found is None:
            yield _left_out(pages, url, at, rule)
            continue
        answer, missing = found
        visits = () if came is None else tuple(_visits(database, identity, url, came))
        yield StoredExchange(ArchivedExchange(url, at, b"", answer), _facts(rule, missing), visits)


def _page(pages: Pages, url: str, now: float) -> tuple[bytes, list[str]] | None:
    """Return a response with its stored body, and its missing parts; None without a body that may be shown."""
    record, answer = pages.get(url), pages.answer(url)
    if record is None or answer is None or refusal_of_controls(record.controls, datetime.fromtimestamp(now, UTC)):
        return None
    lines = list(answer.headers)
    named = {name for name, _ in lines}
    tags = (("etag", record.etag), ("last-modified", record.last_modified))
    lines += [(name, value) for name, value in tags if value and name not in named]
    missing = [NO_REQUEST, SOME_LINES, PACKING]
    return message(answer.status, lines, answer.body), missing


def _left_out(pages: Pages, url: str, at: float, rule: str) -> StoredExchange:
    record = pages.get(url)
    facts = _facts(rule, [NO_REQUEST, "the answer"])
    if record is not None and record.refusals:
        facts += (("reason", record.refusals[0].reason),)
    elif record is not None and not record.controls.archive:
        facts += (("reason", "its owner said noarchive"),)
    return StoredExchange(ArchivedExchange(url, at, b"", b""), facts, kind="without a body")


def _without_page(url: str, at: float, rule: str, status: int | None, target: str | None) -> StoredExchange:
    lines = [("location", target)] if target else []
    if status is None or (status in _MOVED and not target):
        facts = _facts(rule, [NO_REQUEST, "the answer"])
        return StoredExchange(ArchivedExchange(url, at, b"", b""), facts, kind="without a body")
    exchange = ArchivedExchange(url, at, b"", message(status, lines), truncated="unspecified")
    missing = [NO_REQUEST, SOME_LINES, ITS_BODY, *(["how its Location was spelt"] if target else [])]
    return StoredExchange(exchange, _facts(rule, missing), kind="answer without a page")


def _visits(database: CrawlDatabase, identity: int, url: str, since: float) -> Iterator[ArchivedExchange]:
    """Yield the later responses that confirm the stored body."""
    for at in unchanged_visits(database, identity, since):
        yield ArchivedExchange(url, at, b"", _UNCHANGED)


def _robots_files(database: CrawlDatabase) -> Iterator[StoredExchange]:
    for origin in robots_origins(database):
        record = read_robots(database, origin)
        if record is not None:
            yield from _robots_file(record)


def _robots_file(record: RobotsRecord) -> Iterator[StoredExchange]:
    """Yield the latest whole file, and the current response if it is another one."""
    url = robots_url(record.origin)
    missing = [NO_REQUEST, SOME_LINES, PACKING, "the octets of its text, if these were not UTF-8"]
    if record.address not in {"", url}:
        missing.append(f"the redirect to {record.address}, which gave the file")
    if record.good_at is not None:
        lines = [("content-type", "text/plain; charset=utf-8"), ("etag", record.etag)]
        lines += [("last-modified", record.last_modified)]
        answer = message(200, [line for line in lines if line[1]], record.body)
        facts = _facts(Access.PARSED.name.lower(), missing)
        yield StoredExchange(ArchivedExchange(url, record.good_at, b"", answer), facts, kind="robots.txt")
    if record.state != Access.PARSED.name and record.status is not None:
        exchange = ArchivedExchange(url, record.fetched_at, b"", message(record.status, ()), truncated="unspecified")
        facts = _facts(record.state.lower(), [NO_REQUEST, SOME_LINES, ITS_BODY])
        yield StoredExchange(exchange, facts, kind="robots.txt")


def _facts(rule: str, missing: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return (("source", MADE_AGAIN), ("outcome", rule), ("not-kept", "; ".join(missing)))


def message(status: int, lines: Iterable[tuple[str, str]], body: bytes = b"") -> bytes:
    """Return a response of HTTP/1.1."""
    phrase = HTTPStatus(status).phrase if status in HTTPStatus.__members__.values() else ""
    head = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {' '.join(value.split())}" for name, value in lines)]
    return "\r\n".join(head).encode("latin-1", "replace") + b"\r\n\r\n" + body


SAID = {  # by kind of exported exchange: one response, and several
    "page": ("answer with its body", "answers with their bodies"),
    "robots.txt": ("answer for a robots.txt", "answers for robots.txt files"),
    "answer without a page": (
        "answer without a page: a redirect, what is gone, an error",
        "answers without a page: redirects, what is gone, errors",
    ),
    "visit": (
        "answer that a page is as it was: a revisit record",
        "answers that pages are as they were: revisit records",
    ),
    "without a body": (
        "answer whose body is not stored: a metadata record alone",
        "answers whose bodies are not stored: metadata records alone",
    ),
    "damaged": (
        "answer whose stored body is damaged: a metadata record alone",
        "answers whose stored bodies are damaged: metadata records alone",
    ),
}


def export(arguments: Namespace, settings: CommandSettings) -> int:
    """Export a crawl as WARC files; return the exit code."""
    from commands.frame.data_folder import crawl_settings_of, open_to_read

    crawl_settings, folder = crawl_settings_of(settings), Path(arguments.warc)
    began, written = time.monotonic(), Counter[str]()
    with open_to_read(settings.data_dir) as databases, new_folder("--warc", folder):
        files = WarcFiles(folder, settings.getint("WARC_SIZE"), _info(crawl_settings))
        for database in databases:
            written.update(_export(database, files))
        files.close()
    names = sorted(path.name for path in folder.iterdir())
    done = {"folder": str(folder), "files": names, "bytes": sum((folder / name).stat().st_size for name in names)}
    done |= {"written": dict(written.most_common()), "seconds": round(time.monotonic() - began, 3)}
    print(json_line(done) if arguments.json else "\n".join(_lines(done)))
    return DONE if written and not written["damaged"] else NO


def _info(crawl_settings: CrawlSettings) -> list[tuple[str, str]]:
    """Return the lines of the warcinfo record of each file."""
    identity = crawl_settings.identity
    lines = [("software", "Breadcrumb, export"), ("format", "WARC File Format 1.1"), ("robots", "obey")]
    lines += [("http-header-user-agent", identity.headers["User-Agent"]), ("description", MADE_AGAIN)]
    return lines + ([("http-header-from", identity.contact)] if identity.contact else [])


def _export(database: CrawlDatabase, files: WarcFiles) -> Counter[str]:
    """Write what one database holds; return how much of each kind."""
    written = Counter[str]()
    with database.one_state():
        for stored in stored_exchanges(database, time.time()):
            exchange = stored.exchange
            records = group(exchange, stored.facts, warcinfo_id=files.room())
            files.append(records.data)
            written[stored.kind] += 1
            earlier = Earlier(exchange.url, exchange.at, records.record, records.payload)
            for visit in stored.visits:
                files.append(group(visit, (), earlier, warcinfo_id=files.room()).data)
                written["visit"] += 1
    return written


def _lines(done: dict[str, Any]) -> Iterator[str]:
    """Yield the lines for a person."""
    files = counted(len(done["files"]), "file")
    yield f"{files} in {done['folder']}, {done['bytes'] / 1e6:.1f} MB:"
    for kind, number in done["written"].items():
        yield f"  {counted(number, *SAID[kind])}"
    if not done["written"]:
        yield "  nothing is stored that could be exported"
