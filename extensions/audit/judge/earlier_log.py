"""What did a robot request before this log began? It may know a robots.txt from then, for 24 hours (RFC 9309, 2.4).

The practice web starts a new log each time; the one before is then `NAME.1`. It has only a part of what came before, so
a robot that it shows at a site may have read the site's robots.txt earlier still: nothing is proved against it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extensions.audit.log_reader import NoLogError, read_log

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from extensions.audit.log_reader import LoggedRequest

DAY = 86_400.0  # seconds: a robots.txt is not used for longer (RFC 9309, 2.4)
MAX_VISITORS = 100_000  # robots at sites that are remembered, in some 30 MB


class EarlierLog:
    """The requests of the log before: when each robot was last at each site."""

    def __init__(self, name: str = "", requests: Iterable[LoggedRequest] = ()) -> None:
        self._why = f"{name} has this robot at the site within 24 hours before: it may have read robots.txt then"
        self._last: dict[tuple[str, str, str], float] = {}  # by robot and site: seconds since the epoch
        for request in requests:
            if len(self._last) < MAX_VISITORS or _visitor(request) in self._last:
                self._last[_visitor(request)] = request.start

    def excuse(self, request: LoggedRequest) -> str:
        """Return why the robot may know the robots.txt of a site that it did not request in this log, or ""."""
        last = self._last.get(_visitor(request))
        return "" if last is None or request.start - last > DAY else self._why


def read_log_before(path: Path) -> EarlierLog:
    """Return what `NAME.1` beside the log at `path` shows; nothing if there is none or it can't be read."""
    before = path.with_name(f"{path.name}.1")
    try:
        with before.open("rb") as file:
            return EarlierLog(before.name, read_log(file, str(before), "").visits)
    except (OSError, ValueError, NoLogError):
        return EarlierLog()


def _visitor(request: LoggedRequest) -> tuple[str, str, str]:
    return request.head.agent, request.client, request.origin
