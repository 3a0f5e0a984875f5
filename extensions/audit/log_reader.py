"""Reads the requests of a robot from a log, in the order in which they started.

Three forms are read: our own fetch log, JSON lines, and the combined form of Apache and nginx. A log lists requests as
they end. The audit needs them as they start, so they wait in a heap for as long as the longest response may take. A
log of any length is read once, in bounded memory.

A log shows a host and a path, but rarely the scheme: a request may belong to the origin of http or of https. The
`Form` says what a log can show and how precisely.

A JSON log has one object per line, as nginx writes it with its own log_format: `end` (seconds since 1970), `took`
(seconds) and `url` (request target); optionally `status`, `host`, `agent`, `client` (an IP address), `method`, and the
headers `from`, `if_none_match` and `if_modified_since`. A combined log has this form:

    [host[:port]] client identity user [21/Nov/2026:06:01:00 +0000] "GET /path HTTP/1.1" status bytes "referer" "agent"

Both write unprintable octets as a backslash, x and two hexadecimal digits. For a quote nginx writes the same; Apache
writes a backslash and the quote. The first readable line determines the form. Unreadable lines are counted.

Our own fetch log is the table `fetch`, with one row per finished request. The row of a page has the time of its end,
that of a robots.txt the time of its start. Each redirect to a robots.txt has a row. A request without a known end has
no row: it was under way when the crawl was killed or stopped.
"""

from __future__ import annotations

import heapq
import json
import math
import re
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from urllib.parse import urlsplit

from crawldb.tables.fetches import RobotsFetch
from extensions.audit.tables import logged_fetches, robots_addresses, stopped_requests, unfinished_runs
from reports.wording import counted
from robots import origin_of, robots_url
from urls.rules import Rule
from urls.wording import whole_characters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crawldb.database import CrawlDatabase


@dataclass(frozen=True, slots=True)
class Form:
    """What a log of this form can show. Times are in seconds."""

    name: str
    unit: str  # what a place counts: lines or fetches
    forgiven: float  # for the way from the robot to the one that writes the log
    doubt: float  # a time between two starts is known no better than this, either way
    answers: bool  # it shows when a request was answered, not only that it was made
    rounds: bool  # it shows to which round of the crawl a request belongs


# 10 ms for the way is what a busy loopback needs; a log of another machine adds only how much its way varies.
FETCH_LOG = Form("Breadcrumb's own fetch log", "fetch", 0.01, 0.0, answers=True, rounds=True)
JSON_LOG = Form("JSON access log", "line", 0.01, 0.0, answers=True, rounds=False)
# A whole second is cut off, and it is that of the end (nginx) or of the start (Apache): answers may take a second more.
COMBINED_LOG = Form("combined log", "line", 0.0, 2.0, answers=False, rounds=False)


class LoggedHead(NamedTuple):
    """What a log shows of a request besides its URL; "" for what it does not show."""

    agent: str = ""
    method: str = ""
    sender: str = ""  # the header From
    conditional: bool = False  # it had an If-None-Match or If-Modified-Since


NO_HEAD = LoggedHead()


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """One request. `place` is its line or fetch number, `path` what a robots.txt is compared with.

    `origins` are those that it may belong to: one, two where the log does not show http or https, none where it
    shows no host. `rules_of` is the origin whose robots.txt it asks for, "" for every other request.
    """

    place: int
    start: float  # seconds since the epoch
    end: float
    url: str  # as far as the log shows it
    path: str
    host: str  # without the port: the machine that is spared
    origins: tuple[str, ...]
    status: int | None  # None: no answer
    rules_of: str = ""
    robots: bool = False
    round: int = 0
    moved: bool = False  # a step on the way to what the robots.txt says, such as a redirect, and not the end of it
    again: bool = False  # what came lets the URL be asked for once more: a retry
    timed: bool = True  # False: `start` is not known, only `end`
    client: str = ""  # the IP address that the log shows; "": none
    head: LoggedHead = NO_HEAD

    @property
    def origin(self) -> str:
        """The key of its origin, as exact as the log allows."""
        return self.origins[0] if self.origins else ""


_CLIENT_CLOSED = 499  # nginx: the robot went before an answer came
_RETRIED = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS, _CLIENT_CLOSED})


def may_be_asked_again(status: int | None) -> bool:
    """Return whether a response with this status permits an immediate second request."""
    return status is None or status in _RETRIED or status >= HTTPStatus.INTERNAL_SERVER_ERROR


HOSTS_KEPT = 4096  # names whose origins are remembered
MAX_AUTHORITY = 300  # characters: a name in the DNS has 253 at most, then a port
_SCHEMES = ("http", "https")


class LoggedHost(NamedTuple):
    """A host in a log, without its port, and its possible origins."""

    host: str
    origins: tuple[str, ...]


@lru_cache(HOSTS_KEPT)
def logged_host(authority: str, scheme: str = "") -> LoggedHost | None:
    """Parse a Host header; None if it is invalid."""
    if not authority:
        return LoggedHost("", ())
    if len(authority) > MAX_AUTHORITY:
        return None
    try:
        origins = tuple(origin_of(f"{known}://{authority}/") for known in ([scheme] if scheme else _SCHEMES))
    except ValueError:
        return None
    return LoggedHost(origins[0].partition("://")[2].rpartition(":")[0], origins)


ROBOTS_PATH = "/robots.txt"


def logged_request(
    authority: str,
    target: str,
    place: int,
    *,
    start: float,
    end: float,
    status: int | None,
    client: str,
    head: LoggedHead,
) -> LoggedRequest | None:
    """Return the request of a request line; None if it has no URL.

    `target` is a path, or a complete URL as in a request to a proxy (RFC 9112, 3.2).
    """
    scheme, path = "", target
    if target[:1] != "/":
        scheme, mark, rest = target.partition("://")
        scheme = scheme.lower()
        authority, slash, path = rest.partition("/")
        path = slash + path or "/"
        if not mark or scheme not in _SCHEMES:
            return None
    named = logged_host(authority, scheme)
    if named is None:
        return None
    robots = path.partition("#")[0] == ROBOTS_PATH
    at = f"//{authority}" if authority or scheme else ""
    url = f"{scheme}:{at}{path}" if scheme else f"{at}{path}"
    return LoggedRequest(
        place,
        start,
        end,
        url=url,
        path=path,
        host=named.host,
        origins=named.origins,
        status=status,
        rules_of=named.origins[0] if robots and named.origins else "",
        robots=robots,
        again=may_be_asked_again(status),
        client=client,
        head=head,
    )


LONGEST_ANSWER = 600.0  # seconds; our own requests end after DOWNLOAD_TIMEOUT, servers' logs know slower robots
MAX_HELD = 100_000  # visits that wait at once, some 50 MB


@dataclass(slots=True)
class Log:
    """A log: `visits` are its requests, ordered by start. The counts are final after the last one."""

    name: str
    form: Form
    visits: Iterable[LoggedRequest] = ()
    lines: int = 0  # that are not empty
    others: int = 0  # requests of other robots and of people
    unreadable: int = 0
    first_unreadable: int = 0  # its line
    late: int = 0  # visits too far out of order
    unlogged: list[str] = field(default_factory=list)  # sentences: why requests may have been made that are not in it

    def doubts(self) -> list[str]:
        """Return sentences on what this log may hide."""
        found = list(self.unlogged)
        if self.unreadable:
            found.append(f"{counted(self.unreadable, 'line')} can't be read, the first is line {self.first_unreadable}")
        if self.late:
            late = counted(self.late, "request")
            found.append(f"{late} more than {LONGEST_ANSWER:g} s out of order were skipped: sort the log")
        return found

    def cannot_read(self, line: int) -> None:
        """Count a line that can't be read."""
        self.first_unreadable = self.first_unreadable or line
        self.unreadable += 1

    def in_order(self, visits: Iterable[LoggedRequest]) -> Iterator[LoggedRequest]:
        """Sort `visits` from the order of their ends to that of their starts; stable."""
        heap: list[tuple[float, int, LoggedRequest]] = []
        newest, released = float("-inf"), float("-inf")
        for visit in visits:
            if visit.start < released:
                self.late += 1
                continue
            heapq.heappush(heap, (visit.start, visit.place, visit))
            newest = max(newest, visit.end)
            while heap[0][0] < newest - LONGEST_ANSWER or len(heap) > MAX_HELD:
                released = heap[0][0]
                yield heapq.heappop(heap)[2]
                if not heap:
                    break
        while heap:
            yield heapq.heappop(heap)[2]


_LATEST = 1e12  # seconds: beyond, differences of two times mean nothing
_MILLISECONDS = 3  # digits: nginx measures no finer


def read_json_line(line: str, place: int) -> tuple[str | None, LoggedRequest | None]:
    """Return the user agent (None if not shown) and the request (None if unreadable)."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None, None
    if not isinstance(fields, dict):
        return None, None
    # JSON can escape half a character, which nothing later can store or print.
    fields = {name: whole_characters(value) if isinstance(value, str) else value for name, value in fields.items()}
    agent = fields.get("agent")
    shown = agent if isinstance(agent, str) else None
    end, took = _json_seconds(fields.get("end")), _json_seconds(fields.get("took"))
    url, host, status = fields.get("url"), fields.get("host", ""), fields.get("status")
    if end is None or took is None or not isinstance(url, str) or not isinstance(host, str):
        return shown, None
    if not isinstance(status, int) or isinstance(status, bool) or not status:
        status = None
    client, head = _json_head(fields)
    start = round(end - took, _MILLISECONDS)
    return shown, logged_request(host, url, place, start=start, end=end, status=status, client=client, head=head)


def _json_head(fields: dict[str, object]) -> tuple[str, LoggedHead]:
    """Return the IP address of the client, and the head."""
    client, agent, method, sender, tag, since = (
        text if isinstance(text := fields.get(name), str) else ""
        for name in ("client", "agent", "method", "from", "if_none_match", "if_modified_since")
    )
    return client, LoggedHead(agent, method, sender, conditional=bool(tag or since))


def _json_seconds(value: object) -> float | None:
    """Return a time that is not negative and not too large for exact differences; else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < _LATEST:
        return None
    return float(value) if math.isfinite(value) else None


_QUOTED = r'"([^"\\]*(?:\\.[^"\\]*)*)"'
_LINE = re.compile(rf"([^\[]{{1,1000}}) \[([^\]]{{1,40}})\] {_QUOTED} (\d{{3}}|-) (?:\d{{1,20}}|-) {_QUOTED} {_QUOTED}")
_TIME = re.compile(r"(\d{1,2})/([A-Z][a-z]{2})/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d{4})\Z", re.ASCII)
_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"
_ESCAPED = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|(.))")
_CLIENT, _IDENTITY, _USER = range(3)  # the words before the time, where no virtual host comes first
_NOT_SHOWN = "-"


def read_combined_line(line: str, place: int) -> tuple[str | None, LoggedRequest | None]:
    """Return the user agent (None if not shown) and the request (None if unreadable)."""
    match = _LINE.match(line)
    if match is None:
        return None, None
    before, time, request, code, _, agent = match.groups()
    end = _combined_seconds(time)
    words = before.split()
    method, _, rest = request.partition(" ")
    target, _, _ = rest.rpartition(" ")
    if end is None or len(words) <= _USER or not method or not target:
        return agent, None
    status = None if code in {_NOT_SHOWN, "000"} else int(code)
    host, url = _virtual_host(words), _ESCAPED.sub(_octet, target)
    client = words[1 if host else _CLIENT]
    shown = "" if agent == _NOT_SHOWN else agent
    head = LoggedHead(shown, method, conditional=status == HTTPStatus.NOT_MODIFIED)
    return agent, logged_request(host, url, place, start=end, end=end, status=status, client=client, head=head)


def _virtual_host(words: list[str]) -> str:
    """Return the virtual host, or "". A user name may contain spaces, but the identity is almost always "-"."""
    return words[0] if len(words) > _USER + 1 and words[_IDENTITY] != _NOT_SHOWN else ""


def _octet(match: re.Match[str]) -> str:
    """Return an escaped octet as a URL has it."""
    return f"%{match[1].upper()}" if match[1] else match[2]


@lru_cache(64)  # many lines share a second
def _combined_seconds(text: str) -> float | None:
    match = _TIME.match(text)
    if match is None or _MONTHS.find(match[2]) % 3:
        return None
    day, name, year, hour, minute, second, zone = match.groups()
    month = _MONTHS.index(name) // 3 + 1
    try:
        moment = f"{year}-{month:02}-{day:0>2}T{hour}:{minute}:{second}{zone[:3]}:{zone[3:]}"
        return datetime.fromisoformat(moment).timestamp()
    except (ValueError, OverflowError):
        return None


_FULL = re.compile(r'\{"full": \d{1,20}\}\s*\Z')  # the last line of the practice web (demo/server.py)
MAX_LINE = 256 * 1024  # bytes: the longest request that nginx takes is 32 KiB, each octet up to six in a log
FIRST_LINES = 1000  # in which one has to be readable: what has none is no log

_FORMS: tuple[tuple[Form, Callable[[str, int], tuple[str | None, LoggedRequest | None]]], ...] = (
    (JSON_LOG, read_json_line),
    (COMBINED_LOG, read_combined_line),
)


class NoLogError(Exception):
    """A file is not a readable log; the message describes the forms."""


def read_log(file: BinaryIO, name: str, agent: str = "") -> Log:
    """Begin to read a log; `agent` is the product token whose requests count, "" for all. Raises NoLogError."""
    form, read = _form_of(file, name)
    file.seek(0)
    log = Log(name, form)
    log.visits = log.in_order(_visits(file, log, read, token_pattern(agent) if agent else None))
    return log


def read_agents(file: BinaryIO, name: str) -> Iterator[tuple[str, LoggedRequest]]:
    """Yield the requests of everybody who names a User-Agent, with it, in the order of the lines. Raises NoLogError."""
    _, read = _form_of(file, name)
    file.seek(0)
    for number, line in _lines(file):
        agent, request = read(line, number)
        if agent is not None and request is not None:
            yield agent, request


def _form_of(file: BinaryIO, name: str) -> tuple[Form, Callable[[str, int], tuple[str | None, LoggedRequest | None]]]:
    lines = 0
    for number, line in _lines(file):
        for form, read in _FORMS:
            agent, visit = read(line, number)
            if visit is not None or agent is not None:
                return form, read
        lines += 1
        if lines >= FIRST_LINES:
            break
    if lines:
        raise NoLogError(
            f"{name}: none of its first {lines:,} lines can be read. Give a log in the combined form, or "
            'with one JSON object per line that has "end" and "took" in seconds, and "url"'
        )
    return _FORMS[0]  # an empty log is one of any form


def _visits(
    file: BinaryIO,
    log: Log,
    read: Callable[[str, int], tuple[str | None, LoggedRequest | None]],
    ours: re.Pattern[str] | None,
) -> Iterator[LoggedRequest]:
    for number, line in _lines(file):
        log.lines += 1
        agent, visit = read(line, number)
        if agent is not None and ours is not None and not ours.search(agent):
            log.others += 1
        elif visit is None and _FULL.match(line):
            log.unlogged.append(f"the log was full at line {number}; later requests are not in it")
        elif visit is None:
            log.cannot_read(number)
        else:
            yield visit


def _lines(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yield the non-blank lines with their numbers; long lines are cut."""
    number = 0
    while line := file.readline(MAX_LINE):
        number += 1
        rest = line
        while len(rest) == MAX_LINE and not rest.endswith(b"\n"):
            rest = file.readline(MAX_LINE)
        if not line.isspace():
            yield number, line.decode("utf-8", "backslashreplace")


def token_pattern(agent: str) -> re.Pattern[str]:
    """Return a pattern for a product token in a User-Agent, also in "(compatible; Googlebot/2.1)"."""
    return re.compile(rf"(?<![\w-]){re.escape(agent)}(?![\w-])", re.IGNORECASE | re.ASCII)


# Endings that a retry may mend (spiders/outcome.py); the journal has each retry.
RETRIED = frozenset({
    Rule.SERVER_ERROR, Rule.TOO_MANY_REQUESTS, Rule.TIMEOUT, Rule.REFUSED_CONNECTION, Rule.DNS, Rule.BROKEN_OFF,
    Rule.NETWORK, Rule.PROTOCOL, Rule.NO_SITEMAP,
})  # fmt: skip
BY_REDIRECT = "its robots.txt was redirected, and this older fetch log shows only the last request"


def read_fetches(database: CrawlDatabase) -> tuple[Log, Callable[[LoggedRequest], str]]:
    """Return the fetch log, and the excuse for what it does not show: see RobotsFirst."""
    redirected = _redirected(database)
    log = Log(f"the fetch log of {database.path.parent}", FETCH_LOG)
    log.unlogged = list(_unlogged(database, redirected))
    log.visits = _logged_visits(database, log, redirected)
    return log, lambda request: BY_REDIRECT if request.origin in redirected else ""


def _redirected(database: CrawlDatabase) -> frozenset[str]:
    """Return the origins of whose redirects the log has the end only, as older logs do."""
    begun: set[str] = set()
    ended: set[str] = set()
    for origin, address in robots_addresses(database):
        (begun if address == robots_url(origin) else ended).add(origin)
    return frozenset(ended - begun)


def _logged_visits(database: CrawlDatabase, log: Log, redirected: frozenset[str]) -> Iterator[LoggedRequest]:
    for fetch in logged_fetches(database):
        log.lines += 1
        parts = urlsplit(fetch.url)
        named = logged_host(parts.netloc, parts.scheme)
        if named is None or not named.origins:
            log.cannot_read(fetch.place)
            continue
        robots = fetch.origin is not None
        by_redirect = fetch.origin in redirected  # `seconds` has the way of these in it, whose beginning is not known
        yield LoggedRequest(
            fetch.place,
            fetch.start,
            fetch.start if by_redirect else fetch.end,
            url=fetch.url,
            path=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
            host=named.host,
            origins=named.origins,
            status=fetch.status,
            rules_of=(fetch.origin or named.origins[0]) if robots else "",
            robots=robots,
            round=fetch.round,
            moved=fetch.rule in {RobotsFetch.MOVED, RobotsFetch.CHECKED},
            again=(bool(fetch.journaled) and fetch.rule in RETRIED) or bool(fetch.asked_twice),
            timed=robots or fetch.status is not None or fetch.seconds > 0,
        )


def _unlogged(database: CrawlDatabase, redirected: frozenset[str]) -> Iterator[str]:
    killed = unfinished_runs(database)
    if killed:
        runs = counted(killed, "run")
        causes = "killed, on a full or failing disk, or still running"
        yield f"{runs} did not finish ({causes}): its last requests may be missing in the log"
    stopped = stopped_requests(database)
    if stopped:
        cut = counted(stopped, "request")
        yield f"{cut} may have been running when a crawl was stopped, and are then missing in the log"
    if redirected:
        yield f"the redirects to the robots.txt of {', '.join(sorted(redirected)[:3])} are not in the log"
