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
    lifetime_of,
    retry_after_of,
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
    ("status", "stated", "seconds"),
    [
        pytest.param(503, None, RETRY_SOON, id="503 is tried again sooner"),
        pytest.param(429, None, RETRY_SOON, id="and so is 429"),
        pytest.param(500, None, RETRY, id="than others"),
        pytest.param(503, "120", 120, id="seconds"),
        pytest.param(500, IN_AN_HOUR, 3600, id="a date"),
        pytest.param(503, "0", MIN_RETRY, id="no tight loop"),
        pytest.param(503, "Sat, 21 Nov 2020 13:00:00 GMT", MIN_RETRY, id="a date gone by"),
        pytest.param(503, "9" * 400, MAX_RETRY, id="never is a day"),
        pytest.param(503, "soon", RETRY_SOON, id="neither a number nor a date"),
    ],
)
def test_when_a_closed_site_is_tried_again(status: int, stated: str | None, seconds: float) -> None:
    assert retry_after_of(status, [("Retry-After", stated)] if stated else [], NOW) == seconds


@given(st.text())
def test_any_header_gives_a_time_within_bounds(value: str) -> None:
    assert MIN_RETRY <= retry_after_of(503, [("Retry-After", value)], NOW) <= MAX_RETRY
    for name in ("Cache-Control", "Expires", "Date"):
        assert MIN_LIFETIME <= lifetime_of([("Expires", IN_AN_HOUR), (name, value)], NOW) <= MAX_LIFETIME
