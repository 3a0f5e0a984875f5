"""Was every URL one that its robots.txt allows? Judged by our own parser, for one product token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.audit.record import Tally

if TYPE_CHECKING:
    from crawldb.audit.record import Finding, Form, Visit
    from crawldb.audit.rules import Rules

EARLIER = "made before the robots.txt came that is kept; the one then in force is not known"


class Permission:
    """The claim. A robots.txt itself may always be asked for."""

    def __init__(self, form: Form, rules: Rules, agent: str) -> None:
        self._margin = form.forgiven + form.doubt
        self._rules = rules
        self._agent = agent
        self._judged = 0
        self._tally = Tally()

    def see(self, visit: Visit) -> None:
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

    def finding(self) -> Finding:
        """Return how the claim ends."""
        kept = f"each of {self._judged:,} URLs is allowed for {self._agent}"
        return self._tally.finding("allowed", "no disallowed URL", kept)
