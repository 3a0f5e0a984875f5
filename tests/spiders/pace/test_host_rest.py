"""How long a host rests, by what it says and by what its other pages show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiders.pace.host_pace import Rest, RestBounds, rest_after_answer, rest_after_silence

BOUNDS = RestBounds(first=2.0, most=3600.0)


@pytest.mark.parametrize(
    ("status", "asked", "failures", "rest"),
    [
        pytest.param(200, None, 0, Rest(0.0, 0), id="a good answer"),
        pytest.param(200, None, 5, Rest(0.0, 0), id="a good answer ends the row"),
        pytest.param(404, None, 5, Rest(0.0, 0), id="so does a page that is missing"),
        pytest.param(429, None, 0, Rest(2.0, 1), id="429: the first rest"),
        pytest.param(503, None, 1, Rest(4.0, 2), id="503: the second is twice as long"),
        pytest.param(503, None, 60, Rest(BOUNDS.most, 61), id="at most an hour"),
        pytest.param(503, 120.0, 0, Rest(120.0, 1), id="Retry-After, where that is longer"),
        pytest.param(429, 1.0, 3, Rest(16.0, 4), id="and not where it is shorter"),
        pytest.param(301, 30.0, 0, Rest(30.0, 0), id="RFC 9110, 10.2.3: with a redirect"),
        pytest.param(200, 30.0, 2, Rest(30.0, 0), id="with any answer"),
        pytest.param(500, None, 2, Rest(0.0, 2), id="another server error neither counts nor ends the row"),
        pytest.param(200, 1e12, 0, Rest(BOUNDS.most, 0), id="nobody can ask for more than an hour"),
    ],
)
def test_an_answer_says_how_long_its_host_rests(status: int, asked: float | None, failures: int, rest: Rest) -> None:
    assert rest_after_answer(status, asked, failures, BOUNDS) == rest


def test_one_silence_may_be_the_page_s_own_and_two_in_a_row_are_the_host_s() -> None:
    assert rest_after_silence(0, BOUNDS) == Rest(0.0, 1)
    assert rest_after_silence(1, BOUNDS) == Rest(2.0, 2)
    assert rest_after_silence(2, BOUNDS) == Rest(4.0, 3)
    assert rest_after_silence(10_000, BOUNDS) == Rest(BOUNDS.most, 10_001)


@given(st.integers(100, 999), st.none() | st.floats(0, 1e30), st.integers(0, 10**9), st.booleans())
def test_a_rest_is_bounded_whatever_is_said(status: int, asked: float | None, failures: int, well: bool) -> None:
    assert 0 <= rest_after_answer(status, asked, failures, BOUNDS, others_answer=well).seconds <= BOUNDS.most
    assert 0 <= rest_after_silence(failures, BOUNDS).seconds <= BOUNDS.most


@pytest.mark.parametrize(
    ("status", "asked", "rest"),
    [
        pytest.param(503, 1e9, Rest(2.0, 1), id="503: its own URL waits, and the host for the first rest"),
        pytest.param(503, None, Rest(2.0, 1), id="503 without a number: as ever"),
        pytest.param(200, 1e9, Rest(2.0, 0), id="a page that asks for a pause"),
        pytest.param(429, 1e9, Rest(3600.0, 1), id="429 counts requests, and not pages"),
        pytest.param(301, 60.0, Rest(60.0, 0), id="RFC 9110, 10.2.3: before the redirect is followed"),
    ],
)
def test_other_pages_that_answer_speak_against_one_that_does_not(status: int, asked: float | None, rest: Rest) -> None:
    assert rest_after_answer(status, asked, 0, BOUNDS, others_answer=True) == rest
