"""The dates of sitemaps, in seconds since the epoch."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiders.sitemap_parser import moment_of

NOW = 1_800_000_000.0  # 15 January 2027, 08:00 UTC
DAY = 24 * 3600


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        pytest.param("1970-01-02T00:00:01Z", DAY + 1, id="to the second"),
        pytest.param("1970-01-02T00:00:01.5+00:00", DAY + 1, id="to a part of it"),
        pytest.param("1970-01-02t01:00:01+01:00", DAY + 1, id="of another zone"),
        pytest.param("1970-01-01 23:00:01-0100", DAY + 1, id="with a blank, and a zone without a colon"),
        pytest.param("1970-01-02T00:00", DAY + 59, id="to the minute: its end"),
        pytest.param(" 1970-01-02 ", 2 * DAY - 1, id="a day: its end"),
        pytest.param("1970-01", 31 * DAY - 1, id="a month: its end"),
        pytest.param("1970", 365 * DAY - 1, id="a year: its end"),
        pytest.param("Fri, 02 Jan 1970 00:00:01 GMT", DAY + 1, id="of a mail, as RSS has it"),
        pytest.param("2027-01-15", NOW, id="today: as far as it has come"),
        pytest.param("2027", NOW, id="this year: the same"),
        pytest.param("2027-01-16", None, id="tomorrow is no change yet"),
        pytest.param("9999-12-31", None, id="the end of all years"),
        pytest.param("9999-99-99", None, id="no month"),
        pytest.param("2026-02-30", None, id="no day"),
        pytest.param("0000", None, id="no year"),
        pytest.param("yesterday", None, id="a word"),
        pytest.param("", None, id="nothing"),
        pytest.param("1" * 100, None, id="a long number"),
    ],
)
def test_a_date_means_its_latest_moment(text: str, moment: float | None) -> None:
    assert moment_of(text, NOW) == moment


@given(st.text(max_size=70) | st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?[+-][0-9]{4})?"))
def test_any_text_is_a_moment_that_has_been_or_none(text: str) -> None:
    moment = moment_of(text, NOW)
    assert moment is None or moment <= NOW
