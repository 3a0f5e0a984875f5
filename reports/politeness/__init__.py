"""What will a crawl cost, and was it polite? `plan` estimates a run, `audit` checks a log of its requests.

log, excuse = read_fetches(database)
for finding in audit(log, StoredFiles(database), AuditLimits("Breadcrumb", delay=1.0), excuse=excuse).findings:
    print(finding.claim, finding.proof.value)
"""

from reports.politeness.claims import AuditFinding, Proof, ViolationSample
from reports.politeness.log_audit import Audit, AuditLimits, NamedFile, StoredFiles, audit, known_from_before
from reports.politeness.log_reader import BY_REDIRECT, NoLogError, read_fetches, read_log

__all__ = [
    "BY_REDIRECT",
    "Audit",
    "AuditFinding",
    "AuditLimits",
    "NamedFile",
    "NoLogError",
    "Proof",
    "StoredFiles",
    "ViolationSample",
    "audit",
    "known_from_before",
    "read_fetches",
    "read_log",
]
