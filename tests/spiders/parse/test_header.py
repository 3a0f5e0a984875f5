"""Header lines: what is left aside is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiders.parse.header import MAX_LINES, misunderstood


@pytest.mark.parametrize(
    "value",
    [
        "unavailable_after: 25 Jun 2010 15:00:00 PST",
        "otherbot: unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, noindex",
        "noindex, unavailable_after: 2010-06-25",
    ],
)
def test_a_date_is_a_date(value: str) -> None:
    assert misunderstood([("x-robots-tag", value)]) == ()


def test_a_date_that_is_none_is_told() -> None:
    (told,) = misunderstood([("X-Robots-Tag", ",,;:unavailable_after: not-a-date, noindex")])
    assert "'not-a-date', which is no date" in told


def test_more_lines_than_any_server_sends_are_told() -> None:
    (told,) = misunderstood([("x-a", "b")] * (MAX_LINES + 1))
    assert told.startswith(f"{MAX_LINES + 1} header lines came")


@given(st.text())
def test_no_text_raises(value: str) -> None:
    assert isinstance(misunderstood([("x-robots-tag", f"unavailable_after:{value}")]), tuple)
