"""What will a crawl cost, and was it polite? `plan` estimates a run, `audit` checks a log of its requests.

    log, excuse = read_fetches(database)
    for finding in audit(log, StoredFiles(database), AuditLimits("Breadcrumb", delay=1.0), excuse=excuse).findings:
        print(finding.claim, finding.proof.value)

`log_reader.py` reads the requests, `claims.py` has the rules of a polite robot, and `log_audit.py` checks them.
"""
