"""Access logs: which lines are read and how, and what becomes of those that can't be."""

from __future__ import annotations

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extensions.audit import log_reader as combined_log
from extensions.audit import log_reader as json_log
from extensions.audit.claims import Proof
from extensions.audit.log_audit import AuditLimits, NamedFile, audit
from extensions.audit.log_reader import (
    COMBINED_LOG,
    JSON_LOG,
    LONGEST_ANSWER,
    MAX_LINE,
    LoggedRequest,
    NoLogError,
    read_log,
)
from tests.extensions.audit.planted import EPOCH, ROBOTS, US, Asked, combined_line, json_line, vhost_line

NGINX = (
    '{"end":1795240610.475,"took":0.010,"status":304,"bytes":181,"request":"GET / HTTP/1.1","url":"/","host":'
    '"127.0.0.1:8101","agent":"Breadcrumb/0.1","from":"","if_none_match":"","connection":2938}'
)


def visits(*lines: str | bytes, agent: str = "Breadcrumb") -> list[LoggedRequest]:
    return list(read_log(as_file(*lines), "log", agent).visits)


def as_file(*lines: str | bytes) -> io.BytesIO:
    return io.BytesIO(b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines))


def test_a_json_line_has_its_start_host_and_possible_origins() -> None:
    (visit,) = visits(NGINX)
    assert (visit.place, visit.start, visit.end, visit.status) == (1, 1795240610.465, 1795240610.475, 304)
    assert (visit.url, visit.path, visit.host) == ("//127.0.0.1:8101/", "/", "127.0.0.1")
    assert visit.origins == ("http://127.0.0.1:8101", "https://127.0.0.1:8101")


@pytest.mark.parametrize(
    ("line", "path", "host"),
    [
        pytest.param(
            '1.2.3.4 - - [21/Nov/2026:06:00:05 +0000] "GET /a HTTP/1.1" 200 5 "-" "Breadcrumb/0.1"', "/a", "",
            id="combined",
        ),
        pytest.param(
            'A.Example:8080 1.2.3.4 - - [21/Nov/2026:07:00:05 +0100] "GET /a HTTP/1.1" 200 5 "-" "Breadcrumb/0.1"',
            "/a", "a.example", id="vhost first, another time zone",
        ),
        pytest.param(
            '1.2.3.4 - Jane Doe [21/Nov/2026:06:00:05 +0000] "GET /a HTTP/1.1" 200 - "-" "Breadcrumb/0.1"', "/a", "",
            id="a user's name with a blank",
        ),
        pytest.param(
            r'1.2.3.4 - - [21/Nov/2026:06:00:05 +0000] "GET /\xC3\xA9\"x HTTP/1.1" 200 5 "-" "a\"b Breadcrumb/0.1" 7',
            '/%C3%A9"x', "", id="escapes, and more fields at the end",
        ),
        pytest.param(
            '1.2.3.4 - - [21/Nov/2026:06:00:05 +0000] "GET http://b.example/a HTTP/1.1" 200 5 "-" "Breadcrumb/0.1"',
            "/a", "b.example", id="a whole URL, as to a proxy",
        ),
    ],
)  # fmt: skip
def test_a_combined_line_is_read(line: str, path: str, host: str) -> None:
    (visit,) = visits(line)
    assert (visit.start, visit.end, visit.path, visit.host) == (EPOCH + 5, EPOCH + 5, path, host)


@pytest.mark.parametrize(
    ("agent", "ours"),
    [
        (US, True),
        ("breadcrumb", True),
        ("Mozilla/5.0 (compatible; Breadcrumb/0.1; +https://example.org/bot)", True),
        ("Breadcrumbs/1.0", False),
        ("Breadcrumb-Images/1.0", False),
        ("MyBreadcrumb/1.0", False),
        ("-", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("line", [json_line, combined_line])
def test_only_requests_of_our_product_token_count(line: object, agent: str, *, ours: bool) -> None:
    assert callable(line)
    log = read_log(as_file(line(Asked(0, "/", agent=agent))), "log", "Breadcrumb")
    assert (len(list(log.visits)), log.others, log.unreadable) == (int(ours), int(not ours), 0)


def test_a_log_that_shows_no_agents_counts_whole() -> None:
    assert len(visits('{"end": 5, "took": 1, "url": "/"}')) == 1


def test_another_robot_can_be_audited() -> None:
    assert len(visits(NGINX, json_line(Asked(0, "/", agent="Googlebot/2.1")), agent="Googlebot")) == 1


BROKEN = [
    pytest.param('{"end": 5, "took": 1', id="cut off"),
    pytest.param('{"end": NaN, "took": 1, "url": "/"}', id="no number"),
    pytest.param('{"end": true, "took": 1, "url": "/"}', id="a truth value for a time"),
    pytest.param('{"end": 1' + "0" * 400 + ', "took": 1, "url": "/"}', id="a time beyond all calendars"),
    pytest.param('{"end": 5, "took": -1, "url": "/"}', id="a negative duration"),
    pytest.param('{"end": 5, "took": 1, "url": "ftp://a.example/"}', id="a scheme that is not asked for"),
    pytest.param('{"end": 5, "took": 1, "url": "*"}', id="no URL"),
    pytest.param('{"end": 5, "took": 1, "url": "/", "host": "a:b"}', id="no port"),
    pytest.param("[" * 100_000, id="nested too deep"),
    pytest.param("[]", id="no object"),
    pytest.param("GET / HTTP/1.1", id="another form"),
    pytest.param("x" * (MAX_LINE * 2 + 5), id="too long"),
    pytest.param(b"\xff\xfe\x00", id="octets"),
]


@pytest.mark.parametrize("line", BROKEN)
def test_a_line_that_cannot_be_read_is_counted_and_takes_the_proof_away(line: str | bytes) -> None:
    log = read_log(as_file(json_line(Asked(0, ROBOTS)), "", line, json_line(Asked(5, "/"))), "log", "Breadcrumb")
    found = audit(log, NamedFile(b""), AuditLimits("Breadcrumb"))
    assert (found.requests, log.unreadable, log.first_unreadable) == (2, 1, 3)
    assert found.doubts == ("1 line can't be read, the first is line 3",)
    assert found.proof is Proof.NOT_PROVABLE


@pytest.mark.parametrize("request_line", ["\\x16\\x03\\x01", "-", "", "GET /"])
def test_garbage_of_others_hides_nothing(request_line: str) -> None:
    line = f'1.2.3.4 - - [21/Nov/2026:06:00:05 +0000] "{request_line}" 400 157 "-" "-"'
    log = read_log(as_file(line), "log", "Breadcrumb")
    assert not list(log.visits)
    assert (log.others, log.unreadable) == (1, 0)


def test_what_is_no_log_says_so() -> None:
    with pytest.raises(NoLogError, match="none of its first 2 lines can be read"):
        read_log(as_file("hello", "world"), "notes.txt", "Breadcrumb")


def test_requests_come_in_the_order_in_which_they_began() -> None:
    lines = [json_line(Asked(4, "/quick", took=0.1)), json_line(Asked(0, "/slow", took=5))]
    assert [visit.path for visit in visits(*lines)] == ["/slow", "/quick"]


def test_a_log_that_jumps_back_in_time_is_not_provable() -> None:
    log = read_log(
        as_file(json_line(Asked(0, ROBOTS)), json_line(Asked(2 * LONGEST_ANSWER, "/")), json_line(Asked(1, "/x"))),
        "log", "Breadcrumb",
    )  # fmt: skip
    found = audit(log, NamedFile(b""), AuditLimits("Breadcrumb"))
    assert (found.requests, log.late) == (3, 0), "what still waits for the one before it is put in order"
    lines = [json_line(Asked(n * LONGEST_ANSWER * 2, f"/{n}" if n else ROBOTS)) for n in (0, 1, 2, 0)]
    log = read_log(as_file(*lines), "log", "Breadcrumb")
    found = audit(log, NamedFile(b""), AuditLimits("Breadcrumb"))
    assert (found.requests, log.late, found.proof) == (3, 1, Proof.NOT_PROVABLE)


@given(st.lists(st.tuples(st.floats(0, 5000), st.floats(0, LONGEST_ANSWER - 1)), max_size=60))
def test_any_log_in_the_order_of_ends_is_put_in_the_order_of_starts(times: list[tuple[float, float]]) -> None:
    requests = sorted((Asked(round(at, 3), "/", round(took, 3)) for at, took in times), key=lambda asked: asked.end)
    starts = [visit.start for visit in visits(*map(json_line, requests))]
    assert starts == sorted(starts)
    assert len(starts) == len(requests)


PIECES = [
    line(Asked(n, ROBOTS if n else "/")).encode() for line in (json_line, combined_line, vhost_line) for n in (0, 1)
]
MESS = st.one_of(
    st.binary(max_size=40), st.sampled_from(PIECES), st.sampled_from([b"\n", b"\r", b'"', b"\\", b"[", b"{", b" - "])
)


@given(st.lists(MESS, max_size=12).map(b"".join))
@example(b'{"end":1e11,"took":1e11,"url":"http://","host":"[","agent":"Breadcrumb"}')
@example(b'{"end":1e11,"took":0,"url":"/\\ud800","host":"\\ud800","agent":"Breadcrumb"}')
def test_no_octets_are_too_strange_and_every_line_is_accounted_for(octets: bytes) -> None:
    try:
        log = read_log(io.BytesIO(octets), "log", "Breadcrumb")
    except NoLogError:
        return
    found = audit(log, NamedFile(octets), AuditLimits("Breadcrumb", 1.0, 10))
    assert found.requests + log.others + log.unreadable + log.late == log.lines
    assert log.form in {JSON_LOG, COMBINED_LOG}
    "".join(map(str, found.findings)).encode()
    for _, visit in (json_log.read_json_line(line, 1) for line in octets.decode("utf-8", "ignore").splitlines()):
        "".join((visit.url, *visit.origins) if visit else ()).encode()  # as a database does that is asked for them


@given(st.text(max_size=300), st.integers(1, 9))
def test_no_line_is_too_strange_for_a_reader(line: str, place: int) -> None:
    for read in (json_log.read_json_line, combined_log.read_combined_line):
        agent, visit = read(line, place)
        assert agent is None or isinstance(agent, str)
        assert visit is None or visit.place == place
