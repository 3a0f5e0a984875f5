"""Was a host given its pause between two requests, and never more than so many a minute?

Pauses lie between the starts of two requests to one host, whatever its ports. A request that
comes early adds to a balance, a longer pause takes it away; a balance above the log's inexactness is a violation. So
the pace can be judged even where a log has whole seconds only.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports.audit.findings import AuditFinding, Proof, Tally
from reports.wording import counted

if TYPE_CHECKING:
    from reports.audit.logged_requests import Form, LoggedRequest

MINUTE = 60.0  # seconds
UNTIMED = "got no answer, and the log does not show when it began"
INEXACT = "the log has whole seconds only, so that a gap is known to 2 s at best"
_DIGITS = 6  # a difference of times in seconds since 1970 is good to a microsecond, and not to more


@dataclass(slots=True)
class _Host:
    last: LoggedRequest
    lead: float = 0.0  # seconds by which the latest request came too early, with what the earlier ones left


class MinimumDelay:
    """No two requests to a host are nearer than `delay` seconds; without one, the smallest gap is told."""

    def __init__(self, form: Form, delay: float | None) -> None:
        self._form = form
        self._delay = delay
        self._hosts: dict[str, _Host] = {}
        self._smallest: tuple[float, LoggedRequest] | None = None
        self._tally = Tally()

    def see(self, visit: LoggedRequest) -> None:
        """Take the next visit."""
        if not visit.timed:
            self._tally.doubt(UNTIMED)
            return
        host = self._hosts.get(visit.host)
        if host is None:
            self._hosts[visit.host] = _Host(visit)
            return
        gap = round(visit.start - host.last.start, _DIGITS)
        if self._smallest is None or gap < self._smallest[0]:
            self._smallest = gap, visit
        if self._delay is not None:
            self._judge(visit, host, gap, self._delay)
        host.last = visit

    def _judge(self, visit: LoggedRequest, host: _Host, gap: float, delay: float) -> None:
        host.lead = round(max(0.0, host.lead + delay - gap), _DIGITS)
        if host.lead > 0 and host.lead >= self._form.forgiven + self._form.doubt:
            before = f"{self._form.unit} {host.last.place}"
            self._tally.violation(visit, f"{gap:.3f} s after {before}, the request before it to {visit.host or 'it'}")
            host.lead = 0.0
        elif self._form.doubt and gap < delay + self._form.doubt:
            self._tally.doubt(INEXACT)

    def finding(self) -> AuditFinding:
        """Return how the claim ends."""
        seen = "no host was asked twice"
        if self._smallest is not None:
            gap, visit = self._smallest
            seen = f"the smallest is {gap:.3f} s, before {self._form.unit} {visit.place} ({visit.url})"
        if self._delay is None:
            return AuditFinding("delay", "gaps between requests", Proof.NOT_ASKED, f"{seen}; --delay S sets a limit")
        return self._tally.finding("delay", f"no gap under {self._delay:g} s", seen)


class _Window:
    """The requests of the last seconds, by host."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._visits: deque[tuple[float, str]] = deque()
        self._counts: Counter[str] = Counter()

    def with_(self, visit: LoggedRequest) -> int:
        """Add a visit; return how many its host has had within the window that ends with it."""
        while self._visits and visit.start - self._visits[0][0] >= self._seconds:
            host = self._visits.popleft()[1]
            self._counts[host] -= 1
            if not self._counts[host]:
                del self._counts[host]
        self._visits.append((visit.start, visit.host))
        self._counts[visit.host] += 1
        return self._counts[visit.host]


class Ceiling:
    """No host gets more than `ceiling` requests within any 60 seconds; without one, the most are told."""

    def __init__(self, form: Form, ceiling: int | None) -> None:
        self._form = form
        self._ceiling = ceiling
        self._surely = _Window(MINUTE - form.forgiven - form.doubt)
        self._perhaps = _Window(MINUTE + form.doubt)
        self._most = 0
        self._tally = Tally()

    def see(self, visit: LoggedRequest) -> None:
        """Take the next visit."""
        if not visit.timed:
            self._tally.doubt(UNTIMED)
            return
        surely, perhaps = self._surely.with_(visit), self._perhaps.with_(visit)
        self._most = max(self._most, perhaps if not self._form.doubt else surely)
        if self._ceiling is None:
            return
        if surely > self._ceiling:
            self._tally.violation(visit, f"number {surely:,} of {visit.host or 'its host'} within a minute")
        elif self._form.doubt and perhaps > self._ceiling:
            self._tally.doubt(INEXACT)

    def finding(self) -> AuditFinding:
        """Return how the claim ends."""
        seen = f"the most that a host got within 60 s is {self._most:,}"
        if self._ceiling is None:
            return AuditFinding("ceiling", "requests a minute", Proof.NOT_ASKED, f"{seen}; --ceiling N sets a limit")
        return self._tally.finding("ceiling", f"at most {counted(self._ceiling, 'request')} a minute", seen)
