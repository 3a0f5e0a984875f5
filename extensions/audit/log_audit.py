"""Was the robot polite? Checks every claim against a log, with the robots.txt files that were in force.

The robots.txt is a named file, or the one in the crawl database. The database keeps only the last file and when it came
into force, so it says nothing about earlier requests.

A log that may hide requests proves nothing: a claim without violations is then "not provable". Violations still count.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from crawldb.tables.robots_files import holds_since, read_robots
from extensions.audit.claims import AuditFinding, Ceiling, MinimumDelay, Once, Permission, Proof, RobotsFirst
from reports.wording import counted
from robots import Access, Availability, parse, to_utf8

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawldb.database import CrawlDatabase
    from extensions.audit.claims import Claim
    from extensions.audit.log_reader import Log, LoggedRequest

MAX_KEPT = 256  # parsed files: one is 500 KiB at most, and mostly a thousandth of that
NO_HOST = "the log shows no host; name the file with --robots FILE"
NO_FILE = "no robots.txt is stored for the origin; name one with --robots FILE"
TWO_FILES = "http and https each have a robots.txt, and the log does not show the scheme"


@dataclass(frozen=True, slots=True)
class RobotsInForce:
    """A robots.txt and since when it is known to be in force, in seconds since the epoch."""

    availability: Availability
    since: float = 0.0


class Rules(Protocol):
    """Finds the robots.txt in force for a request."""

    def of(self, visit: LoggedRequest) -> RobotsInForce | str:
        """Return the file, or why there is none."""


class NamedFile:
    """One file for every visit, at every time."""

    def __init__(self, body: bytes) -> None:
        text = to_utf8(body)
        self._copy = RobotsInForce(Availability(Access.PARSED, "the file given", file=parse(text), body=text))

    def of(self, _: LoggedRequest) -> RobotsInForce | str:
        """Return the copy."""
        return self._copy


class StoredFiles:
    """The files in the crawl database; none without a database."""

    def __init__(self, database: CrawlDatabase | None) -> None:
        self._database = database
        self._kept: OrderedDict[tuple[str, ...], RobotsInForce | str] = OrderedDict()

    def of(self, visit: LoggedRequest) -> RobotsInForce | str:
        """Return the file, or why there is none."""
        if not visit.origins:
            return NO_HOST
        if visit.origins not in self._kept:
            if len(self._kept) >= MAX_KEPT:
                self._kept.popitem(last=False)
            self._kept[visit.origins] = self._read(visit.origins)
        self._kept.move_to_end(visit.origins)
        return self._kept[visit.origins]

    def _read(self, origins: tuple[str, ...]) -> RobotsInForce | str:
        if self._database is None:
            return NO_FILE
        records = [record for origin in origins if (record := read_robots(self._database, origin)) is not None]
        if len(records) != 1:
            return TWO_FILES if records else NO_FILE
        (record,) = records
        return RobotsInForce(record.access_state.availability(record.fetched_at), holds_since(self._database, record))


MAX_ORIGINS = 100_000  # followed in one audit, each with its latest requests
NO_REQUEST = "the log has no request of this robot"
FROM_BEFORE = "the crawl database has an earlier robots.txt, so the log starts after the crawl"


@dataclass(frozen=True, slots=True)
class AuditLimits:
    """The product token of the robot, and the limits: seconds between requests, requests per minute."""

    agent: str
    delay: float | None = None
    ceiling: int | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    """The result: number of requests, a finding per claim, and what the log may hide."""

    requests: int
    findings: tuple[AuditFinding, ...]
    doubts: tuple[str, ...]

    @property
    def proof(self) -> Proof:
        """The worst result of a claim with a limit."""
        proofs = {finding.proof for finding in self.findings}
        return next(proof for proof in (Proof.VIOLATED, Proof.NOT_PROVABLE, Proof.PROVED) if proof in proofs)


def audit(
    log: Log, rules: Rules, terms: AuditLimits, *, excuse: Callable[[LoggedRequest], str] = lambda _: ""
) -> Audit:
    """Check all requests of `log`. `excuse`: see RobotsFirst."""
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
        doubts.append(f"it has more than {MAX_ORIGINS:,} origins; {others} to the others were skipped")
    reasons = ([] if seen else [NO_REQUEST]) + doubts
    return Audit(seen, tuple(_doubted(claim.finding(), reasons) for claim in claims), tuple(doubts))


def known_from_before(rules: Rules) -> Callable[[LoggedRequest], str]:
    """Return the excuse for other logs: an earlier crawl may have stored the robots.txt."""

    def excuse(visit: LoggedRequest) -> str:
        copy = rules.of(visit)
        return "" if isinstance(copy, str) or not 0 < copy.since <= visit.start else FROM_BEFORE

    return excuse


def _doubted(finding: AuditFinding, reasons: list[str]) -> AuditFinding:
    """Turn a proof into "not provable" if the log may hide requests."""
    if finding.proof is not Proof.PROVED or not reasons:
        return finding
    return replace(finding, proof=Proof.NOT_PROVABLE, reason="; ".join(reasons))
