"""How long does an answer hold, and when is a closed site tried again?"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.freshness import (
    MAX_LIFETIME,
    MAX_RETRY,
    MIN_LIFETIME,
    MIN_RETRY,
    RETRY,
    RETRY_SOON,
    asked_wait,
    backed_off,
    conditional_headers,
    first_wait,
    http_date,
    lifetime_of,
    retry_after,
    validator,
)

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
IN_AN_HOUR = "Sat, 21 Nov 2026 13:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        pytest.param([], MAX_LIFETIME, id="nothing said: a day"),
        pytest.param([("Cache-Control", "max-age=3600")], 3600, id="max-age"),
        pytest.param([("cache-control", 'public, Max-Age="3600"')], 3600, id="any case, quoted, among others"),
        pytest.param([("Cache-Control", "max-age=604800")], MAX_LIFETIME, id="a week is cut to a day"),
        pytest.param([("Cache-Control", "max-age=" + "9" * 400)], MAX_LIFETIME, id="a number beyond all time"),
        pytest.param([("Cache-Control", "max-age=0")], MIN_LIFETIME, id="at least five minutes"),
        pytest.param([("Cache-Control", "no-store")], MIN_LIFETIME, id="no-store"),
        pytest.param(
            [("Cache-Control", "max-age=3600"), ("Cache-Control", "no-cache")], MIN_LIFETIME, id="two headers"
        ),
        pytest.param([("Cache-Control", "max-age=soon")], MAX_LIFETIME, id="max-age that is no number"),
        pytest.param([("Expires", IN_AN_HOUR)], 3600, id="Expires"),
        pytest.param([("Expires", IN_AN_HOUR), ("Date", "Sat, 21 Nov 2026 12:30:00 GMT")], 1800, id="by its own clock"),
        pytest.param([("Expires", "0")], MIN_LIFETIME, id="an Expires that is no date is past"),
        pytest.param([("Cache-Control", "max-age=600"), ("Expires", IN_AN_HOUR)], 600, id="max-age before Expires"),
    ],
)
def test_how_long_an_answer_holds(headers: list[tuple[str, str]], seconds: float) -> None:
    assert lifetime_of(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        pytest.param("120", 120.0, id="seconds"),
        pytest.param(" 0 ", 0.0, id="at once"),
        pytest.param("9" * 400, MAX_RETRY, id="never is a day"),
        pytest.param(IN_AN_HOUR, 3600.0, id="a date"),
        pytest.param("Sat, 21 Nov 2020 13:00:00 GMT", 0.0, id="a date gone by"),
        pytest.param("soon", None, id="neither a number nor a date"),
        pytest.param("-5", None, id="a negative number"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str, seconds: float | None) -> None:
    assert retry_after(header, NOW.timestamp()) == seconds
    assert asked_wait([("Retry-After", header)], NOW) == seconds


@pytest.mark.parametrize(
    ("status", "seconds"),
    [
        pytest.param(503, RETRY_SOON, id="503 is tried again sooner"),
        pytest.param(429, RETRY_SOON, id="and so is 429"),
        pytest.param(500, RETRY, id="than others"),
    ],
)
def test_what_asks_for_nothing_is_tried_again_by_its_kind(status: int, seconds: float) -> None:
    assert first_wait(status) == seconds


@pytest.mark.parametrize(
    ("wait", "asked", "failures", "seconds"),
    [
        pytest.param(RETRY, False, 1, RETRY, id="the first"),
        pytest.param(RETRY, False, 3, 4 * RETRY, id="each time twice as long"),
        pytest.param(RETRY, False, 10**9, MAX_RETRY, id="a day at most"),
        pytest.param(3600.0, True, 5, 3600.0, id="what was asked for is kept"),
        pytest.param(0.0, True, 1, MIN_RETRY, id="no tight loop"),
        pytest.param(0.0, True, 4, 8 * MIN_RETRY, id="nor a slow one for ever"),
        pytest.param(MAX_RETRY, True, 9, MAX_RETRY, id="a day asked for is a day"),
    ],
)
def test_the_wait_grows_with_the_failures(wait: float, asked: bool, failures: int, seconds: float) -> None:
    assert backed_off(wait, failures, asked=asked) == seconds


@given(st.text())
def test_any_header_gives_a_time_within_bounds(value: str) -> None:
    asked = asked_wait([("Retry-After", value)], NOW)
    assert asked is None or 0.0 <= asked <= MAX_RETRY
    for name in ("Cache-Control", "Expires", "Date"):
        assert MIN_LIFETIME <= lifetime_of([("Expires", IN_AN_HOUR), (name, value)], NOW) <= MAX_LIFETIME


def test_a_validator_that_is_too_long_is_not_sent_back() -> None:
    long, usual = ("etag", "e" * 200_000), ("last-modified", "Sat, 21 Nov 2026 12:00:00 GMT")
    assert validator([long, usual], "etag") == ""
    assert validator([long, usual], "last-modified") == usual[1]


@pytest.mark.parametrize(
    ("name", "value", "valid"),
    [
        pytest.param("etag", '"v1"', True, id="an entity tag"),
        pytest.param("etag", 'W/"v1"', True, id="a weak one"),
        pytest.param("etag", '""', True, id="an empty one"),
        pytest.param("etag", "v1", False, id="without quotes"),
        pytest.param("etag", "*", False, id="it would match whatever there is"),
        pytest.param("etag", '"a", "b"', False, id="two"),
        pytest.param("etag", '"a\x01"', False, id="a control character"),
        pytest.param("etag", '"\u00fc"', False, id="octets over 0x7F"),
        pytest.param("last-modified", IN_AN_HOUR, True, id="a date"),
        pytest.param("last-modified", "yesterday", False, id="yesterday"),
        pytest.param("last-modified", f"{IN_AN_HOUR}\x00", False, id="a date and a control character"),
        pytest.param("last-modified", f"{IN_AN_HOUR} \u00fc", False, id="a date and octets over 0x7F"),
        pytest.param("last-modified", "0", False, id="no date"),
    ],
)
def test_a_validator_that_can_t_be_valid_is_neither_stored_nor_sent(name: str, value: str, valid: bool) -> None:
    assert bool(validator([(name, value)], name)) is valid
    sent = conditional_headers(value, "") if name == "etag" else conditional_headers("", value)
    assert list(sent.values()) == [value] * valid


@pytest.mark.parametrize(
    ("answered", "told"),
    [
        pytest.param("Sat, 21 Nov 2026 12:00:01 GMT", True, id="it was modified before"),
        pytest.param("Sat, 21 Nov 2026 12:00:00 GMT", False, id="in the second of the answer, which it may outlive"),
        pytest.param("Sat, 21 Nov 2026 11:59:59 GMT", False, id="after it, by its own clock"),
        pytest.param("today", True, id="nobody knows when"),
    ],
)
def test_a_change_within_the_second_of_the_answer_would_not_be_told_by_its_date(answered: str, told: bool) -> None:
    modified = "Sat, 21 Nov 2026 12:00:00 GMT"
    headers = [("Last-Modified", modified), ("ETag", '"1"'), ("Date", answered)]
    assert validator(headers, "last-modified") == modified * told
    assert validator(headers, "etag") == '"1"'


@given(st.text(), st.text())
def test_what_is_sent_back_is_what_came(etag: str, date: str) -> None:
    sent = conditional_headers(etag, date)
    assert set(sent.values()) <= {etag, date}
    assert all(value.isascii() and value.isprintable() for value in sent.values())


def test_a_first_visit_has_no_conditions() -> None:
    assert conditional_headers("", "") == {}
    assert conditional_headers('"1"', "") == {"If-None-Match": '"1"'}


@given(st.text() | st.datetimes().map(lambda moment: moment.strftime("%a, %d %b %Y %H:%M:%S GMT")))
def test_any_date_of_a_header_is_a_time_or_nothing(text: str) -> None:
    date = http_date(text)
    assert date is None or date.tzinfo is UTC


@pytest.mark.parametrize("zone", ["GMT", "+0000", "-0000", ""])
def test_a_date_of_a_header_is_read(zone: str) -> None:
    assert http_date(f"Sat, 21 Nov 2026 12:00:00 {zone}") == NOW
