"""How is a line of a JSON access log read? One object a line, as nginx writes it with a log_format of its own.

It has `end` (seconds since 1970), `took` (seconds) and `url` (the request target), and may have `status`, `host` and
`agent`; whatever else it has is not needed here.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from crawldb.audit.repetition import may_be_asked_again
from crawldb.audit.target import visit_to

if TYPE_CHECKING:
    from crawldb.audit.record import Visit

_MILLISECONDS = 3  # digits: nginx measures no finer


def agent_and_visit(line: str, place: int) -> tuple[str | None, Visit | None]:
    """Return who asked (None: not shown) and the visit (None: there is none to be read)."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None, None
    if not isinstance(fields, dict):
        return None, None
    agent = fields.get("agent")
    shown = agent if isinstance(agent, str) else None
    end, took = _seconds(fields.get("end")), _seconds(fields.get("took"))
    url, host, status = fields.get("url"), fields.get("host", ""), fields.get("status")
    if end is None or took is None or not isinstance(url, str) or not isinstance(host, str):
        return shown, None
    if not isinstance(status, int) or isinstance(status, bool) or not status:
        status = None
    return shown, visit_to(
        host, url, place, start=round(end - took, _MILLISECONDS), end=end, status=status,
        again=may_be_asked_again(status),
    )  # fmt: skip


def _seconds(value: object) -> float | None:
    """Return a time that is one: not negative, and not so large that differences of it mean nothing."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e12:  # noqa: PLR2004 - seconds
        return None
    return float(value) if math.isfinite(value) else None
