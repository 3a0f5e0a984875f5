"""When does a page expire? Dates as servers write them, and any other text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.page_controls import date_of


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2010-06-25", "2010-06-25T00:00:00+00:00"),
        ("2010-06-25 15:00", "2010-06-25T15:00:00+00:00"),
        ("Friday, 25-Jun-10 15:00:00 GMT", "2010-06-25T15:00:00+00:00"),
        ("25 Jun 2010 15:00:00 PST", "2010-06-25T23:00:00+00:00"),
        ("Fri Jun 25 15:00:00 2010", "2010-06-25T15:00:00+00:00"),
        ("25-Jun-2010", "2010-06-25T00:00:00+00:00"),
        ("Friday, 25-Jun-10", "2010-06-25T00:00:00+00:00"),
        ("2010-06-25 15:00:00 GMT", "2010-06-25T15:00:00+00:00"),
        ("2010-06-25 10:00:00 EST", "2010-06-25T15:00:00+00:00"),
        ("2010-06-25t15:00:00z", "2010-06-25T15:00:00+00:00"),
        ("0001-01-01T00:00:00+14:00", None),
        ("31 Feb 2010", None),
        ("soon", None),
        ("7" * 100, None),
    ],
)
def test_dates_in_use_are_read_as_utc(text: str, date: str | None) -> None:
    assert date_of(text) == (datetime.fromisoformat(date) if date else None)


@given(st.text(max_size=80) | st.from_regex(r"[0-9]{1,4}[ -](Jun|06)[ -][0-9]{1,9}( [0-9:]{1,9})?( [+-][0-9]{1,6})?"))
def test_any_text_is_a_date_in_utc_or_none(text: str) -> None:
    date = date_of(text)
    assert date is None or date.tzinfo is UTC
