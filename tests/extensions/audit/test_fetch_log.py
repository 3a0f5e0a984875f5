"""Breadcrumb's own fetch log: what is in it, and what it can't say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase
from crawldb.tables.robots_files import note_request, write_robots
from extensions.audit.claims import Proof
from extensions.audit.log_audit import AuditLimits, NamedFile, audit
from extensions.audit.log_reader import RETRIED, read_fetches
from frontier.job import CrawlJob
from frontier.session import Session
from robots import RobotsRecord, RobotsRequest, RobotsStep
from spiders.outcome import _ERRORS
from tests.extensions.audit.planted import EPOCH, ROBOTS, RULES, Asked, store
from tests.samples import SEED, a_page, an_outcome
from urls.canonical import canonicalize
from urls.records import LeaseEnd
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

    from extensions.audit.log_audit import Audit

POLITE = (Asked(0, ROBOTS), Asked(5, "/"), Asked(10, "/a"))


def audited(data: Path, **limits: float) -> Audit:
    with CrawlDatabase(data, readonly=True) as database:
        log, excuse = read_fetches(database)
        terms = AuditLimits("Breadcrumb", limits.get("delay"))
        return audit(log, NamedFile(RULES), terms, excuse=excuse)


def test_every_fetch_is_a_visit_with_its_start(tmp_path: Path) -> None:
    store(tmp_path, [Asked(0, ROBOTS, took=0.5), Asked(5, "/a?b", took=0.25)])
    with CrawlDatabase(tmp_path, readonly=True) as database:
        robots, page = read_fetches(database)[0].visits
    assert (robots.start, robots.end, robots.robots, robots.rules_of) == (
        EPOCH, EPOCH + 0.5, True, "http://a.example:80",
    )  # fmt: skip
    assert (page.start, page.end, page.path, page.origins) == (
        EPOCH + 5, EPOCH + 5.25, "/a?b", ("http://a.example:80",),
    )  # fmt: skip


def test_a_new_round_may_ask_for_everything_again(tmp_path: Path) -> None:
    store(tmp_path, POLITE)
    store(tmp_path, [Asked(100, "/"), Asked(105, "/a")])
    assert audited(tmp_path).proof is Proof.PROVED


@pytest.mark.parametrize(
    ("ending", "doubt"),
    [
        pytest.param("", "1 run did not finish (kille", id="killed"),
        pytest.param("disk full", "1 run did not finish (killed, on a full", id="full disk"),
        pytest.param("finished", "", id="ended"),
    ],
)
def test_what_was_under_way_at_a_kill_is_not_in_the_log(tmp_path: Path, ending: str, doubt: str) -> None:
    store(tmp_path, POLITE, ending=ending)
    found = audited(tmp_path)
    assert [text[: len(doubt)] for text in found.doubts] == ([doubt] if doubt else [])
    assert found.proof is (Proof.NOT_PROVABLE if doubt else Proof.PROVED)


def test_what_was_under_way_at_a_stop_is_not_in_the_log(tmp_path: Path) -> None:
    store(tmp_path, POLITE)
    session = Session(tmp_path, CrawlJob((SEED,)))
    session.store.outcome(an_outcome(SEED, LeaseEnd.DEFERRED, Rule.STOPPED, requested=False))
    session.close("shutdown")
    assert audited(tmp_path).doubts == (
        "1 request may have been running when a crawl was stopped, and are then missing in the log",
    )


def test_a_retry_that_the_journal_does_not_have_is_a_repetition(tmp_path: Path) -> None:
    store(tmp_path, [*POLITE, Asked(15, "/b", status=503), Asked(20, "/b")])
    assert audited(tmp_path).proof is Proof.PROVED
    with CrawlDatabase(tmp_path) as database:
        database.connection.execute("DELETE FROM journal WHERE rule = 'server-error'")
    assert [finding.name for finding in audited(tmp_path).findings if finding.proof is Proof.VIOLATED] == ["once"]


A, B = "http://a.example:80", "http://b.example"
BY_WAY = (
    RobotsRequest(f"http://a.example{ROBOTS}", EPOCH, 0.1, 301),
    RobotsRequest(f"{B}/rules.txt", EPOCH + 5, 0.1, 200, len(RULES)),
)


def redirected(data: Path, *pages: tuple[str, float], way: tuple[RobotsRequest, ...] = BY_WAY) -> Audit:
    """A crawl whose robots.txt came along `way`, and the start of each page after that."""
    session = Session(data, CrawlJob((SEED, canonicalize(f"{B}/"))))
    *hops, last = way
    for hop in hops:
        note_request(session.database, session.run, A, hop, RobotsStep.MOVED)
    record = RobotsRecord(A, "PARSED", "it answered", last.at, last.at + 86400, last.status, RULES)
    note_request(session.database, session.run, record.origin, last)
    write_robots(session.database, session.run, record)
    for url, start in pages:
        session.store.page(a_page(canonicalize(url), fetched_at=EPOCH + start + 0.1, seconds=0.1))
    session.close("finished")
    return audited(data, delay=2.0)


def test_a_robots_txt_that_came_by_redirects_is_proved_hop_by_hop(tmp_path: Path) -> None:
    found = redirected(tmp_path, (SEED, 10.0))
    assert (found.proof, found.requests, found.doubts) == (Proof.PROVED, 3, ())


@pytest.mark.parametrize(
    ("pages", "way", "broken"),
    [
        pytest.param([(SEED, 3.0)], BY_WAY, "robots-first", id="a page asked for on the way"),
        pytest.param([(f"{B}/", 10.0)], BY_WAY, "robots-first", id="a file read for another is not one's own"),
        pytest.param([(SEED, 10.0)], (BY_WAY[0], RobotsRequest("http://a.example/r.txt", EPOCH + 1, 0.1, 200)), "delay",
                     id="two hops to one host in one second"),
    ],
)  # fmt: skip
def test_a_violation_on_the_way_to_a_robots_txt_is_found(
    tmp_path: Path, pages: list[tuple[str, float]], way: tuple[RobotsRequest, ...], broken: str
) -> None:
    findings = redirected(tmp_path, *pages, way=way).findings
    assert [finding.name for finding in findings if finding.proof is Proof.VIOLATED] == [broken]


def test_a_way_of_which_an_older_log_has_the_end_only_is_not_provable(tmp_path: Path) -> None:
    session = Session(tmp_path, CrawlJob((SEED,)))
    record = RobotsRecord("http://a.example:80", "PARSED", "it answered", EPOCH, EPOCH + 86400, 200, RULES)
    hop = RobotsRequest("http://b.example/rules.txt", EPOCH, 3.0, 200, len(RULES))
    note_request(session.database, session.run, record.origin, hop)
    write_robots(session.database, session.run, record)
    session.store.page(a_page(SEED, fetched_at=EPOCH + 1, seconds=0.1))
    session.close("finished")
    found = audited(tmp_path)
    assert found.doubts == ("the redirects to the robots.txt of http://a.example:80 are not in the log",)
    assert found.proof is Proof.NOT_PROVABLE


def test_a_request_without_an_answer_has_no_start_where_its_duration_is_not_known(tmp_path: Path) -> None:
    store(tmp_path, [*POLITE, Asked(15, "/b", took=0, status=None), Asked(15.001, "/c")])
    found = audited(tmp_path, delay=1.0)
    assert {finding.name: finding.proof for finding in found.findings}["delay"] is Proof.NOT_PROVABLE


def test_the_rules_of_retries_are_those_of_the_spider() -> None:
    again = {rule for rule, _, retried in _ERRORS.values() if retried}
    assert again | {"server-error", "too-many-requests", "no-sitemap"} == RETRIED
