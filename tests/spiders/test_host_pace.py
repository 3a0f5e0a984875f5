"""Does the most cautious of all that ask for a delay win, and how long does a host rest after an answer or none?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots import parse
from spiders.host_pace import (
    MAX_REST,
    Pace,
    PacePolicy,
    Rest,
    cap_reason,
    delay_of,
    rest_after_answer,
    rest_after_silence,
    robots_delay,
    smoothed,
)

MOST = 60.0
SLOW = "its slowness: 3.0 s for an answer"


@pytest.mark.parametrize(
    ("pace", "asked", "latency", "seconds", "reason"),
    [
        pytest.param(Pace(1.0, 1), 0.0, 0.0, 1.0, "DOWNLOAD_DELAY", id="nothing else is known"),
        pytest.param(Pace(1.0, 1), 10.0, 0.0, 10.0, "its robots.txt", id="72: Crawl-delay 10 gives gaps of 10 s"),
        pytest.param(Pace(1.0, 1), 0.2, 0.0, 1.0, "DOWNLOAD_DELAY", id="a lower bound, no leave to hurry"),
        pytest.param(Pace(0.0, 8), 0.2, 0.0, 0.2, "its robots.txt", id="on loopback too"),
        pytest.param(Pace(1.0, 1), 1e9, 0.0, 60.0, "its robots.txt", id="robots-019: 1e9 is capped"),
        pytest.param(Pace(0.0, 1, per_minute=4), 0.0, 0.0, 15.0, "REQUESTS_PER_MINUTE=4", id="56: a few a minute"),
        pytest.param(Pace(1.0, 1, adaptive=1.0), 0.0, 3.0, 6.0, SLOW, id="3 s of work, 3 s of rest"),
        pytest.param(Pace(1.0, 1, adaptive=1.0), 0.0, 500.0, 60.0, "its slowness: 500.0 s for an answer", id="bounded"),
        pytest.param(Pace(1.0, 1), 0.0, 3.0, 1.0, "DOWNLOAD_DELAY", id="ADAPTIVE_DELAY=0"),
    ],
)
def test_the_longest_delay_holds(pace: Pace, asked: float, latency: float, seconds: float, reason: str) -> None:
    delay = delay_of(pace, asked=asked, latency=latency, most=MOST)
    assert (delay.seconds, delay.reason) == (seconds, reason)


@pytest.mark.parametrize(
    ("lines", "seconds"),
    [
        pytest.param(b"User-agent: *\nCrawl-delay: 2.5\n", 2.5, id="for everybody"),
        pytest.param(
            b"User-agent: *\nCrawl-delay: 9\n\nUser-agent: Breadcrumb\nDisallow:\n", 0.0, id="72: not inherited"
        ),
        pytest.param(b"User-agent: *\nRequest-rate: 1/10\n", 10.0, id="a rate is a distance"),
        pytest.param(b"User-agent: *\nCrawl-delay: 2\nRequest-rate: 30/5m\n", 10.0, id="of both the slower"),
        pytest.param(b"Host: www.a.example\nUser-agent: *\nCrawl-delay: 2\n", 2.0, id="75: Host changes nothing"),
        pytest.param(b"User-agent: *\nCrawl-delay: soon\n", 0.0, id="no number"),
    ],
)
def test_a_robots_txt_asks_for_seconds_between_two_requests(lines: bytes, seconds: float) -> None:
    assert robots_delay(parse(lines), "Breadcrumb") == seconds


def test_no_file_asks_for_nothing() -> None:
    assert robots_delay(None, "Breadcrumb") == 0.0


def test_what_is_too_much_is_told_with_both_numbers() -> None:
    assert cap_reason("http://a.example:80", 60.0, MOST) == ""
    assert cap_reason("http://a.example:80", 1e9, MOST) == (
        "the robots.txt of http://a.example:80 asks for 1e+09 s between two requests; MAX_CRAWL_DELAY=60 s are kept"
    )


def test_latency_follows_answers_slowly_and_a_quick_failure_not_at_all() -> None:
    assert smoothed(0.0, 2.0, failed=False) == 2.0
    assert smoothed(2.0, 10.0, failed=False) == 3.0
    assert smoothed(2.0, 0.0, failed=False) == 1.75
    assert smoothed(2.0, 0.0, failed=True) == 2.0
    assert smoothed(2.0, 10.0, failed=True) == 3.0


@given(st.floats(0, 1e12), st.floats(0, 1e12), st.floats(0, 100), st.integers(0, 1000))
def test_no_host_can_ask_for_more_than_the_bound_and_none_gets_less_than_the_settings(
    asked: float, latency: float, adaptive: float, per_minute: int
) -> None:
    pace = Pace(1.0, 1, per_minute=per_minute, adaptive=adaptive)
    least = max(1.0, 60 / per_minute if per_minute else 0.0)
    assert least <= delay_of(pace, asked=asked, latency=latency, most=MOST).seconds <= max(least, MOST)


def test_this_machine_has_a_pace_of_its_own() -> None:
    paces = PacePolicy(Pace(1.0, 1), Pace(0.0, 8))
    assert paces.of("a.example") == Pace(1.0, 1)
    assert paces.of("bakery.localhost") == paces.of("[::1]") == paces.of("127.0.0.2") == Pace(0.0, 8)


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
    assert rest_after_answer(status, asked, failures, FIRST) == rest


def test_one_silence_may_be_the_page_s_own_and_two_in_a_row_are_the_host_s() -> None:
    assert rest_after_silence(0, FIRST) == Rest(0.0, 1)
    assert rest_after_silence(1, FIRST) == Rest(2.0, 2)
    assert rest_after_silence(2, FIRST) == Rest(4.0, 3)
    assert rest_after_silence(10_000, FIRST) == Rest(MAX_REST, 10_001)


@given(st.integers(100, 999), st.none() | st.floats(0, 1e30), st.integers(0, 10**9), st.floats(0, 1e6))
def test_a_rest_is_bounded_whatever_is_said(status: int, asked: float | None, failures: int, first: float) -> None:
    assert 0 <= rest_after_answer(status, asked, failures, first).seconds <= MAX_REST
    assert 0 <= rest_after_silence(failures, first).seconds <= MAX_REST
