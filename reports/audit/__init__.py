"""Was the robot polite? Proof or disproof from a log: its own, or that of the server that it visited.

    log, excuse = read_fetches(database)
    for finding in audit(log, StoredFiles(database), Terms("Breadcrumb", delay=1.0), excuse=excuse).findings:
        print(finding.claim, finding.proof.value)

Pure but for the reading: `access_log.py` and `fetch_log.py` read, `logged_requests.py` brings them into order,
`claims.py` and `rate.py` hold the claims, `judgement.py` puts them together.
"""

from reports.audit.access_log import NoLogError, read_log
from reports.audit.fetch_log import BY_REDIRECT, read_fetches
from reports.audit.findings import AuditFinding, Proof, ViolationSample
from reports.audit.judgement import Audit, Terms, audit, known_from_before
from reports.audit.robots_in_force import NamedFile, StoredFiles

__all__ = [
    "BY_REDIRECT",
    "Audit",
    "AuditFinding",
    "NamedFile",
    "NoLogError",
    "Proof",
    "StoredFiles",
    "Terms",
    "ViolationSample",
    "audit",
    "known_from_before",
    "read_fetches",
    "read_log",
]
