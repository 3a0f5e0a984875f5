"""Delays: the most cautious of all that ask for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots import parse
from spiders.pace import Pace, Paces
from spiders.pace.delay import asked_by, capped, delay_of, smoothed

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
    assert asked_by(parse(lines), "Breadcrumb") == seconds


def test_no_file_asks_for_nothing() -> None:
    assert asked_by(None, "Breadcrumb") == 0.0


def test_what_is_too_much_is_told_with_both_numbers() -> None:
    assert capped("http://a.example:80", 60.0, MOST) == ""
    assert capped("http://a.example:80", 1e9, MOST) == (
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
    paces = Paces(Pace(1.0, 1), Pace(0.0, 8))
    assert paces.of("a.example") == Pace(1.0, 1)
    assert paces.of("bakery.localhost") == paces.of("[::1]") == paces.of("127.0.0.2") == Pace(0.0, 8)
