"""Was each origin asked for its robots.txt before anything else, and had it answered (RFC 9309, 2.3)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.audit.record import Tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawldb.audit.record import Finding, Form, Visit

NEVER = "no robots.txt of its origin was asked for before it"
UNANSWERED = "the robots.txt of its origin had been asked for and not answered"


class RobotsFirst:
    """The claim, for visits in the order of their starts.

    `excuse` says why a visit's robots.txt may be known although this log does not show it, or "".
    """

    def __init__(self, form: Form, excuse: Callable[[Visit], str]) -> None:
        self._form = form
        self._excuse = excuse
        self._known: dict[str, float] = {}  # since when an origin's robots.txt is known
        self._unanswered: set[str] = set()
        self._tally = Tally()

    def see(self, visit: Visit) -> None:
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

    def _asked(self, visit: Visit) -> None:
        origin = visit.rules_of
        if visit.status is None:
            self._unanswered.add(origin)
        elif not visit.moved:
            self._known[origin] = min(visit.end, self._known.get(origin, visit.end))

    def _unknown(self, visit: Visit) -> None:
        excuse = self._excuse(visit)
        if excuse:
            self._tally.doubt(excuse)
        else:
            self._tally.violation(visit, UNANSWERED if visit.origin in self._unanswered else NEVER)

    def finding(self) -> Finding:
        """Return how the claim ends."""
        count = len(self._known)
        kept = f"{count:,} {'origin' if count == 1 else 'origins'} asked for it before anything else"
        kept += ", and answered" if self._form.answers else "; this form does not show when it was answered"
        return self._tally.finding("robots-first", "robots.txt first", kept)
