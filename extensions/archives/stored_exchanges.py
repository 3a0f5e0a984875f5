"""What of its exchanges does the crawl database still hold? Answers as they can be made again, the oldest first.

A body is kept unpacked, with the header lines that reading minds; the request and the other lines are not. Of a
redirect its target is known, of an error its status. What is not kept is never made up: the metadata record says what
is missing, and a page whose body is not kept (noindex, noarchive, no text, too large) has that record alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

from crawldb.database import DatabaseError
from crawldb.pages.pages import Pages
from crawldb.tables.robots_files import read_robots
from extensions.archives.records import ArchivedExchange
from extensions.archives.tables import answered_urls, robots_origins, unchanged_visits
from robots import Access, robots_url
from urls.records import refusal_of_controls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawldb.database import CrawlDatabase
    from robots import RobotsRecord

MADE_AGAIN = "made again from Breadcrumb's crawl database"
NO_REQUEST = "the request"
SOME_LINES = "header lines that reading a page does not mind"
PACKING = "how the body was packed"
LINES_OF_RECORD = "all header lines: these are by what the page's record tells"
ITS_BODY = "the body"
_MOVED = range(300, 400)  # status codes
_UNCHANGED = b"HTTP/1.1 304 Not Modified\r\n\r\n"


@dataclass(frozen=True, slots=True)
class StoredExchange:
    """An exchange as far as it is stored. `facts` make its metadata record; `visits` are later answers 304 to it."""

    exchange: ArchivedExchange
    facts: tuple[tuple[str, str], ...]
    visits: tuple[ArchivedExchange, ...] = ()
    kind: str = "page"  # or "robots.txt", "answer without a page", "without a body", "damaged"


def stored_exchanges(database: CrawlDatabase, now: float) -> Iterator[StoredExchange]:
    """Yield every robots.txt, then what is stored of each URL; `now` (seconds since the epoch) ends what has a date."""
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
    """Return an answer with a stored body, and what of it is missing; None where no body is stored, or may be told."""
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
    """Yield the later answers by which the stored body is still current."""
    for at in unchanged_visits(database, identity, since):
        yield ArchivedExchange(url, at, b"", _UNCHANGED)


def _robots_files(database: CrawlDatabase) -> Iterator[StoredExchange]:
    for origin in robots_origins(database):
        record = read_robots(database, origin)
        if record is not None:
            yield from _robots_file(record)


def _robots_file(record: RobotsRecord) -> Iterator[StoredExchange]:
    """Yield the latest file that came whole, and the answer that holds now, where that is another one."""
    url = robots_url(record.origin)
    missing = [NO_REQUEST, SOME_LINES, PACKING, "which octets stand for its text, if these were not UTF-8"]
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
    """Return an answer of HTTP/1.1."""
    phrase = HTTPStatus(status).phrase if status in HTTPStatus.__members__.values() else ""
    head = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {' '.join(value.split())}" for name, value in lines)]
    return "\r\n".join(head).encode("latin-1", "replace") + b"\r\n\r\n" + body
