"""What does each answer to GET /robots.txt mean for the site?"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import robots
from robots import MAX_REDIRECTS, Access, Availability, HttpResponse, no_answer, read_answer

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
RULES = b"User-agent: *\nDisallow: /private\n"
URL = "http://seeds.example/robots.txt"
PRIVATE = "http://seeds.example/private"
HTTP_JSONL = Path(__file__).parents[2] / "conformance" / "http.jsonl"
SITUATIONS = {
    row["id"]: row["situation"] for row in map(json.loads, HTTP_JSONL.read_text(encoding="utf-8").splitlines())
}


def answer(
    status: int, *headers: tuple[str, str], body: bytes = RULES, denial_closes: bool = False, **how: Any
) -> Availability:
    return read_answer(HttpResponse(URL, status, headers, body, NOW, **how), denial_closes=denial_closes)


TO = ("Location", "https://other.example/r.txt")
TABLE: list[tuple[str, Availability, Access]] = [
    ("H01", answer(200), Access.PARSED),
    ("H02", answer(200, body=b""), Access.PARSED),
    ("H03", answer(200, body=b"<html>no rules</html>"), Access.PARSED),
    ("H04", answer(200, ("Content-Type", "text/html")), Access.PARSED),
    ("H05", answer(204), Access.PARSED),
    ("H05", answer(206), Access.CLOSED),
    *(("H13", answer(code, TO, hops=hops), Access.MOVED) for code in (301, 302, 303, 307, 308) for hops in (0, 4)),
    ("H14", answer(301, TO, hops=MAX_REDIRECTS), Access.OPEN),
    ("H15", answer(301, ("Location", URL), hops=MAX_REDIRECTS), Access.OPEN),
    ("H16", answer(302, TO), Access.MOVED),
    ("H17", answer(302), Access.OPEN),
    ("H17", answer(302, ("Location", "ftp://other.example/robots.txt")), Access.OPEN),
    ("H17", answer(302, ("Location", "http://[broken/")), Access.OPEN),
    ("H18", answer(304), Access.CLOSED),
    ("H19", answer(200, body=b'<meta http-equiv="refresh" content="0; url=/r.txt">'), Access.PARSED),
    *(("H20", answer(code), Access.OPEN) for code in (400, 404, 405, 410, 418, 451, 499)),
    ("H21", answer(401), Access.OPEN),
    ("H21", answer(403), Access.OPEN),
    ("H21", answer(401, denial_closes=True), Access.DENIED),
    ("H21", answer(403, denial_closes=True), Access.DENIED),
    ("H20", answer(404, denial_closes=True), Access.OPEN),
    ("H30", answer(304, conditional=True), Access.UNCHANGED),
    ("H22", answer(429), Access.CLOSED),
    *(("H23", answer(code), Access.CLOSED) for code in (500, 502, 503, 504, 521, 599)),
    ("H24", no_answer("the connection was reset"), Access.CLOSED),
    ("H25", answer(200, intact=False), Access.CLOSED),
    ("H26", answer(999), Access.CLOSED),
    ("H26", answer(0), Access.CLOSED),
]


@pytest.mark.parametrize(
    ("found", "access"), [pytest.param(found, access, id=f"{key} {SITUATIONS[key]}") for key, found, access in TABLE]
)
def test_what_an_answer_means(found: Availability, access: Access) -> None:
    assert found.access is access, found.reason


@pytest.mark.parametrize("found", [row[1] for row in TABLE])
def test_every_answer_has_a_reason_and_a_time_to_ask_again(found: Availability) -> None:
    assert found.reason.startswith("robots.txt ")
    assert (found.lifetime > 0) is (found.access is not Access.MOVED)
    assert (found.retry_after > 0) is (found.access is Access.CLOSED)


def test_a_file_decides_by_its_rules() -> None:
    found = answer(200)
    assert str(found.decide("x", PRIVATE)) == "disallowed by line 2"
    assert found.decide("x", "http://seeds.example/open").allowed


@pytest.mark.parametrize("status", [400, 404, 410])
def test_the_body_of_an_error_page_is_never_parsed(status: int) -> None:
    found = answer(status, body=RULES)
    assert (found.file, found.body) == (None, b"")
    verdict = found.decide("x", PRIVATE)
    assert str(verdict) == f"allowed: robots.txt answered {status}: there is no file"


def test_a_closed_site_allows_nothing_but_its_robots_txt() -> None:
    found = answer(503)
    assert not found.decide("x", "http://seeds.example/").allowed
    assert found.decide("x", URL).allowed


def test_half_a_file_is_not_used() -> None:
    found = answer(200, body=b"User-agent: *\nDisallow: /priv", intact=False)
    assert found.file is None
    assert "broke off" in found.reason


def test_a_file_longer_than_the_limit_is_used_up_to_it() -> None:
    found = answer(200, body=RULES + b"#\n" * robots.MAX_ROBOTS_BYTES)
    assert found.file
    assert found.file.truncated
    assert not found.decide("x", PRIVATE).allowed


def test_a_body_that_comes_with_204_is_not_read() -> None:
    assert answer(204).decide("x", PRIVATE).allowed


def test_utf16_is_bridged_and_kept_as_utf8() -> None:
    found = answer(200, body=("\ufeff" + RULES.decode()).encode("utf-16-le"))
    assert found.decide("x", PRIVATE).line == 2
    assert found.file
    assert robots.parse(found.body).groups == found.file.groups


def test_a_redirect_is_followed_from_where_it_was_given() -> None:
    assert answer(302, ("location", "/elsewhere.txt#x")).location == "http://seeds.example/elsewhere.txt"


@pytest.mark.parametrize("slashes", ["http://", "//", "http:\\\\", "ftp://"])
def test_a_password_in_a_redirect_is_neither_used_nor_told(slashes: str) -> None:
    moved = answer(302, ("location", f"{slashes}me:secret@other.example/robots.txt"))
    assert "secret" not in moved.location + moved.reason
    path = answer(302, ("location", "http://other.example/a//b@c")).location
    assert path == "http://other.example/a//b@c", "an @ in a path is the server's business"


def test_utf16_that_was_cut_loses_its_last_line_too() -> None:
    rules = "\ufeffUser-agent: *\nDisallow: /x\n" + "#\n" * (robots.MAX_ROBOTS_BYTES // 4 - 40) + "Disallow: /y/"
    body = rules.encode("utf-16-le")
    found = answer(200, body=body + b"z\0" * (robots.MAX_ROBOTS_BYTES - len(body) + 2))
    assert not found.decide("x", "http://seeds.example/x").allowed
    assert found.decide("x", "http://seeds.example/y/").allowed


def test_a_file_and_our_own_304_bring_what_the_next_question_needs() -> None:
    tags = ("ETag", '"7"'), ("Last-Modified", "Sat, 21 Nov 2026 06:00:00 GMT")
    for found in (answer(200, *tags), answer(304, *tags, conditional=True)):
        assert (found.address, found.etag, found.last_modified) == (URL, '"7"', "Sat, 21 Nov 2026 06:00:00 GMT")
    assert answer(200, ("ETag", '"' + "7" * 5000 + '"')).etag == ""


def test_retry_after_is_told_from_our_own_wait() -> None:
    told, own = answer(503, ("Retry-After", "120")), answer(503)
    assert (told.asked, told.lifetime) == (True, 120)
    assert (own.asked, own.lifetime) == (False, 300)


@given(
    st.integers(), st.lists(st.tuples(st.sampled_from(["Location", "Retry-After", "Expires"]), st.text())), st.binary()
)
def test_any_answer_means_something(status: int, headers: list[tuple[str, str]], body: bytes) -> None:
    found = read_answer(HttpResponse(URL, status, headers, body, NOW))
    assert found.decide("x", PRIVATE).reason
    assert 0.0 <= found.lifetime <= 24 * 3600
