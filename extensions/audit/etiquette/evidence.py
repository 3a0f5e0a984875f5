"""How did a crawl behave? Runs, counts, and the proofs of `audit`, read once for all guidelines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from extensions.audit.claims import Proof
from extensions.audit.etiquette.tables import EtiquetteCounts, etiquette_counts, requests_by_run
from extensions.audit.log_audit import Audit, AuditLimits, StoredFiles, audit
from extensions.audit.log_reader import read_fetches
from reports.numbers import report_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from extensions.audit.claims import AuditFinding
    from extensions.audit.etiquette.tables import RunRequests
    from reports.numbers import Report

LEAST_DELAY = 1.0  # seconds between two requests to a host; a run that promises more is held against that
MOST_A_MINUTE = 60  # requests to a host, as that delay has it
MAX_AUDITED = 200_000  # requests: some ten seconds
UNREAD = "the crawl has too many requests for this page; ./breadcrumb audit reads them"


@dataclass(frozen=True, slots=True)
class ClaimSummary:
    """What the audits of all parts prove of a claim: the worst result, its reasons, and all violations."""

    proof: Proof
    reasons: tuple[str, ...]
    violations: int
    samples: tuple[str, ...]  # violations: the URL, and what is wrong


@dataclass(frozen=True, slots=True)
class CrawlEvidence:
    """All that is read of a crawl."""

    report: Report
    runs: tuple[RunRequests, ...]
    counts: EtiquetteCounts
    claims: dict[str, ClaimSummary]  # by the names of extensions/audit/claims.py
    doubts: tuple[str, ...]  # why requests may be missing in the fetch log
    delay: float  # seconds, which the claim `delay` was held against
    parts: int

    @property
    def requests(self) -> int:
        """The number of requests that the runs have sent."""
        return sum(run.requests for run in self.runs)


def read_evidence(parts: Parts) -> CrawlEvidence:
    """Read the evidence of a crawl, divided or not. Raises `DatabaseError` where none of it can be read."""
    databases = list(parts.readable()) if parts.divided else [parts.of(parts.parts[0])]
    runs = tuple(run for database in databases for run in requests_by_run(database))
    counts = EtiquetteCounts(*map(sum, zip(*map(etiquette_counts, databases), strict=True)))
    delay = max([LEAST_DELAY, *(run.download_delay for run in runs if run.requests and run.download_delay)])
    report = report_of(parts)
    audits = [_audited(database, runs, delay) for database in databases] if report["requests"] <= MAX_AUDITED else []
    names = [finding.name for finding in audits[0].findings] if audits else []
    claims = {
        name: _summary([found for each in audits for found in each.findings if found.name == name]) for name in names
    }
    doubts = tuple(doubt for each in audits for doubt in each.doubts)
    return CrawlEvidence(report, runs, counts, claims, doubts, delay, len(parts.parts))


def _audited(database: CrawlDatabase, runs: Sequence[RunRequests], delay: float) -> Audit:
    product = next((run.product for run in reversed(runs) if run.product), "Breadcrumb")
    with database.one_state():
        log, excuse = read_fetches(database)
        return audit(log, StoredFiles(database), AuditLimits(product, delay, MOST_A_MINUTE), excuse=excuse)


_WORST = (Proof.VIOLATED, Proof.NOT_PROVABLE, Proof.PROVED)


def _summary(findings: list[AuditFinding]) -> ClaimSummary:
    worst = min((finding.proof for finding in findings), key=_WORST.index)
    reasons = dict.fromkeys(finding.reason for finding in findings if finding.proof is worst)
    samples = tuple(f"{sample.url} ({sample.wrong})" for finding in findings for sample in finding.samples)
    return ClaimSummary(worst, tuple(reasons), sum(finding.violations for finding in findings), samples)
