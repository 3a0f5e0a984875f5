"""What is a polite robot held to, URL by URL? Its origin's robots.txt first, only what that allows, and no URL twice.

`robots-first`: each origin was asked for its robots.txt before anything else, and had it answered (RFC 9309, 2.3).
`allowed`: every URL is one that its robots.txt allows, judged by our own parser, for one product token.
`once`: in a round of our own crawl no URL is asked for twice, apart from journaled retries.

The rule of `once` for the fetch log: a URL is asked for again in its round only after a request that failed in a way
that a retry may mend, and whose retry the journal has, or once more where the journal says that two fetches were to
be compared. The rule for logs of others, which show no rounds: only after an
answer that lets one try again (none, 408, 429, 499, 5xx), or where the answer is 304, as to a revisit that remembers
the page. A robots.txt may be asked for again whenever its copy is too old.
"""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from typing import TYPE_CHECKING

from reports.audit.findings import Tally
from reports.wording import counted
from robots import Access

if TYPE_CHECKING:
    from collections.abc import Callable

    from reports.audit.findings import AuditFinding
    from reports.audit.logged_requests import Form, LoggedRequest
    from reports.audit.robots_in_force import Rules


NEVER = "no robots.txt of its origin was asked for before it"
UNANSWERED = "the robots.txt of its origin had been asked for and not answered"


class RobotsFirst:
    """The claim, for visits in the order of their starts.

    `excuse` says why a visit's robots.txt may be known although this log does not show it, or "". `rules` tell whether
    what was not answered was given up: then the site is open by a rule of RFC 9309 (2.3.1.4).
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
            early = f"{since - visit.start:.3f} s before the robots.txt of its origin was answered"
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
        """Return whether it was known at the time of a visit what holds while the robots.txt gives no answer."""
        found = self._rules.of(visit)
        if isinstance(found, str) or not found.availability.failing:
            return False
        begun = visit.start + self._form.forgiven + self._form.doubt
        return found.availability.access is not Access.CLOSED and found.since <= begun

    def finding(self) -> AuditFinding:
        """Return how the claim ends."""
        kept = f"{counted(len(self._known), 'origin')} asked for it before anything else"
        kept += ", and answered" if self._form.answers else "; this form does not show when it was answered"
        return self._tally.finding("robots-first", "robots.txt first", kept)


EARLIER = "made before the robots.txt came that is kept; the one then in force is not known"


class Permission:
    """The claim. A robots.txt itself may always be asked for."""

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
            self._tally.violation(visit, f"{verdict} ({verdict.rule})" if verdict.line else str(verdict))

    def finding(self) -> AuditFinding:
        """Return how the claim ends."""
        kept = f"each of {counted(self._judged, 'URL')} is allowed for {self._agent}"
        return self._tally.finding("allowed", "no disallowed URL", kept)


MAX_URLS = 2_000_000  # told apart, in some 250 MB
TOO_MANY = f"the audit tells {MAX_URLS:,} URLs apart, and this is another one"
_DIGEST = 8  # bytes: among a million URLs two share one with a chance of 1 in 36 million


class Once:
    """The claim, for visits in the order of their starts."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._round = 0
        self._urls = 0
        self._latest: dict[int, int] = {}  # by digest of the URL: place, negative where a retry may follow
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
        before = self._latest.get(key)
        if before is None:
            if len(self._latest) >= MAX_URLS:
                self._tally.doubt(TOO_MANY)
                return
            self._urls += 1
        elif before > 0 and (self._form.rounds or visit.status != HTTPStatus.NOT_MODIFIED):
            where = f" in round {visit.round}" if self._form.rounds else ""
            self._tally.violation(visit, f"asked for already{where}, by {self._form.unit} {before}")
        self._latest[key] = -visit.place if visit.again else visit.place

    def finding(self) -> AuditFinding:
        """Return how the claim ends."""
        if self._form.rounds:
            claim, kept = "no URL twice a round", "once a round, apart from journaled retries and probes"
        else:
            claim, kept = "no URL twice", "once, apart from retries and revisits answered 304"
        return self._tally.finding("once", claim, f"{counted(self._urls, 'URL')}, each asked for {kept}")
