"""The HTTP response of a record is read as in a crawl, whatever its bytes are."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from io import BytesIO

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from extensions.archives.captures import Capture, DamagedStretch, NoCapture, Surveyed
from extensions.archives.importing.reading import CHUNK_SHARE, CaptureReader, read_archive, warc_moment
from extensions.archives.importing.survey import Survey
from extensions.archives.tables import RecordPlace
from robots import Access
from tests.extensions.archives.made_archives import HTML, chunked, http, page, record, request, response
from urls.records import CanonicalUrl, LeaseEnd, Outcome, Page
from urls.rules import Rule

URL = CanonicalUrl("http://a.example/")
NOW = datetime(2026, 11, 23, tzinfo=UTC).timestamp()
LIMIT = 20_000
READ = CaptureReader("Breadcrumb", LIMIT)
BODY = page("A page")
PACKED = gzip.compress(BODY.encode())


def entries(data: bytes) -> list[Capture | NoCapture | DamagedStretch]:
    return list(read_archive(BytesIO(data), RecordPlace(0), LIMIT, NOW))


def read(answer: bytes, **fields: str) -> Page | Outcome:
    (capture,) = entries(response(URL, answer, **fields))
    assert isinstance(capture, Capture)
    return READ(capture, URL)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(http(BODY), id="as it is"),
        pytest.param(http(BODY).replace(b"\r\n", b"\n"), id="lines that end with LF"),
        pytest.param(http(chunked(BODY.encode()), "200 OK", HTML, "Transfer-Encoding: chunked"), id="wget: chunks"),
        pytest.param(http(PACKED, "200 OK", HTML, "Content-Encoding: gzip"), id="packed"),
        pytest.param(
            http(chunked(PACKED), "200 OK", HTML, "Content-Encoding: gzip", "Transfer-Encoding: chunked"), id="both"
        ),
        pytest.param(
            http(BODY, "200", HTML, "Content-Encoding: br", "Transfer-Encoding: chunked"), id="a browser: unpacked"
        ),
        pytest.param(b"HTTP/2 200\r\ncontent-type: text/html\r\n\r\n" + BODY.encode(), id="HTTP/2"),
        pytest.param(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n" + http(BODY), id="an interim answer"),
    ],
)
def test_a_body_is_read_however_it_was_archived(answer: bytes) -> None:
    found = read(answer)
    assert isinstance(found, Page)
    assert found.title == "A page"
    assert found.fetched_at == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("answer", "fields", "rule"),
    [
        pytest.param(http(BODY), {"WARC_Truncated": "time"}, Rule.BROKEN_OFF, id="cut when it was archived"),
        pytest.param(http(BODY), {"WARC_Segment_Number": "1"}, Rule.BROKEN_OFF, id="in segments"),
        pytest.param(
            http(chunked(BODY.encode())[:-9], "200 OK", HTML, "Transfer-Encoding: chunked"), {}, Rule.BROKEN_OFF,
            id="without its last chunk",
        ),
        pytest.param(http("x" * (LIMIT + 1)), {}, Rule.SIZE, id="too large"),
        pytest.param(
            http(chunked(b"x" * (LIMIT + 1)), "200 OK", HTML, "Transfer-Encoding: chunked"), {}, Rule.SIZE, id="chunks"
        ),
        pytest.param(
            http(chunked(b"x" * (LIMIT // 2), 1), "200 OK", HTML, "Transfer-Encoding: chunked"), {}, Rule.SIZE,
            id="chunks that are hardly anything but their lines",
        ),
        pytest.param(
            http(gzip.compress(bytes(5_000_000)), "200 OK", HTML, "Content-Encoding: gzip"), {}, Rule.SIZE, id="a bomb"
        ),
        pytest.param(http("", "500 No"), {}, Rule.SERVER_ERROR, id="an error"),
        pytest.param(http("", "429 No"), {}, Rule.TOO_MANY_REQUESTS, id="too many requests"),
        pytest.param(http("", "999 No"), {}, Rule.BAD_STATUS, id="no status code"),
    ],
)  # fmt: skip
def test_what_is_no_whole_page_fails_as_in_a_crawl_and_waits_for_nobody(
    answer: bytes, fields: dict[str, str], rule: Rule
) -> None:
    found = read(answer, **fields)
    assert isinstance(found, Outcome)
    assert (found.fate, found.rule, found.retry_after) == (LeaseEnd.FAILED, rule, None)
    assert "again in" not in found.reason
    assert "round" not in found.reason


def test_a_body_is_not_kept_beyond_the_limit() -> None:
    (capture,) = entries(response(URL, http(bytes(1_000_000))))
    assert isinstance(capture, Capture)
    assert (capture.size, len(capture.body)) == (1_000_000, LIMIT + 1)
    (capture,) = entries(response(URL, http(chunked(bytes(1_000_000)), "200 OK", HTML, "Transfer-Encoding: chunked")))
    assert isinstance(capture, Capture)
    assert LIMIT < len(capture.body) <= LIMIT + LIMIT // CHUNK_SHARE + 1


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-05-06T07:08:09Z", "2024-05-06T07:08:09+00:00"),
        ("2024-05-06T07:08:09.123456789Z", "2024-05-06T07:08:09.123456+00:00"),
        ("2024-05-06T07:08Z", "2024-05-06T07:08:00+00:00"),
        ("2024-05", "2024-05-01T00:00:00+00:00"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59+00:00"),
        ("2024-13-01", ""),
        ("yesterday", ""),
        ("٢٠٢٤", ""),
    ],
)
def test_a_date_is_as_exact_as_it_is_told(text: str, moment: str) -> None:
    found = warc_moment(text)
    assert found == pytest.approx(datetime.fromisoformat(moment).timestamp(), abs=1e-5) if moment else found is None


def test_what_comes_from_the_future_or_from_no_day_is_no_page() -> None:
    future, none = entries(response(URL, http(BODY), date="2030-01-01T00:00:00Z") + response(URL, http(), date="soon"))
    assert isinstance(future, NoCapture)
    assert isinstance(none, NoCapture)
    assert future.kind == none.kind == "response without a date"


def test_a_survey_finds_robots_txt_files_their_redirects_sites_and_methods() -> None:
    moved = http("", "301 Moved", "text/plain", "Location: https://a.example/robots.txt")
    file = http("User-agent: *\nDisallow: /", content_type="text/plain")
    data = b"".join([
        record("warcinfo", b"software: one\r\n"), record("warcinfo", b"software: two\r\n"),
        response(f"{URL}robots.txt", moved), response("https://a.example/robots.txt", file),
        response("http://b.example:8080/robots.txt", http("", "404 Not Found")), request(URL, "POST"),
        record("metadata", b"depth: 1\r\nprobe: missing\r\n", URL, WARC_Concurrent_To="<urn:uuid:a>"),
        record("metadata", b"depth: 1\r\nprobe: twice\r\n", URL, WARC_Concurrent_To="<urn:uuid:b>"),
    ])  # fmt: skip
    found = list(Survey(BytesIO(data), NOW))
    assert [each.software for each in found if each.software] == ["one"]
    assert {each.site for each in found if each.site} == {"a.example", "b.example:8080"}
    told = {robots.origin: robots.answer.access for each in found for robots in each.robots}
    assert told == {
        "http://a.example:80": Access.PARSED, "https://a.example:443": Access.PARSED,
        "http://b.example:8080": Access.OPEN,
    }  # fmt: skip
    assert sum(len(each.no_pages) for each in found) == 3


KINDS = ["response", "revisit", "request", "warcinfo", "", "é"]
NAMES = ["http://a.example/robots.txt", "http://a.example/", "http://[", "dns:a", "", "<http://a.example/>"]
STARTS = [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"]


@given(st.binary(max_size=300), st.sampled_from(KINDS), st.sampled_from(NAMES), st.sampled_from(STARTS))
@example(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", KINDS[0], NAMES[0], b"")
@example(b"HTTP/1.1 200 OK\r\n:\r\n \r\n\r\n", KINDS[0], NAMES[0], b"")
@example(b"HTTP/1.1 301 OK\r\nLocation: http://[/\r\n\r\n", KINDS[0], NAMES[0], b"")
@example(b"HTTP/1.1 100 Continue\r\n\r\n", KINDS[0], NAMES[1], b"")
def test_whatever_a_record_holds_it_is_read_or_told(block: bytes, kind: str, name: str, start: bytes) -> None:
    data = record(kind, start + block, name)
    (found,) = entries(data)
    if isinstance(found, Capture):
        assert isinstance(READ(found, URL), Page | Outcome)
    assert all(isinstance(each, Surveyed) for each in Survey(BytesIO(data), NOW))
