"""Was the robot polite? Each claim sees every visit once, in the order of their starts, and then says how it ends.

What a log may hide, and a log without any request, proves nothing: a claim that nothing speaks against is then not
provable. What speaks against it counts all the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reports.audit.claims import Once, Permission, RobotsFirst
from reports.audit.findings import AuditFinding, Proof
from reports.audit.rate import Ceiling, MinimumDelay
from reports.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from reports.audit.findings import Claim
    from reports.audit.logged_requests import Log, LoggedRequest
    from reports.audit.robots_in_force import Rules

MAX_ORIGINS = 100_000  # followed in one audit, each with its latest requests
NO_REQUEST = "the log has no request of this robot"
FROM_BEFORE = "the crawl database has a robots.txt from before, so the log begins later than the crawl"


@dataclass(frozen=True, slots=True)
class Terms:
    """What the log is held against: the robot's product token, seconds between requests, requests a minute."""

    agent: str
    delay: float | None = None
    ceiling: int | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    """What came out: how many requests there were, how each claim ended, and what the log may hide."""

    requests: int
    findings: tuple[AuditFinding, ...]
    doubts: tuple[str, ...]

    @property
    def proof(self) -> Proof:
        """The worst ending of a claim that was asked for."""
        proofs = {finding.proof for finding in self.findings}
        return next(proof for proof in (Proof.VIOLATED, Proof.NOT_PROVABLE, Proof.PROVED) if proof in proofs)


def audit(log: Log, rules: Rules, terms: Terms, *, excuse: Callable[[LoggedRequest], str] = lambda _: "") -> Audit:
    """Read `log` to its end and judge it. `excuse`: see RobotsFirst."""
    claims: list[Claim] = [
        RobotsFirst(log.form, rules, excuse),
        Permission(log.form, rules, terms.agent),
        MinimumDelay(log.form, terms.delay),
        Once(log.form),
        Ceiling(log.form, terms.ceiling),
    ]
    origins: set[tuple[str, ...]] = set()
    seen = unfollowed = 0
    for visit in log.visits:
        if visit.origins not in origins:
            if len(origins) >= MAX_ORIGINS:
                unfollowed += 1
                continue
            origins.add(visit.origins)
        seen += 1
        for claim in claims:
            claim.see(visit)
    doubts = log.doubts()
    if unfollowed:
        others = counted(unfollowed, "request")
        doubts.append(f"it names over {MAX_ORIGINS:,} origins; {others} to the others were left out")
    reasons = ([] if seen else [NO_REQUEST]) + doubts
    return Audit(seen, tuple(_doubted(claim.finding(), reasons) for claim in claims), tuple(doubts))


def known_from_before(rules: Rules) -> Callable[[LoggedRequest], str]:
    """Return the excuse for logs of others: a crawl keeps a robots.txt, so that a later log need not show it."""

    def excuse(visit: LoggedRequest) -> str:
        copy = rules.of(visit)
        return "" if isinstance(copy, str) or not 0 < copy.since <= visit.start else FROM_BEFORE

    return excuse


def _doubted(finding: AuditFinding, reasons: list[str]) -> AuditFinding:
    """Take a proof back where the log may hide something."""
    if finding.proof is not Proof.PROVED or not reasons:
        return finding
    return replace(finding, proof=Proof.NOT_PROVABLE, reason="; ".join(reasons))
