"""What did a server see of us? Its access log, as JSON lines or in the combined form; the first good line tells which.

Only requests of our agent count. Lines that can't be read are counted: what they hide, nobody knows.

A JSON log has one object a line, as nginx writes it with a log_format of its own: `end` (seconds since 1970), `took`
(seconds) and `url` (the request target), perhaps `status`, `host` and `agent`; whatever else it has is not needed here.
A combined log is that of Apache and nginx, with or without the virtual host in front:

    [host[:port]] client identity user [21/Nov/2026:06:01:00 +0000] "GET /path HTTP/1.1" status bytes "referer" "agent"

For an octet that can't be shown both write a backslash, x and two hexadecimal digits; for a quote nginx writes the
same, and Apache a backslash and the quote.
"""

from __future__ import annotations

import json
import math
import re
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, BinaryIO

from reports.audit.logged_requests import (
    COMBINED_LOG,
    JSON_LOG,
    Form,
    Log,
    LoggedRequest,
    logged_request,
    may_be_asked_again,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_LATEST = 1e12  # seconds: beyond, differences of two times mean nothing
_MILLISECONDS = 3  # digits: nginx measures no finer


def read_json_line(line: str, place: int) -> tuple[str | None, LoggedRequest | None]:
    """Return who asked (None: not shown) and the visit (None: there is none to be read)."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None, None
    if not isinstance(fields, dict):
        return None, None
    agent = fields.get("agent")
    shown = agent if isinstance(agent, str) else None
    end, took = _json_seconds(fields.get("end")), _json_seconds(fields.get("took"))
    url, host, status = fields.get("url"), fields.get("host", ""), fields.get("status")
    if end is None or took is None or not isinstance(url, str) or not isinstance(host, str):
        return shown, None
    if not isinstance(status, int) or isinstance(status, bool) or not status:
        status = None
    start, again = round(end - took, _MILLISECONDS), may_be_asked_again(status)
    return shown, logged_request(host, url, place, start=start, end=end, status=status, again=again)


def _json_seconds(value: object) -> float | None:
    """Return a time that is one: not negative, and not so large that differences of it mean nothing."""
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
    """Return who asked (None: not shown) and the visit (None: there is none to be read)."""
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
    host, url, again = _virtual_host(words), _ESCAPED.sub(_octet, target), may_be_asked_again(status)
    return agent, logged_request(host, url, place, start=end, end=end, status=status, again=again)


def _virtual_host(words: list[str]) -> str:
    """Return the host that stands first, or "". A user's name may hold blanks, but hardly anyone has an identity."""
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


MAX_LINE = 256 * 1024  # bytes: the longest request that nginx takes is 32 KiB, each octet up to six in a log
FIRST_LINES = 1000  # in which one has to be readable: what has none is no log

_FORMS: tuple[tuple[Form, Callable[[str, int], tuple[str | None, LoggedRequest | None]]], ...] = (
    (JSON_LOG, read_json_line),
    (COMBINED_LOG, read_combined_line),
)


class NoLogError(Exception):
    """A file is no log that can be audited; the message says what was looked for."""


def read_log(file: BinaryIO, name: str, agent: str) -> Log:
    """Begin to read a log; `agent` is the product token whose requests count. Raises NoLogError."""
    form, read = _form_of(file, name)
    file.seek(0)
    log = Log(name, form)
    log.visits = log.in_order(_visits(file, log, read, _token(agent)))
    return log


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
            f"{name}: none of its first {lines:,} lines is one of an access log; an audit reads the combined form, and "
            'one JSON object a line with at least "end" and "took" in seconds, and "url"'
        )
    return _FORMS[0]  # an empty log is one of any form


def _visits(
    file: BinaryIO, log: Log, read: Callable[[str, int], tuple[str | None, LoggedRequest | None]], ours: re.Pattern[str]
) -> Iterator[LoggedRequest]:
    for number, line in _lines(file):
        log.lines += 1
        agent, visit = read(line, number)
        if agent is not None and not ours.search(agent):
            log.others += 1
        elif visit is None:
            log.cannot_read(number)
        else:
            yield visit


def _lines(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank with their numbers; of one that is too long only its beginning."""
    number = 0
    while line := file.readline(MAX_LINE):
        number += 1
        rest = line
        while len(rest) == MAX_LINE and not rest.endswith(b"\n"):
            rest = file.readline(MAX_LINE)
        if not line.isspace():
            yield number, line.decode("utf-8", "backslashreplace")


def _token(agent: str) -> re.Pattern[str]:
    """Return what finds a product token in a User-Agent, also in a comment such as "(compatible; Googlebot/2.1)"."""
    return re.compile(rf"(?<![\w-]){re.escape(agent)}(?![\w-])", re.IGNORECASE | re.ASCII)
