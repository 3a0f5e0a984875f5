"""Which requests came, and what was the response? One line a request, in the Common Log Format or as JSON, if wanted.

Search queries are private: the log leaves them out unless a setting keeps them. Whatever a request contains, its line
is one line of printable ASCII. So nobody can write a second line, or change the colours of a terminal.

    127.0.0.1 - - [22/Nov/2026:05:30:00 +0000] "GET /search?- HTTP/1.1" 200 5120
"""

from __future__ import annotations

import json
import logging
import sys
import time
import weakref
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING
from urllib.parse import quote

from flask import g, request

from commands.frame.exits import CommandError
from reports.wording import MONTHS

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask, Response

STANDARD_ERROR = "-"
COMMON, JSON = "common", "json"
MAX_BYTES = 10 * 1024 * 1024  # of one file
KEPT = 5  # older files next to the newest: requests.log.1 …
MAX_TARGET = 2_000  # characters of a target; the rest is cut
_ESCAPED = frozenset(b'"\\') | frozenset(range(0x80, 0x100))


@dataclass(frozen=True, slots=True)
class RequestLogSettings:
    """The settings of the log, under the names of docs/settings.md without REQUEST_LOG."""

    place: str  # a file in the data folder, or "-" for standard error
    format: str = COMMON  # or JSON
    queries: bool = False  # whether it keeps search queries
    bytes: int = MAX_BYTES


@dataclass(frozen=True, slots=True)
class RequestLogEntry:
    """One line of the log: `at` in seconds since the epoch, `size` in bytes, None where it is unknown."""

    at: float
    address: str
    method: str
    target: str
    protocol: str
    status: int
    size: int | None
    seconds: float


def target_of_request(path: str, query: str, *, with_queries: bool) -> str:
    """Return the target of a request, escaped as in a URL; `?-` replaces a private query."""
    escaped = quote(path, safe="/:@!$&'()*+,;=~%") + (f"?{query if with_queries else '-'}" if query else "")
    return escaped if len(escaped) <= MAX_TARGET else f"{escaped[:MAX_TARGET]}..."


def common_line(logged: RequestLogEntry) -> str:
    """Return a line of the Common Log Format; unprintable octets are escaped as in Apache's log."""
    at = time.gmtime(logged.at)
    day = f"{at.tm_mday:02}/{MONTHS[at.tm_mon - 1]}/{at.tm_year}:{at.tm_hour:02}:{at.tm_min:02}:{at.tm_sec:02} +0000"
    request_line = _plain(f"{logged.method} {logged.target} {logged.protocol}")
    size = "-" if logged.size is None else logged.size
    return f'{_plain(logged.address.replace(" ", "")) or "-"} - - [{day}] "{request_line}" {logged.status} {size}'


def json_entry(logged: RequestLogEntry) -> str:
    """Return a line of JSON, in ASCII; `end` in seconds since the epoch, `took` in seconds."""
    return json.dumps(
        {
            "end": round(logged.at, 3),
            "took": round(logged.seconds, 6),
            "address": logged.address,
            "method": logged.method,
            "url": logged.target,
            "status": logged.status,
            "bytes": logged.size,
        }
    )


def log_requests(app: Flask, data_dir: Path, settings: RequestLogSettings) -> None:
    """Log the requests of an application, whose configuration then has REQUEST_LOG. Raises `CommandError`."""
    if settings.format not in {COMMON, JSON}:
        raise CommandError(f"REQUEST_LOG_FORMAT={settings.format!r}: choose {COMMON} or {JSON}")
    line = common_line if settings.format == COMMON else json_entry
    handler = _handler(data_dir, settings)
    app.config["REQUEST_LOG"] = settings.place
    weakref.finalize(app, handler.close)

    def note(response: Response) -> Response:
        query = request.query_string.decode("latin-1")
        target = target_of_request(request.path, query, with_queries=settings.queries)
        protocol = request.environ.get("SERVER_PROTOCOL", "HTTP/1.1")
        seconds = time.perf_counter() - g.get("began", time.perf_counter())
        size = response.content_length
        values = (time.time(), request.remote_addr or "", request.method, target, protocol)
        text = line(RequestLogEntry(*values, response.status_code, size, seconds))
        handler.handle(logging.makeLogRecord({"msg": text}))
        return response

    app.after_request(note)


class _BoundedFile(RotatingFileHandler):
    """A file that is rotated when it is full. A full disk stops no response, and is reported once."""

    _reported = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - as logging calls it
        """Report the first error."""
        if not self._reported:
            self._reported = True
            print(f"The request log {self.baseFilename} can't be written: {sys.exc_info()[1]}", file=sys.stderr)


def _handler(data_dir: Path, settings: RequestLogSettings) -> logging.Handler:
    if settings.place == STANDARD_ERROR:
        return logging.StreamHandler(sys.stderr)
    path = data_dir / settings.place
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _BoundedFile(path, maxBytes=settings.bytes, backupCount=KEPT, encoding="ascii")
    except OSError as error:
        raise CommandError(
            f"REQUEST_LOG={settings.place}: {path} can't be written ({error.strerror}); give the name of a "
            "file in the data folder, a whole path, or - for standard error"
        ) from error


def _plain(text: str) -> str:
    return "".join(
        chr(octet) if chr(octet).isprintable() and octet not in _ESCAPED else f"\\x{octet:02x}"
        for octet in text.encode("utf-8", "surrogateescape")
    )
