"""A robot's requests in each of the forms that an audit reads: the same requests, four times."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawldb.database import CrawlDatabase
from crawldb.tables.robots_files import note_request, write_robots
from extensions.audit.log_audit import Audit, AuditLimits, StoredFiles, audit
from extensions.audit.log_reader import read_fetches, read_log
from frontier.job import CrawlJob
from frontier.session import Session
from robots import RobotsRecord, RobotsRequest, origin_of
from tests.samples import a_page, an_outcome
from urls.canonical import canonicalize
from urls.records import LeaseEnd, Outcome
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from extensions.audit.log_audit import Rules

EPOCH = 1_795_240_800.0  # 2026-11-21 06:00:00 UTC
RULES = b"User-agent: *\nDisallow: /private/\n"
ROBOTS = "/robots.txt"
US = "Breadcrumb/0.1 (+https://example.org/bot)"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: seconds after the beginning, path, seconds that it took, status, host, who asked."""

    at: float
    path: str
    took: float = 0.02
    status: int | None = 200
    host: str = "a.example"
    agent: str = US
    rules: bytes = RULES  # what a robots.txt says

    @property
    def end(self) -> float:
        return EPOCH + self.at + self.took


def json_line(asked: Asked) -> str:
    return json.dumps(
        {
            "end": round(asked.end, 3), "took": asked.took, "status": asked.status or 0, "bytes": 181,
            "request": f"GET {asked.path} HTTP/1.1", "url": asked.path, "host": asked.host, "agent": asked.agent,
            "from": "", "connection": 7,
        }
    )  # fmt: skip


def combined_line(asked: Asked) -> str:
    moment = time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(asked.end))
    return f'127.0.0.1 - - [{moment}] "GET {asked.path} HTTP/1.1" {asked.status or 499} 181 "-" "{asked.agent}"'


def vhost_line(asked: Asked) -> str:
    return f"{asked.host}:80 {combined_line(asked)}"


LINES: dict[str, Callable[[Asked], str]] = {"json": json_line, "combined": combined_line, "vhost": vhost_line}
FORMS = ("own", *LINES)


def write_log(path: Path, form: str, requests: Sequence[Asked]) -> Path:
    """Write an access log in the order in which the requests ended, as servers do."""
    lines = [LINES[form](asked) for asked in sorted(requests, key=lambda asked: asked.end)]
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def store(data: Path, requests: Sequence[Asked], *, ending: str = "finished") -> None:
    """Let a crawl write the requests down, one run and one round, as its spider and its gate would."""
    pages = {canonicalize(f"http://{asked.host}{asked.path}") for asked in requests if asked.path != ROBOTS}
    session = Session(data, CrawlJob(tuple(sorted(pages)) or (canonicalize("http://a.example/"),)))
    for asked in sorted(requests, key=lambda asked: asked.end):
        url = f"http://{asked.host}{asked.path}"
        if asked.path == ROBOTS:
            at = EPOCH + asked.at
            record = RobotsRecord(origin_of(url), "PARSED", "it answered", at, at + 86400, asked.status, asked.rules)
            hop = RobotsRequest(url, at, asked.took, asked.status, len(asked.rules))
            note_request(session.database, session.run, record.origin, hop)
            write_robots(session.database, session.run, record)
        elif asked.status == 200:
            session.store.page(a_page(url, fetched_at=asked.end, seconds=asked.took))
        else:
            session.store.outcome(outcome(url, asked))
    if ending:
        session.close(ending)
    else:
        session.database.close()  # as a killed process leaves it
        session._lock.release()


def outcome(url: str, asked: Asked) -> Outcome:
    """How a request without a page ends: 404 for good, everything else with a retry."""
    fate, rule = (LeaseEnd.GONE, Rule.GONE) if asked.status == 404 else (LeaseEnd.DEFERRED, Rule.SERVER_ERROR)
    rule = Rule.TIMEOUT if asked.status is None else rule
    made = an_outcome(url, fate, rule, status=asked.status, seconds=asked.took)
    return replace(made, fetched_at=asked.end)


def judged(
    folder: Path, form: str, requests: Sequence[Asked], terms: AuditLimits, *, rules: Rules | None = None
) -> Audit:
    """Write the requests in one form and audit them; without `rules`, by what a crawl has kept."""
    data = folder / "data"
    store(data, requests)
    with CrawlDatabase(data, readonly=True) as database:
        rules = rules or StoredFiles(database)
        if form == "own":
            log, excuse = read_fetches(database)
            return audit(log, rules, terms, excuse=excuse)
        with write_log(folder / "access.log", form, requests).open("rb") as file:
            return audit(read_log(file, "access.log", terms.agent), rules, terms)
