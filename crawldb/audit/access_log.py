"""What did a server see of us? Its access log, as JSON lines or in the combined form; the first good line tells which.

Only requests of our agent count. Lines that can't be read are counted: what they hide, nobody knows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from crawldb.audit import combined_log, json_log
from crawldb.audit.log import Log
from crawldb.audit.record import COMBINED_LOG, JSON_LOG, Form, Visit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_LINE = 256 * 1024  # bytes: the longest request that nginx takes is 32 KiB, each octet up to six in a log
FIRST_LINES = 1000  # in which one has to be readable: what has none is no log

_FORMS: tuple[tuple[Form, Callable[[str, int], tuple[str | None, Visit | None]]], ...] = (
    (JSON_LOG, json_log.agent_and_visit),
    (COMBINED_LOG, combined_log.agent_and_visit),
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


def _form_of(file: BinaryIO, name: str) -> tuple[Form, Callable[[str, int], tuple[str | None, Visit | None]]]:
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
    file: BinaryIO, log: Log, read: Callable[[str, int], tuple[str | None, Visit | None]], ours: re.Pattern[str]
) -> Iterator[Visit]:
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
