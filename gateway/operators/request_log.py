"""Who asked for what, and what was answered? One line a request, in the Common Log Format or as JSON, if wanted.

What people search for is private: the words of a query are left out unless a setting says that they stay. Whatever a
request has, its line is one line of printable ASCII: nobody can write a second one, or turn a terminal's colours.

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

from reports.wording import MONTHS

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask, Response

    from gateway.settings import GatewaySettings

STANDARD_ERROR = "-"
COMMON, JSON = "common", "json"
KEPT = 5  # older files beside the newest: requests.log.1 …
MAX_TARGET = 2_000  # characters of a target; what is beyond is cut
_ESCAPED = frozenset(b'"\\') | frozenset(range(0x80, 0x100))


class LogUnusable(Exception):
    """The log of requests can't be written as its settings say; the message says what would work."""


@dataclass(frozen=True, slots=True)
class RequestLogEntry:
    """One line of the log: `at` in seconds since the epoch, `size` in bytes, None where nobody counted it."""

    at: float
    address: str
    method: str
    target: str
    protocol: str
    status: int
    size: int | None
    seconds: float


def target_of_request(path: str, query: str, *, with_queries: bool) -> str:
    """Return what was asked for, escaped as a URL is; where queries are private, `?-` stands for one."""
    escaped = quote(path, safe="/:@!$&'()*+,;=~%") + (f"?{query if with_queries else '-'}" if query else "")
    return escaped if len(escaped) <= MAX_TARGET else f"{escaped[:MAX_TARGET]}..."


def common_line(answered: RequestLogEntry) -> str:
    """Return a line of the Common Log Format, with octets that can't be shown by their numbers, as Apache does."""
    at = time.gmtime(answered.at)
    day = f"{at.tm_mday:02}/{MONTHS[at.tm_mon - 1]}/{at.tm_year}:{at.tm_hour:02}:{at.tm_min:02}:{at.tm_sec:02} +0000"
    asked = _plain(f"{answered.method} {answered.target} {answered.protocol}")
    size = "-" if answered.size is None else answered.size
    return f'{_plain(answered.address.replace(" ", "")) or "-"} - - [{day}] "{asked}" {answered.status} {size}'


def json_entry(answered: RequestLogEntry) -> str:
    """Return a line of JSON, in ASCII; `end` in seconds since the epoch, `took` in seconds."""
    return json.dumps(
        {
            "end": round(answered.at, 3),
            "took": round(answered.seconds, 6),
            "address": answered.address,
            "method": answered.method,
            "url": answered.target,
            "status": answered.status,
            "bytes": answered.size,
        }
    )


def log_requests(app: Flask, data_dir: Path, settings: GatewaySettings) -> None:
    """Let an application log its answers, if a log is wanted. Raises `LogUnusable` where it can't be written."""
    if not settings.request_log:
        return
    if settings.request_log_format not in {COMMON, JSON}:
        raise LogUnusable(f"REQUEST_LOG_FORMAT={settings.request_log_format!r}: choose {COMMON} or {JSON}")
    line = common_line if settings.request_log_format == COMMON else json_entry
    handler = _handler(data_dir, settings)
    weakref.finalize(app, handler.close)

    def note(response: Response) -> Response:
        query = request.query_string.decode("latin-1")
        target = target_of_request(request.path, query, with_queries=settings.request_log_queries)
        protocol = request.environ.get("SERVER_PROTOCOL", "HTTP/1.1")
        seconds = time.perf_counter() - g.get("began", time.perf_counter())
        size = response.content_length
        asked = (time.time(), request.remote_addr or "", request.method, target, protocol)
        text = line(RequestLogEntry(*asked, response.status_code, size, seconds))
        handler.handle(logging.makeLogRecord({"msg": text}))
        return response

    app.after_request(note)


class _BoundedFile(RotatingFileHandler):
    """A file that begins anew when it is full. A disk that is full stops no answer, and is told once."""

    _told = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - as logging calls it
        """Tell the first fault."""
        if not self._told:
            self._told = True
            print(f"The log of requests, {self.baseFilename}, can't be written: {sys.exc_info()[1]}", file=sys.stderr)


def _handler(data_dir: Path, settings: GatewaySettings) -> logging.Handler:
    if settings.request_log == STANDARD_ERROR:
        return logging.StreamHandler(sys.stderr)
    path = data_dir / settings.request_log
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _BoundedFile(path, maxBytes=settings.request_log_bytes, backupCount=KEPT, encoding="ascii")
    except OSError as error:
        raise LogUnusable(
            f"REQUEST_LOG={settings.request_log}: {path} can't be written ({error.strerror}); give the name of a "
            "file in the data folder, a whole path, or - for standard error"
        ) from error


def _plain(text: str) -> str:
    return "".join(
        chr(octet) if chr(octet).isprintable() and octet not in _ESCAPED else f"\\x{octet:02x}"
        for octet in text.encode("utf-8", "surrogateescape")
    )
