"""The audit finds planted violations in every form that can show them, and nothing in a clean log."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from extensions.audit.claims import INEXACT, Proof
from extensions.audit.log_audit import MAX_ORIGINS, NO_HOST, NO_REQUEST, AuditLimits, NamedFile, audit
from extensions.audit.log_reader import JSON_LOG, Log, LoggedRequest
from tests.extensions.audit.planted import FORMS, ROBOTS, RULES, Asked, judged

if TYPE_CHECKING:
    from pathlib import Path

    from extensions.audit.claims import AuditFinding
    from extensions.audit.log_audit import Audit

TERMS = AuditLimits("Breadcrumb", delay=2.0, ceiling=20)
POLITE = (Asked(0, ROBOTS), Asked(5, "/"), Asked(10, "/a"), Asked(15, "/b?c=d"), Asked(20, "/c", status=404))
EXACT = ("own", "json")


def of(found: Audit, name: str) -> AuditFinding:
    return next(finding for finding in found.findings if finding.name == name)


@pytest.mark.parametrize("form", FORMS)
def test_a_polite_robot_is_proved_polite(tmp_path: Path, form: str) -> None:
    found = judged(tmp_path, form, POLITE, TERMS, rules=NamedFile(RULES))
    assert [(finding.name, finding.proof) for finding in found.findings] == [
        (name, Proof.PROVED) for name in ("robots-first", "allowed", "delay", "once", "ceiling")
    ]
    assert (found.proof, found.requests, found.doubts) == (Proof.PROVED, 5, ())


PLANTED = [
    pytest.param(
        (Asked(0, "/"), Asked(5, ROBOTS), Asked(10, "/a")), "robots-first", [1], id="a page before robots.txt"
    ),
    pytest.param((Asked(0, "/"), Asked(5, "/a")), "robots-first", [1, 2], id="robots.txt never"),
    pytest.param((*POLITE, Asked(25, "/private/x")), "allowed", [6], id="a disallowed URL"),
    pytest.param((*POLITE, Asked(20.2, "/near")), "delay", [6], id="a gap of 0.2 s where 2 s are due"),
    pytest.param((*POLITE, Asked(30, "/a")), "once", [6], id="a URL twice"),
    pytest.param((*POLITE, Asked(30, "/c", status=404)), "once", [6], id="a URL that is gone, twice"),
    pytest.param((*POLITE, Asked(19 * 3600, "/a")), "once", [6], id="a URL twice in a day"),
    pytest.param(
        tuple(Asked(2 * n, f"/{n}" if n else ROBOTS) for n in range(22)), "ceiling", [21, 22], id="22 in 44 s"
    ),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("requests", "claim", "places"), PLANTED)
def test_what_was_planted_is_found(
    tmp_path: Path, form: str, requests: tuple[Asked, ...], claim: str, places: list[int]
) -> None:
    found = judged(tmp_path, form, requests, TERMS, rules=NamedFile(RULES))
    assert found.proof is Proof.VIOLATED
    violated = [finding for finding in found.findings if finding.proof is Proof.VIOLATED]
    assert [finding.name for finding in violated] == [claim]
    assert [sample.place for sample in violated[0].samples] == places
    assert violated[0].violations == len(places)


@pytest.mark.parametrize("form", EXACT)
def test_a_page_before_the_answer_of_robots_txt_is_found_where_the_form_shows_answers(
    tmp_path: Path, form: str
) -> None:
    requests = (Asked(0, ROBOTS, took=6), Asked(5, "/"))
    finding = of(judged(tmp_path, form, requests, TERMS), "robots-first")
    assert finding.proof is Proof.VIOLATED
    assert finding.samples[0].wrong == "1.000 s before its robots.txt was answered"


def test_a_robots_txt_without_an_answer_opens_nothing(tmp_path: Path) -> None:
    requests = (Asked(0, ROBOTS, status=None), Asked(5, "/"))
    for form in FORMS[:2]:
        finding = of(judged(tmp_path / form, form, requests, TERMS), "robots-first")
        assert finding.samples[0].wrong == "its robots.txt was requested, but not answered"


@pytest.mark.parametrize("form", ["own", "json", "vhost"])
def test_each_origin_has_a_robots_txt_of_its_own_and_each_host_its_pace(tmp_path: Path, form: str) -> None:
    requests = (
        Asked(0, ROBOTS), Asked(5, "/"), Asked(5.1, ROBOTS, host="b.example"), Asked(10.1, "/", host="b.example"),
        Asked(15, "/", host="c.example"),
    )  # fmt: skip
    found = judged(tmp_path, form, requests, TERMS, rules=NamedFile(RULES))
    assert [sample.place for sample in of(found, "robots-first").samples] == [5]
    assert of(found, "delay").proof is Proof.PROVED


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("status", [500, 503, None], ids=["500", "503", "no answer"])
def test_a_retry_is_no_repetition(tmp_path: Path, form: str, status: int | None) -> None:
    requests = (*POLITE, Asked(25, "/retried", status=status), Asked(30, "/retried"))
    assert of(judged(tmp_path, form, requests, TERMS), "once").proof is Proof.PROVED


@pytest.mark.parametrize("form", ["json", "combined", "vhost"])
def test_a_crawl_of_every_night_is_polite_where_a_page_changed(tmp_path: Path, form: str) -> None:
    nights = [replace(each, at=each.at + night * 86_400) for night in range(3) for each in POLITE]
    found = judged(tmp_path, form, nights, TERMS, rules=NamedFile(RULES))
    assert found.proof is Proof.PROVED


@pytest.mark.parametrize("form", ["json", "combined", "vhost"])
@pytest.mark.parametrize(("status", "violations"), [(200, 1), (304, 0)])
def test_a_request_between_two_nights_does_not_make_the_second_night_a_violation(
    tmp_path: Path, form: str, status: int, violations: int
) -> None:
    nights = [replace(each, at=each.at + night * 86_400) for night in range(3) for each in POLITE]
    between = [Asked(30_000 + night * 86_400, "/a", status=status) for night in range(2)]
    finding = of(judged(tmp_path, form, [*nights, *between], TERMS, rules=NamedFile(RULES)), "once")
    assert finding.violations == 2 * violations


@pytest.mark.parametrize("form", ["own", "json", "vhost"])
def test_without_a_file_the_copy_that_the_crawl_kept_decides(tmp_path: Path, form: str) -> None:
    assert of(judged(tmp_path / "1", form, POLITE, TERMS), "allowed").proof is Proof.PROVED
    finding = of(judged(tmp_path / "2", form, (*POLITE, Asked(25, "/private/x")), TERMS), "allowed")
    assert finding.samples[0].wrong == "disallowed by line 2 (Disallow: /private/)"


def test_a_log_without_hosts_needs_the_file(tmp_path: Path) -> None:
    finding = of(judged(tmp_path, "combined", POLITE, TERMS), "allowed")
    assert finding.proof is Proof.NOT_PROVABLE
    assert NO_HOST in finding.reason


def test_what_was_asked_before_the_kept_copy_came_is_proved_where_it_says_the_same_as_before(tmp_path: Path) -> None:
    requests = (*POLITE, Asked(90_000, ROBOTS), Asked(90_005, "/d"))
    assert of(judged(tmp_path, "own", requests, TERMS), "allowed").proof is Proof.PROVED


def test_what_was_asked_before_the_kept_copy_came_is_not_provable_where_it_says_something_else(tmp_path: Path) -> None:
    requests = (*POLITE, Asked(90_000, ROBOTS, rules=RULES + b"#"), Asked(90_005, "/d"))
    finding = of(judged(tmp_path, "own", requests, TERMS), "allowed")
    assert finding.proof is Proof.NOT_PROVABLE
    assert finding.reason.startswith("4 requests: made before the stored robots.txt")


@pytest.mark.parametrize("form", ["combined", "vhost"])
def test_gaps_of_less_than_a_second_are_not_provable_from_whole_seconds(tmp_path: Path, form: str) -> None:
    requests = tuple(Asked(n * 0.6, f"/{n}" if n else ROBOTS) for n in range(8))
    finding = of(judged(tmp_path, form, requests, AuditLimits("Breadcrumb", delay=0.5)), "delay")
    assert finding.proof is Proof.NOT_PROVABLE
    assert INEXACT in finding.reason


@pytest.mark.parametrize("form", FORMS)
def test_many_requests_that_are_a_little_too_near_are_found_together(tmp_path: Path, form: str) -> None:
    requests = tuple(Asked(n, f"/{n}" if n else ROBOTS) for n in range(10))
    finding = of(judged(tmp_path, form, requests, AuditLimits("Breadcrumb", delay=1.5)), "delay")
    assert finding.proof is Proof.VIOLATED


@pytest.mark.parametrize("form", FORMS)
def test_without_limits_the_smallest_gap_and_the_most_a_minute_are_told(tmp_path: Path, form: str) -> None:
    found = judged(tmp_path, form, POLITE, AuditLimits("Breadcrumb"), rules=NamedFile(RULES))
    assert of(found, "delay").proof is of(found, "ceiling").proof is Proof.NOT_ASKED
    assert "the smallest is 5.000 s" in of(found, "delay").reason
    assert "within 60 s is 5" in of(found, "ceiling").reason
    assert found.proof is Proof.PROVED


@pytest.mark.parametrize("form", FORMS)
def test_a_log_without_a_request_of_ours_proves_nothing(tmp_path: Path, form: str) -> None:
    found = judged(tmp_path, form, (), TERMS, rules=NamedFile(RULES))
    assert {finding.proof for finding in found.findings} == {Proof.NOT_PROVABLE}
    assert {finding.reason for finding in found.findings} == {NO_REQUEST}


def test_a_finding_counts_all_violations_and_shows_ten(tmp_path: Path) -> None:
    finding = of(judged(tmp_path, "json", [Asked(5 * n, f"/{n}") for n in range(30)], TERMS), "robots-first")
    assert (finding.violations, len(finding.samples)) == (30, 10)
    assert finding.samples[0].url == "//a.example/0"
    assert finding.samples[0].at == 1_795_240_800.0


@pytest.mark.slow
def test_a_log_of_more_origins_than_are_followed_is_not_provable() -> None:
    visits = (
        LoggedRequest(
            n, n, n, f"//{n}/robots.txt", ROBOTS, str(n), (f"http://{n}:80",), 200, f"http://{n}:80", robots=True
        )
        for n in range(1, MAX_ORIGINS + 2)
    )
    found = audit(Log("log", JSON_LOG, visits), NamedFile(b""), AuditLimits("Breadcrumb"))
    assert found.requests == MAX_ORIGINS
    assert found.proof is Proof.NOT_PROVABLE
    assert found.doubts == ("it has more than 100,000 origins; 1 request to the others were skipped",)
