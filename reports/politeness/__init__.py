"""Was the robot polite? Proof or disproof from a log: its own, or that of the server that it visited.

    log, excuse = read_fetches(database)
    for finding in audit(log, StoredFiles(database), AuditLimits("Breadcrumb", delay=1.0), excuse=excuse).findings:
        print(finding.claim, finding.proof.value)

Pure but for the reading: `access_log.py` and `fetch_log.py` read, `logged_requests.py` brings them into order,
`claims.py` and `rate.py` hold the claims, `judgement.py` puts them together.
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
