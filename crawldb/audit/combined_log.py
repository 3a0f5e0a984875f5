r"""How is a line of a combined log read? As Apache and nginx write it, with or without the virtual host in front.

    [host[:port]] client identity user [21/Nov/2026:06:01:00 +0000] "GET /path HTTP/1.1" status bytes "referer" "agent"

Apache writes `\\"` for a quote and `\\xhh` for an octet that can't be shown, nginx `\\xhh` for both.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from crawldb.audit.repetition import may_be_asked_again
from crawldb.audit.target import visit_to

if TYPE_CHECKING:
    from crawldb.audit.record import Visit

_QUOTED = r'"([^"\\]*(?:\\.[^"\\]*)*)"'
_LINE = re.compile(rf"([^\[]{{1,1000}}) \[([^\]]{{1,40}})\] {_QUOTED} (\d{{3}}|-) (?:\d{{1,20}}|-) {_QUOTED} {_QUOTED}")
_TIME = re.compile(r"(\d{1,2})/([A-Z][a-z]{2})/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d{4})\Z", re.ASCII)
_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"
_ESCAPED = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|(.))")
_CLIENT, _IDENTITY, _USER = range(3)  # the words before the time, where no virtual host comes first
_NOT_SHOWN = "-"


def agent_and_visit(line: str, place: int) -> tuple[str | None, Visit | None]:
    """Return who asked (None: not shown) and the visit (None: there is none to be read)."""
    match = _LINE.match(line)
    if match is None:
        return None, None
    before, time, request, code, _, agent = match.groups()
    end = _seconds(time)
    words = before.split()
    method, _, rest = request.partition(" ")
    target, _, _ = rest.rpartition(" ")
    if end is None or len(words) <= _USER or not method or not target:
        return agent, None
    status = None if code in {_NOT_SHOWN, "000"} else int(code)
    return agent, visit_to(
        _virtual_host(words), _ESCAPED.sub(_octet, target), place, start=end, end=end, status=status,
        again=may_be_asked_again(status),
    )  # fmt: skip


def _virtual_host(words: list[str]) -> str:
    """Return the host that stands first, or "". A user's name may hold blanks, but hardly anyone has an identity."""
    return words[0] if len(words) > _USER + 1 and words[_IDENTITY] != _NOT_SHOWN else ""


def _octet(match: re.Match[str]) -> str:
    """Return an escaped octet as a URL has it."""
    return f"%{match[1].upper()}" if match[1] else match[2]


@lru_cache(64)  # many lines share a second
def _seconds(text: str) -> float | None:
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
