"""Was the robot polite? Proof or disproof from a log: its own, or that of the server that it visited.

    log, redirected = read_fetches(database)
    for finding in audit(log, StoredFiles(database), Terms("Breadcrumb", delay=1.0)).findings:
        print(finding.claim, finding.proof.value)

Pure but for the reading: `log.py` brings visits into order, each claim is a module, `judgement.py` puts them together.
"""

from crawldb.audit.access_log import NoLogError, read_log
from crawldb.audit.fetch_log import BY_REDIRECT, read_fetches
from crawldb.audit.judgement import Audit, Terms, audit, known_from_before
from crawldb.audit.record import Finding, Proof, Sample
from crawldb.audit.rules import NamedFile, StoredFiles

__all__ = [
    "BY_REDIRECT",
    "Audit",
    "Finding",
    "NamedFile",
    "NoLogError",
    "Proof",
    "Sample",
    "StoredFiles",
    "Terms",
    "audit",
    "known_from_before",
    "read_fetches",
    "read_log",
]
