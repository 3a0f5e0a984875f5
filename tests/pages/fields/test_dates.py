"""Which of the dates of a page counts, and what is a valid date?"""

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.structured_data import FIRST_DATE, TOLERANCE, PageDate, StatedDate, first_date, meta_dates, seconds_of

NOON = datetime(2024, 5, 3, 12, 30, tzinfo=UTC).timestamp()
DAY = datetime(2024, 5, 3, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "at"),
    [
        pytest.param("2024-05-03T12:30:00Z", NOON, id="ISO 8601"),
        pytest.param("2024-05-03T14:30:00+02:00", NOON, id="with a zone"),
        pytest.param("2024-05-03T12:30:00.000Z", NOON, id="with milliseconds"),
        pytest.param("2024-05-03T12:30", NOON, id="without seconds and zone: universal time"),
        pytest.param("2024-05-03", DAY, id="a day"),
        pytest.param("20240503", DAY, id="a day in the basic form"),
        pytest.param("2024/05/03", DAY, id="a day with slashes"),
        pytest.param("2024-05", datetime(2024, 5, 1, tzinfo=UTC).timestamp(), id="a month (W3C)"),
        pytest.param("Fri, 03 May 2024 12:30:00 GMT", NOON, id="HTTP"),
        pytest.param("3 May 2024", DAY, id="in words"),
        pytest.param("May 3, 2024", DAY, id="in words, American"),
        pytest.param("  3.  May\n2024 ", DAY, id="with blanks and a point"),
        pytest.param("03/05/2024", None, id="March or May? nobody knows"),
        pytest.param("2024", None, id="a year is no date to show"),
        pytest.param("yesterday", None, id="a word"),
        pytest.param("2024-13-45", None, id="no such day"),
        pytest.param("", None, id="nothing"),
        pytest.param("2024-05-03" + " " * 100 + "x" * 100, None, id="a sentence"),
    ],
)
def test_a_date_is_read_in_the_forms_of_the_web(text: str, at: float | None) -> None:
    assert seconds_of(text) == at


def test_the_first_that_can_be_true_is_believed() -> None:
    written = [("soon", "a"), ("1815-06-18", "b"), ("2999-01-01", "c"), ("2024-05-03", "d"), ("2020-01-01", "e")]
    said = [StatedDate(*each) for each in written]
    assert first_date(said, NOON) == PageDate(DAY, "d")


def test_clocks_may_differ_by_a_day() -> None:
    assert first_date([StatedDate("2024-05-04T12:00:00Z", "x")], NOON).at is not None
    assert first_date([StatedDate("2024-05-04T12:31:00Z", "x")], NOON) == PageDate()


def test_metas_are_believed_in_the_order_of_their_names_in_any_case() -> None:
    metas = [("DC.date", "2001-01-01"), ("article:published_time", "2002-02-02"), ("dc.date", "2003-03-03")]
    assert meta_dates(metas, ("article:published_time", "dc.date", "date")) == [
        StatedDate("2002-02-02", "the meta article:published_time"),
        StatedDate("2001-01-01", "the meta dc.date"),
    ]


@given(st.lists(st.builds(StatedDate, st.text(), st.just("x"))), st.floats(0, 4e9))
def test_any_texts_give_a_possible_date_or_none(said: list[StatedDate], fetched_at: float) -> None:
    at, where = first_date(said, fetched_at)
    if at is None:
        assert where == ""
    else:
        assert FIRST_DATE <= at <= (fetched_at + TOLERANCE if fetched_at else math.inf)


@given(st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_what_python_writes_is_read_again(moment: datetime) -> None:
    assert seconds_of(moment.isoformat()) == moment.timestamp()
