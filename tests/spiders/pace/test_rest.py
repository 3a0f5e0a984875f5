"""Rests: what an answer, or none, means for its whole host."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiders.pace.rest import MAX_REST, Rest, after_answer, after_silence

FIRST = 2.0


@pytest.mark.parametrize(
    ("status", "asked", "failures", "rest"),
    [
        pytest.param(200, None, 0, Rest(0.0, 0), id="a good answer"),
        pytest.param(200, None, 5, Rest(0.0, 0), id="a good answer ends the row"),
        pytest.param(404, None, 5, Rest(0.0, 0), id="so does a page that is missing"),
        pytest.param(429, None, 0, Rest(2.0, 1), id="429: the first rest"),
        pytest.param(503, None, 1, Rest(4.0, 2), id="503: the second is twice as long"),
        pytest.param(503, None, 60, Rest(MAX_REST, 61), id="at most a day"),
        pytest.param(503, 120.0, 0, Rest(120.0, 1), id="Retry-After, where that is longer"),
        pytest.param(429, 1.0, 3, Rest(16.0, 4), id="and not where it is shorter"),
        pytest.param(301, 30.0, 0, Rest(30.0, 0), id="RFC 9110, 10.2.3: with a redirect"),
        pytest.param(200, 30.0, 2, Rest(30.0, 0), id="with any answer"),
        pytest.param(500, None, 2, Rest(0.0, 2), id="another server error neither counts nor ends the row"),
        pytest.param(200, 1e12, 0, Rest(MAX_REST, 0), id="nobody can ask for more than a day"),
    ],
)
def test_an_answer_says_how_long_its_host_rests(status: int, asked: float | None, failures: int, rest: Rest) -> None:
    assert after_answer(status, asked, failures, FIRST) == rest


def test_one_silence_may_be_the_page_s_own_and_two_in_a_row_are_the_host_s() -> None:
    assert after_silence(0, FIRST) == Rest(0.0, 1)
    assert after_silence(1, FIRST) == Rest(2.0, 2)
    assert after_silence(2, FIRST) == Rest(4.0, 3)
    assert after_silence(10_000, FIRST) == Rest(MAX_REST, 10_001)


@given(st.integers(100, 999), st.none() | st.floats(0, 1e30), st.integers(0, 10**9), st.floats(0, 1e6))
def test_a_rest_is_bounded_whatever_is_said(status: int, asked: float | None, failures: int, first: float) -> None:
    assert 0 <= after_answer(status, asked, failures, first).seconds <= MAX_REST
    assert 0 <= after_silence(failures, first).seconds <= MAX_REST
