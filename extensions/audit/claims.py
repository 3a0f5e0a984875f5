"""The rules that a polite robot must keep, each checked request by request.

`robots-first`: each origin's robots.txt is requested and answered before anything else (RFC 9309, 2.3).
`allowed`: robots.txt allows each URL, by our own parser, for one product token.
`once`: within a round, no URL is requested twice, except for retries in the journal.
`delay`: a minimum time between two requests to a host. `ceiling`: a maximum number of requests per minute.

For the fetch log, `once` allows a second request in two cases: after a failure that a retry may resolve, if the journal
has that retry; and once more if the journal says that two fetches are compared. Other logs show no rounds. There it
allows a second request after no response, 408, 429, 499 or 5xx, if the second response is 304, and 20 hours after the
first: a crawl of every night requests a page that changed again. A robots.txt may be requested again at any time.

Delays are measured between the starts of two requests to one host, on any port. A request that comes early adds to a
balance, a longer pause reduces it. A balance above the precision of the log is a violation. So even a log with whole
seconds can show one.
"""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple, Protocol

from reports.wording import counted
from robots import Access
from urls.schedule import MIN_REVISIT

if TYPE_CHECKING:
    from collections.abc import Callable

    from extensions.audit.log_audit import Rules
    from extensions.audit.log_reader import Form, LoggedRequest

SAMPLES = 10  # violations shown; all are counted


class Proof(Enum):
    """The result of a claim."""

    PROVED = "proved"
    VIOLATED = "violated"
    NOT_PROVABLE = "not provable"
    NOT_ASKED = "not asked"  # no limit was given to hold the log against; only what was seen is told


@dataclass(frozen=True, slots=True)
class ViolationSample:
    """One violation: its place in the log, its time, its URL, and the reason."""

    place: int
    at: float
    url: str
    wrong: str


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """The result of one claim: `name` is a fixed word, `claim` its text, `reason` the evidence."""

    name: str
    claim: str
    proof: Proof
    reason: str
    violations: int = 0
    samples: tuple[ViolationSample, ...] = ()


class Claim(Protocol):
    """A rule for polite robots. It sees each request once, ordered by start."""

    def see(self, visit: LoggedRequest) -> None:
        """Take the next request."""

    def finding(self) -> AuditFinding:
        """Return the result of the claim."""


@dataclass(slots=True)
class Tally:
    """Counts the violations of a claim, with a few samples, and the doubts by reason."""

    violations: int = 0
    samples: list[ViolationSample] = field(default_factory=list)
    doubts: Counter[str] = field(default_factory=Counter)

    def violation(self, visit: LoggedRequest, wrong: str) -> None:
        """Count a request that violates the claim."""
        self.violations += 1
        if len(self.samples) < SAMPLES:
            self.samples.append(ViolationSample(visit.place, visit.start, visit.url, wrong))

    def doubt(self, reason: str) -> None:
        """Count a request for which the log does not show whether it is a violation; `reason` is a fixed text."""
        self.doubts[reason] += 1

    def finding(self, name: str, claim: str, seen: str) -> AuditFinding:
        """Return the result; `seen` is the reason if there are no violations and no doubts."""
        doubts = "; ".join(f"{counted(count, 'request')}: {reason}" for reason, count in self.doubts.items())
        if self.violations:
            count = f"{counted(self.violations, 'violation')}"
            return AuditFinding(name, claim, Proof.VIOLATED, count, self.violations, tuple(self.samples))
        if doubts:
            return AuditFinding(name, claim, Proof.NOT_PROVABLE, doubts)
        return AuditFinding(name, claim, Proof.PROVED, seen)


NEVER = "its robots.txt was not requested before"
UNANSWERED = "its robots.txt was requested, but not answered"


class RobotsFirst:
    """The claim `robots-first`.

    `excuse` returns why a robots.txt may be known without a request in this log, or "". `rules` show whether an
    unanswered robots.txt was given up: then the site is open by RFC 9309 (2.3.1.4).
    """

    def __init__(self, form: Form, rules: Rules, excuse: Callable[[LoggedRequest], str]) -> None:
        self._form = form
        self._rules = rules
        self._excuse = excuse
        self._known: dict[str, float] = {}  # since when an origin's robots.txt is known
        self._unanswered: set[str] = set()
        self._tally = Tally()

    def see(self, visit: LoggedRequest) -> None:
        """Take the next visit."""
        if visit.robots:
            self._asked(visit)
            return
        since = self._known.get(visit.origin)
        if since is None:
            self._unknown(visit)
        elif self._form.answers and visit.start < since - self._form.forgiven:
            early = f"{since - visit.start:.3f} s before its robots.txt was answered"
            self._tally.violation(visit, early)

    def _asked(self, visit: LoggedRequest) -> None:
        origin = visit.rules_of
        if visit.status is None:
            self._unanswered.add(origin)
        elif not visit.moved:
            self._known[origin] = min(visit.end, self._known.get(origin, visit.end))

    def _unknown(self, visit: LoggedRequest) -> None:
        excuse, asked = self._excuse(visit), visit.origin in self._unanswered
        if excuse:
            self._tally.doubt(excuse)
        elif not asked:
            self._tally.violation(visit, NEVER)
        elif not self._is_decided(visit):
            self._tally.violation(visit, UNANSWERED)

    def _is_decided(self, visit: LoggedRequest) -> bool:
        """Return whether the rules for an unanswered robots.txt were known at the time of a request."""
        found = self._rules.of(visit)
        if isinstance(found, str) or not found.availability.failing:
            return False
        begun = visit.start + self._form.forgiven + self._form.doubt
        return found.availability.access is not Access.CLOSED and found.since <= begun

    def finding(self) -> AuditFinding:
        """Return the result of the claim."""
        kept = f"{counted(len(self._known), 'origin')} requested it first"
        kept += ", and it was answered" if self._form.answers else "; this log does not show the time of the response"
        return self._tally.finding("robots-first", "robots.txt first", kept)


EARLIER = "made before the stored robots.txt; the file in force is not known"


class Permission:
    """The claim `allowed`. A robots.txt itself may always be requested."""

    def __init__(self, form: Form, rules: Rules, agent: str) -> None:
        self._margin = form.forgiven + form.doubt
        self._rules = rules
        self._agent = agent
        self._judged = 0
        self._tally = Tally()

    def see(self, visit: LoggedRequest) -> None:
        """Take the next visit."""
        if visit.robots:
            return
        copy = self._rules.of(visit)
        if isinstance(copy, str):
            self._tally.doubt(copy)
            return
        if visit.start + self._margin < copy.since:
            self._tally.doubt(EARLIER)
            return
        self._judged += 1
        verdict = copy.availability.decide(self._agent, visit.path)
        if not verdict.allowed:
            self._tally.violation(visit, verdict.with_rule)

    def finding(self) -> AuditFinding:
        """Return the result of the claim."""
        kept = f"{counted(self._judged, 'URL')} checked, all allowed for {self._agent}"
        return self._tally.finding("allowed", "no disallowed URL", kept)


MAX_URLS = 2_000_000  # tracked, in about 450 MB
TOO_MANY = f"the audit tracks {MAX_URLS:,} URLs, and this is another one"
HOUR = 3600.0  # seconds
_DIGEST = 8  # bytes: among a million URLs two share one with a chance of 1 in 36 million


class _Latest(NamedTuple):
    """The latest request for a URL."""

    place: int
    begun: float  # when its round began, where the log shows no rounds
    again: bool  # a retry may follow


class Once:
    """The claim `once`."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._round = 0
        self._urls = 0
        self._latest: dict[int, _Latest] = {}  # by digest of the URL
        self._tally = Tally()

    def see(self, visit: LoggedRequest) -> None:
        """Take the next visit."""
        if visit.robots:
            return
        if visit.round != self._round:
            self._round = visit.round
            self._latest.clear()
        digest = hashlib.blake2b(visit.url.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()
        key = int.from_bytes(digest, "big")
        before, begun = self._latest.get(key), visit.start
        if before is None:
            if len(self._latest) >= MAX_URLS:
                self._tally.doubt(TOO_MANY)
                return
            self._urls += 1
        elif not self._begins_round(visit, before):
            begun = before.begun
            if not before.again and (self._form.rounds or visit.status != HTTPStatus.NOT_MODIFIED):
                where = f" in round {visit.round}" if self._form.rounds else ""
                self._tally.violation(visit, f"requested before{where}, by {self._form.unit} {before.place}")
        self._latest[key] = _Latest(visit.place, begun, visit.again)

    def _begins_round(self, visit: LoggedRequest, before: _Latest) -> bool:
        """Return whether a request may begin a round; only for logs without rounds.

        The time counts from the request that began the round before: one between two nights must not make the
        second night early.
        """
        return not self._form.rounds and visit.start - before.begun >= MIN_REVISIT - self._form.doubt

    def finding(self) -> AuditFinding:
        """Return the result of the claim."""
        if self._form.rounds:
            claim, kept = "no URL twice a round", "once per round, except retries and probes"
        else:
            kept = f"once within {MIN_REVISIT / HOUR:g} hours, except retries and revisits with status 304"
            claim = "no URL twice"
        return self._tally.finding("once", claim, f"{counted(self._urls, 'URL')}, each requested {kept}")


MINUTE = 60.0  # seconds
UNTIMED = "no response, and the log does not show its start"
INEXACT = "the log has only whole seconds, so a gap is known to 2 s"
_DIGITS = 6  # a difference of times in seconds since 1970 is good to a microsecond, and not to more


@dataclass(slots=True)
class _Host:
    last: LoggedRequest
    lead: float = 0.0  # seconds by which the latest request came too early, with what the earlier ones left


class MinimumDelay:
    """The claim `delay`: at least `delay` seconds between requests to a host. Without it, reports the smallest gap."""

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
            self._tally.violation(
                visit, f"{gap:.3f} s after {before}, the previous request to {visit.host or 'its host'}"
            )
            host.lead = 0.0
        elif self._form.doubt and gap < delay + self._form.doubt:
            self._tally.doubt(INEXACT)

    def finding(self) -> AuditFinding:
        """Return the result of the claim."""
        seen = "no host got two requests"
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
    """The claim `ceiling`: at most that many requests to a host in any 60 seconds. Without it, reports the maximum."""

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
            self._tally.violation(visit, f"request {surely:,} to {visit.host or 'its host'} within a minute")
        elif self._form.doubt and perhaps > self._ceiling:
            self._tally.doubt(INEXACT)

    def finding(self) -> AuditFinding:
        """Return the result of the claim."""
        seen = f"the maximum per host within 60 s is {self._most:,}"
        if self._ceiling is None:
            return AuditFinding("ceiling", "requests a minute", Proof.NOT_ASKED, f"{seen}; --ceiling N sets a limit")
        return self._tally.finding("ceiling", f"at most {counted(self._ceiling, 'request')} a minute", seen)
