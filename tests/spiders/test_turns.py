"""Turns: requests wait for their host, on a real crawl database and a clock of our own."""

import asyncio
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from frontier.job import CrawlJob
from frontier.session import Session
from spiders.host_pace import Pace, PacePolicy
from spiders.turns import Turns
from urls.canonical import canonicalize

URL = "http://a.example/"
SHOP = "http://shop.localhost:8080/"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session(tmp_path, CrawlJob((canonicalize(URL), canonicalize(SHOP))))
    yield made
    made.close("finished")


def turns(session: Session, pace: Pace = Pace(0.0, 1), ceiling: int = 0, now: float = 1000.0) -> Turns:  # noqa: B008 - frozen
    return Turns(session.store, PacePolicy(pace, pace), 2.0, ceiling, clock=lambda: now)


def refused(made: Turns, url: str = URL) -> str:
    refusal = asyncio.run(made.take(url))
    return "" if refusal is None else f"{refusal.rule}: {refusal.reason}"


def test_two_requests_to_a_host_lie_apart_whatever_the_port_and_scheme(session: Session) -> None:
    made = Turns(session.store, PacePolicy(Pace(0.1, 8), Pace(0.0, 8)), 2.0, 0)
    starts: list[float] = []

    async def take(url: str) -> None:
        assert await made.take(url) is None
        starts.append(session.store.hosts.of("a.example").last_request_at)

    async def at_once() -> None:
        await asyncio.gather(
            *(take(f"{scheme}://a.example:{port}/") for scheme in ("http", "https") for port in (1, 2))
        )

    asyncio.run(at_once())
    assert all(later - earlier >= 0.1 for earlier, later in pairwise(starts))


def test_a_host_s_delay_is_the_largest_that_one_of_its_origins_asks_for(session: Session) -> None:
    made = turns(session)
    made.asks("http://a.example:80", 3.0)
    made.asks("https://a.example:443", 5.0)
    assert made.delay("a.example").seconds == 5.0
    made.asks("https://a.example:443", 0.0)
    assert made.delay("a.example").seconds == 3.0


def test_a_delay_beyond_the_bound_is_capped_and_journaled_once(session: Session) -> None:
    made = turns(session)
    made.asks("http://a.example:80", 1e9)
    made.asks("http://a.example:80", 1e9)
    [entry] = session.store.journal.latest(rule="crawl-delay")
    assert "1e+09 s" in entry.reason
    assert "60 s are kept" in entry.reason
    assert made.delay("a.example").seconds == 60.0


def test_what_an_earlier_run_learnt_holds_until_this_one_knows_better(session: Session) -> None:
    first = turns(session)
    assert refused(first) == ""
    first.asks("http://a.example:80", 5.0)
    again = turns(session, now=1002.0)
    assert again._wait("a.example") == 3.0
    again.asks("http://a.example:80", 0.0)
    assert again._wait("a.example") <= 0.0


def test_a_clock_that_was_set_back_holds_no_host_for_longer_than_its_delay(session: Session) -> None:
    assert refused(turns(session, now=10_000.0)) == ""
    assert turns(session, Pace(3.0, 1), now=1000.0)._wait("a.example") == 3.0


def test_429_puts_the_whole_host_to_rest_and_no_other(session: Session) -> None:
    made = turns(session)
    made.answered(URL, 1, 429, 120.0, 0.1)
    told = "host-rests: a.example answered 429 with Retry-After to http://a.example/: nothing is asked of it for 120 s"
    assert refused(made, "https://a.example:8443/other") == f"{told}, of which 120 s are left"
    assert refused(made, SHOP) == ""
    assert made.sent == 1
    assert refused(turns(session, now=1120.0)) == ""


def test_rests_in_a_row_double_and_what_was_under_way_does_not_count(session: Session) -> None:
    made = turns(session)
    for _ in range(3):
        made.answered(URL, None, 503, None, 0.1)
    assert session.store.hosts.of("a.example").rests_until == 1002.0
    turns(session, now=1002.0).answered(URL, None, 503, None, 0.1)
    assert session.store.hosts.of("a.example").rests_until == 1006.0
    made.answered(URL, None, 200, None, 0.1)  # late, and it does not end the row
    assert session.store.hosts.of("a.example").failures == 2
    turns(session, now=1006.0).answered(URL, None, 200, None, 0.1)
    assert session.store.hosts.of("a.example").failures == 0


def test_a_longer_retry_after_lengthens_a_rest_and_a_shorter_one_does_not_shorten_it(session: Session) -> None:
    made = turns(session)
    for asked in (30.0, 60.0, 10.0):
        made.answered(URL, None, 301, asked, 0.1)
    assert session.store.hosts.of("a.example").rests_until == 1060.0


def test_the_second_silence_in_a_row_is_the_host_s(session: Session) -> None:
    made = turns(session)
    made.silent(URL, None, "no whole answer came in time", 30.0)
    assert refused(made) == ""
    made.silent(URL, None, "no whole answer came in time", 30.0)
    assert refused(made).startswith("host-rests: a.example gave no answer to http://a.example/ (no whole answer")
    assert session.store.hosts.of("a.example").silent


def test_an_answer_later_than_usual_counts_the_delay_from_when_its_request_can_have_arrived(session: Session) -> None:
    now = [1000.0]
    made = Turns(session.store, PacePolicy(Pace(0.5, 1), Pace(0.0, 1)), 2.0, 0, clock=lambda: now[0])
    for taken in (0.1, 0.4):  # the second may have left 0.3 s late: this machine was busy, or that one was
        now[0] += 10.0
        assert refused(made) == ""
        now[0] += taken
        made.answered(URL, None, 200, None, taken)
    assert session.store.hosts.of("a.example").last_request_at == pytest.approx(now[0] - 0.1)


def test_a_slow_host_is_asked_more_rarely(session: Session) -> None:
    made = turns(session, Pace(1.0, 1, adaptive=1.0))
    made.answered(URL, None, 200, None, 4.0)
    assert (made.delay("a.example").seconds, made.delay("a.example").reason) == (
        8.0,
        "its slowness: 4.0 s for an answer",
    )


def test_the_ceiling_of_a_run_is_hard(session: Session) -> None:
    made = turns(session, ceiling=2)
    assert [refused(made), refused(made, SHOP)] == ["", ""]
    assert refused(made) == "max-requests: the run has sent MAX_REQUESTS=2 requests; the next one goes on"
    assert (made.sent, made.used_up) == (2, True)
