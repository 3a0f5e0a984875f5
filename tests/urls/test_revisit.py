"""How often does a page change, as far as its visits tell; and when is the next one due?"""

import math
import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urls.revisit import DAY, Bounds, History, change_rate, first_visit, seconds_to_wait, time_of_header

WIDE = Bounds(1.0, 1000 * DAY)


def visited(*gaps_and_changes: tuple[float, bool]) -> History:
    history = first_visit(0.0)
    at = 0.0
    for gap, changed in gaps_and_changes:
        at += gap
        history = history.after(at, changed=changed)
    return history


@pytest.mark.parametrize(
    ("changed", "visits", "rate"),
    [
        pytest.param(0, 10, 0.0, id="never changed: -log(10.5/10.5) = 0"),
        pytest.param(10, 10, 3.0445, id="changed each time, and the estimate stays finite: -log(0.5/10.5)"),
        pytest.param(3, 10, 0.3365, id="3 of 10: -log(7.5/10.5)"),
    ],
)
def test_the_estimate_is_that_of_cho_and_garcia_molina(changed: int, visits: int, rate: float) -> None:
    history = visited(*((DAY, number < changed) for number in range(visits)))
    assert change_rate(history) * DAY == pytest.approx(rate, abs=1e-4)


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.5])
def test_the_estimate_finds_the_rate_of_a_poisson_process(rate: float) -> None:
    dice = random.Random(20)
    history = visited(*((DAY, dice.random() < 1 - math.exp(-rate)) for _ in range(2000)))
    assert change_rate(history) * DAY == pytest.approx(rate, rel=0.15)


def test_a_page_that_always_changed_is_due_after_the_least_wait() -> None:
    assert seconds_to_wait(visited(*[(3600.0, True)] * 20), Bounds(DAY, 30 * DAY), interval=3600.0) == DAY


def test_a_page_that_stands_still_is_trusted_twice_as_long_each_time_up_to_the_most() -> None:
    waits, history, gap = [], first_visit(0.0), DAY
    for _ in range(7):
        history = history.after(history.seen_at + gap, changed=False)
        gap = seconds_to_wait(history, Bounds(DAY, 30 * DAY), interval=gap)
        waits.append(gap / DAY)
    assert waits == [2, 6, 18, 30, 30, 30, 30]


def test_a_new_page_is_trusted_for_a_tenth_of_the_age_that_its_server_tells() -> None:
    new = first_visit(1000 * DAY)
    assert seconds_to_wait(new, Bounds(DAY, 90 * DAY), dated=800 * DAY) == 20 * DAY
    assert seconds_to_wait(new, Bounds(DAY, 90 * DAY)) == DAY
    assert seconds_to_wait(new, Bounds(DAY, 90 * DAY), dated=1001 * DAY) == DAY  # a date of tomorrow tells nothing


def test_a_changed_page_waits_no_longer_than_experience_reaches() -> None:
    history = visited(*[(DAY, False)] * 50, (DAY, True))
    assert seconds_to_wait(history, WIDE, interval=DAY) == 2 * DAY


def test_a_clock_that_was_set_back_makes_no_interval() -> None:
    history = first_visit(100 * DAY).after(50 * DAY, changed=True)
    assert history.seconds == 0
    assert seconds_to_wait(history, Bounds(DAY, 30 * DAY)) == DAY


@given(
    st.lists(st.tuples(st.floats(-1e9, 1e9), st.booleans()), max_size=30),
    st.none() | st.floats(-1e12, 1e12),
    st.floats(0, 1e7),
)
def test_every_wait_is_within_the_bounds(visits: list[tuple[float, bool]], dated: float | None, least: float) -> None:
    bounds = Bounds(least, least + DAY)
    assert bounds.least <= seconds_to_wait(
        visited(*visits), bounds, interval=visits[-1][0] if visits else 0.0, dated=dated
    )
    assert seconds_to_wait(visited(*visits), bounds, dated=dated) <= bounds.most


@given(st.text() | st.datetimes().map(lambda moment: moment.strftime("%a, %d %b %Y %H:%M:%S GMT")))
def test_any_last_modified_is_a_time_or_nothing(text: str) -> None:
    assert isinstance(time_of_header(text), float | None)


def test_a_date_of_a_header_is_read() -> None:
    moment = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
    assert time_of_header("Sat, 21 Nov 2026 09:00:00 GMT") == moment.timestamp()
