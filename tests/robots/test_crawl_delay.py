"""How fast may a robot go? Crawl-delay and Request-rate, and whom they concern."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import robots
from robots import Dialect, Rate
from robots.crawl_delay import rate_of


@pytest.mark.parametrize(
    ("body", "delays"),
    [
        pytest.param("User-agent: a\nCrawl-delay: 10\n", {"a": 10.0, "b": None}, id="of one robot"),
        pytest.param("User-agent: *\nCrawl-delay: 1.5\n", {"a": 1.5}, id="of everybody"),
        pytest.param(
            "User-agent: *\nCrawl-delay: 9\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\n",
            {"a": None, "b": 9.0},
            id="a robot with a group of its own inherits nothing from *",
        ),
        pytest.param(
            "User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nCrawl-delay: 2\n\nUser-agent: *\nDisallow: /login\n",
            {"a": 1.0, "b": 2.0, "c": None},
            id="one delay a robot, then rules for all",
        ),
        pytest.param("User-agent: a\nUser-agent: b\nDisallow: /\nCrawl-delay: 3\n", {"a": 3.0, "b": 3.0}, id="last"),
        pytest.param("User-agent: a\nCrawl-delay: 2\nCrawl-delay: 7\nCrawl-delay: 1\n", {"a": 7.0}, id="the slowest"),
        pytest.param("Crawl-delay: 2\nUser-agent: a\nDisallow: /\n", {"a": None}, id="of nobody"),
        *(
            pytest.param(f"User-agent: a\nCrawl-delay: {value}\n", {"a": seconds}, id=f"value {value}")
            for value, seconds in [("0", 0.0), ("1e9", 1e9), ("nan", None), ("inf", None), ("-1", None), ("1_0", None),
                                   ("9" * 400, None), ("5s", None), ("", None), ("1.2.3", None), ("+", None)]
        ),
    ],
)  # fmt: skip
def test_a_crawl_delay_is_for_the_names_just_above_it(body: str, delays: dict[str, float | None]) -> None:
    file = robots.parse(body.encode())
    assert {agent: file.delay(agent) for agent in delays} == delays


@pytest.mark.parametrize("dialect", [Dialect.GOOGLE, Dialect.TEXT_1996, Dialect.BOOK])
def test_texts_without_crawl_delay_ask_for_none(dialect: Dialect) -> None:
    assert robots.parse(b"User-agent: *\nCrawl-delay: 5\n", dialect).delay("x") is None


@pytest.mark.parametrize(
    ("value", "rate"),
    [
        pytest.param("1/10", Rate(1, 10.0), id="one page in ten seconds"),
        pytest.param("1/10s", Rate(1, 10.0), id="the same with its unit"),
        pytest.param("30/5m", Rate(30, 300.0), id="minutes"),
        pytest.param("2 / 1H", Rate(2, 3600.0), id="hours, with blanks"),
        pytest.param("1/1d", Rate(1, 86400.0), id="days"),
        pytest.param("1/10m 1300-1659", Rate(1, 600.0), id="a window of hours: it holds at all hours"),
        pytest.param("1/5 900-1700", Rate(1, 5.0), id="a window without its first nought"),
        pytest.param("1/0", Rate(1, 0.0), id="no seconds: no limit"),
        *(
            pytest.param(value, None, id=f"no rate: {value}")
            for value in ["", "1", "/", "0/10", "-1/10", "1/-10", "1/10x", "1.5/10", "1/1e3", "1/2/3", "soon",
                          "1/10 noon", "1/" + "9" * 5000, "\u0663/\u0664"]
        ),
    ],
)  # fmt: skip
def test_a_request_rate_is_pages_in_some_time(value: str, rate: Rate | None) -> None:
    assert robots.parse(f"User-agent: *\nRequest-rate: {value}\n".encode()).request_rate("a") == rate


def test_a_rate_is_a_distance_between_two_visits() -> None:
    assert Rate(30, 300.0).seconds_per_request == 10.0


@pytest.mark.parametrize(
    ("body", "rates"),
    [
        pytest.param(
            "User-agent: *\nRequest-rate: 1/9\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\n",
            {"a": None, "b": Rate(1, 9.0)},
            id="a robot with a group of its own inherits nothing from *",
        ),
        pytest.param(
            "User-agent: a\nRequest-rate: 1/10\n\nUser-agent: b\nRequest-rate: 1/20\nDisallow: /login\n",
            {"a": Rate(1, 10.0), "b": Rate(1, 20.0)},
            id="one rate a robot, then rules for all",
        ),
        pytest.param(
            "User-agent: a\nRequest-rate: 1/20\nRequest-rate: 9/200\nRequest-rate: x\n", {"a": Rate(9, 200.0)},
            id="the slowest",
        ),
        pytest.param("Request-rate: 1/9\nUser-agent: a\nDisallow: /\n", {"a": None}, id="of nobody"),
    ],
)  # fmt: skip
def test_a_request_rate_is_for_the_names_just_above_it(body: str, rates: dict[str, Rate | None]) -> None:
    file = robots.parse(body.encode())
    assert {agent: file.request_rate(agent) for agent in rates} == rates


def test_neither_pace_ends_a_group() -> None:
    body = b"User-agent: a\nCrawl-delay: 1\nUser-agent: b\nRequest-rate: 1/9\nUser-agent: c\nDisallow: /x\n"
    file = robots.parse(body)
    assert [file.decide(agent, "http://h.test/x").line for agent in "abc"] == [6, 6, 6]
    assert [file.delay(agent) for agent in "abc"] == [1.0, None, None]
    assert [file.request_rate(agent) for agent in "abc"] == [None, Rate(1, 9.0), None]


@pytest.mark.parametrize("dialect", [Dialect.GOOGLE, Dialect.TEXT_1996, Dialect.BOOK])
def test_texts_without_request_rate_ask_for_none(dialect: Dialect) -> None:
    assert robots.parse(b"User-agent: *\nRequest-rate: 1/5\n", dialect).request_rate("x") is None


@given(st.one_of(st.binary(max_size=30), st.from_regex(rb"\A[0-9]{1,9} ?/ ?[0-9]{1,9}[smhd]?( [0-9]{4}-[0-9]{4})?\Z")))
def test_any_octets_are_a_rate_that_can_be_kept_or_none(value: bytes) -> None:
    rate = rate_of(value)
    assert rate is None or (rate.requests >= 1 and 0.0 <= rate.seconds_per_request < 1e14)


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
def test_delay_and_rate_together_are_the_seconds_between_two_visits(lines: bytes, seconds: float) -> None:
    assert robots.parse(lines).seconds_between_visits("Breadcrumb") == seconds


def test_where_no_file_is_known_nobody_asks_for_a_delay() -> None:
    assert robots.no_answer("silence").seconds_between_visits("Breadcrumb") == 0.0
