"""How long does a host rest, for which reason, and when may a request be sent?"""

import asyncio
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawldb.clock import RUN_CLOCK
from crawldb.tables.hosts import Host
from frontier.job import CrawlJob
from frontier.session import Session
from spiders.downloader.epoch import OWN_EPOCH
from spiders.pace.host_pace import (
    Pace,
    PacePolicy,
    RequestThrottle,
    RestBounds,
    cap_reason,
    delay_of,
    smoothed,
)
from tests.child import PATIENCE
from urls.canonical import canonicalize

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


def test_what_is_too_much_is_told_with_both_numbers() -> None:
    assert cap_reason("http://a.example:80", 60.0, MOST) == ""
    assert cap_reason("http://a.example:80", 1e9, MOST) == (
        "the robots.txt of http://a.example:80 asks for 1,000,000,000 s between two requests; "
        "MAX_CRAWL_DELAY=60 s are kept"
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


URL = "http://a.example/"
SHOP = "http://shop.localhost:8080/"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    made = Session(tmp_path, CrawlJob((canonicalize(URL), canonicalize(SHOP))))
    yield made
    made.close("finished")


def turns(session: Session, pace: Pace = Pace(0.0, 1), ceiling: int = 0, now: float = 1000.0) -> RequestThrottle:  # noqa: B008 - frozen
    return RequestThrottle(session.store, PacePolicy(pace, pace), RestBounds(), ceiling, clock=lambda: now)


def refused(made: RequestThrottle, url: str = URL) -> str:
    refusal = asyncio.run(made.take(url))
    made.ended(url)
    return "" if refusal is None else f"{refusal.rule}: {refusal.reason}"


def test_two_requests_to_a_host_lie_apart_whatever_the_port_and_scheme(session: Session) -> None:
    made = RequestThrottle(session.store, PacePolicy(Pace(0.1, 8), Pace(0.0, 8)), RestBounds(), 0)
    starts: list[float] = []

    async def take(url: str) -> None:
        assert await made.take(url) is None
        starts.append(session.store.hosts.of("a.example").last_request_at)
        made.left(url)

    async def at_once() -> None:
        await asyncio.gather(
            *(take(f"{scheme}://a.example:{port}/") for scheme in ("http", "https") for port in (1, 2))
        )

    asyncio.run(at_once())
    assert all(later - earlier >= 0.1 for earlier, later in pairwise(starts))


def test_the_next_request_waits_until_the_one_before_has_left_and_then_for_the_delay(session: Session) -> None:
    made = RequestThrottle(session.store, PacePolicy(Pace(0.05, 8), Pace(0.0, 8)), RestBounds(), 0)

    async def in_turn(leaves: Callable[[str], None]) -> float:
        await made.take(URL)
        second = asyncio.ensure_future(made.take(f"{URL}2"))
        await asyncio.sleep(0.15)
        assert not second.done(), "three delays after the first had its turn, which is still connecting"
        leaves(URL)
        left_at = session.store.hosts.of("a.example").last_request_at
        assert await second is None
        made.ended(f"{URL}2")
        return session.store.hosts.of("a.example").last_request_at - left_at

    assert asyncio.run(in_turn(made.left)) >= 0.05
    asyncio.run(in_turn(made.ended))  # one that fails has never left


def test_where_no_delay_is_kept_requests_leave_side_by_side(session: Session) -> None:
    made = RequestThrottle(session.store, PacePolicy(Pace(0.05, 8), Pace(0.0, 8)), RestBounds(), 0)
    assert (refused(made, SHOP), refused(made, f"{SHOP}2")) == ("", "")


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
    assert "1,000,000,000 s" in entry.reason
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


def test_a_host_that_was_asked_in_the_future_counts_as_asked_now(session: Session) -> None:
    made = RequestThrottle(session.store, PacePolicy(Pace(0.01, 1), Pace(0.01, 1)), RestBounds(), 0)
    session.store.hosts.note(Host("a.example", last_request_at=RUN_CLOCK.now() + 3600))

    async def within_a_moment() -> None:
        async with asyncio.timeout(PATIENCE):
            assert await made.take(URL) is None

    asyncio.run(within_a_moment())


def test_429_puts_the_whole_host_to_rest_and_no_other(session: Session) -> None:
    made = turns(session)
    made.answered(URL, 1, 429, 120.0, 0.1)
    told = "host-rests: a.example answered 429 with Retry-After to http://a.example/: it gets no request for 2 min"
    assert refused(made, "https://a.example:8443/other") == f"{told}, of which 2 min are left"
    assert refused(made, SHOP) == ""
    assert made.sent == 1
    assert refused(turns(session, now=1120.0)) == ""


def test_rests_in_a_row_double_and_what_was_under_way_does_not_count(session: Session) -> None:
    made = turns(session)
    for _ in range(3):
        made.answered(URL, 1, 429, None, 0.1)
    assert session.store.hosts.of("a.example").rests_until == 1002.0
    turns(session, now=1002.0).answered(URL, 1, 429, None, 0.1)
    assert session.store.hosts.of("a.example").rests_until == 1006.0
    made.answered(URL, 1, 200, None, 0.1)  # late, and it does not end the row
    assert session.store.hosts.of("a.example").failures == 2
    turns(session, now=1006.0).answered(URL, 1, 200, None, 0.1)
    assert session.store.hosts.of("a.example").failures == 0


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_a_robots_txt_says_holds_for_its_origin_and_the_host_rests_for_a_moment(
    session: Session, status: int
) -> None:
    for port in range(21):
        made = turns(session, now=1000.0 + 10 * port)
        made.answered(f"http://a.example:{port + 1}/robots.txt", None, status, 3600.0, 0.1)
        host = session.store.hosts.of("a.example")
        assert (host.rests_until, host.failures) == (1002.0 + 10 * port, 0)
        assert refused(made, f"http://a.example:{port + 2}/") != ""
        assert refused(turns(session, now=1002.0 + 10 * port), f"http://a.example:{port + 2}/") == ""


def test_a_robots_txt_without_an_answer_puts_no_host_to_rest(session: Session) -> None:
    made = turns(session)
    for _ in range(3):
        made.silent("http://a.example/robots.txt", None, "no whole answer came in time", 30.0)
    assert (refused(made), session.store.hosts.of("a.example").failures) == ("", 0)


def test_a_longer_retry_after_lengthens_a_rest_and_a_shorter_one_does_not_shorten_it(session: Session) -> None:
    made = turns(session)
    for asked in (30.0, 60.0, 10.0):
        made.answered(URL, 1, 301, asked, 0.1)
    assert session.store.hosts.of("a.example").rests_until == 1060.0


def test_one_url_s_word_holds_for_its_host_only_where_no_other_page_speaks_against_it(session: Session) -> None:
    made, host = turns(session), session.store.hosts.of
    made.answered(URL, 1, 200, None, 0.1)
    made.answered(f"{URL}x", 2, 503, 1e9, 0.1)
    assert host("a.example").rests_until == 1002.0
    assert host("a.example").rest_reason == (
        "a.example answered 503 with Retry-After to http://a.example/x, and well to the page before: "
        "it gets no request for 2 s"
    )
    made._clock = lambda: 1003.0
    made.answered(f"{URL}y", 3, 503, 1e9, 0.1)  # a second one in a row
    assert host("a.example").rests_until == 1003.0 + 3600


def test_a_good_answer_that_still_arrives_ends_what_one_url_s_word_began(session: Session) -> None:
    made, host = turns(session), session.store.hosts.of
    made.answered(URL, 1, 503, 1e9, 0.1)
    made.answered("http://a.example/robots.txt", None, 200, None, 0.1)  # no page
    assert host("a.example").rests_until == 4600.0
    made.answered(f"{URL}y", 3, 200, None, 0.1)
    assert host("a.example").rests_until == 1002.0
    assert "and then answered 200 to http://a.example/y: it gets no request for 2 s" in host("a.example").rest_reason


@pytest.mark.parametrize("status", [429, 301])
def test_what_is_no_page_s_own_trouble_holds_whatever_still_arrives(session: Session, status: int) -> None:
    made = turns(session)
    made.answered(URL, 1, 200, None, 0.1)
    made.answered(URL, 1, status, 120.0, 0.1)
    made.answered(f"{URL}y", 3, 200, None, 0.1)
    assert session.store.hosts.of("a.example").rests_until == 1120.0


def test_the_second_silence_in_a_row_is_the_host_s(session: Session) -> None:
    made = turns(session)
    made.silent(URL, 1, "no whole answer came in time", 30.0)
    assert refused(made) == ""
    made.silent(URL, 1, "no whole answer came in time", 30.0)
    assert refused(made).startswith("host-rests: a.example gave no answer to http://a.example/ (no whole answer")
    assert session.store.hosts.of("a.example").silent


def test_an_answer_later_than_usual_counts_the_delay_from_when_its_request_can_have_arrived(session: Session) -> None:
    now = [1000.0]
    made = RequestThrottle(session.store, PacePolicy(Pace(0.5, 1), Pace(0.0, 1)), RestBounds(), 0, clock=lambda: now[0])
    for taken in (0.1, 0.4):  # the second may have left 0.3 s late: this machine was busy, or that one was
        now[0] += 10.0
        assert refused(made) == ""
        now[0] += taken
        made.answered(URL, None, 200, None, taken)
    assert session.store.hosts.of("a.example").last_request_at == pytest.approx(now[0] - 0.1)


def test_after_an_abandoned_term_a_host_nobody_knows_waits_as_long_as_any_host_may_ask_for(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OWN_EPOCH, "after_abandoned", True)
    monkeypatch.setattr(OWN_EPOCH, "begun_at", 1000.0)
    now, waited = [1000.0], []

    async def passes(seconds: float) -> None:
        waited.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(asyncio, "sleep", passes)
    policy = PacePolicy(Pace(0.5, 1), Pace(0.0, 1), most=7.0)
    made = RequestThrottle(session.store, policy, RestBounds(), 0, clock=lambda: now[0])
    for url in (URL, URL, "http://x.localhost/", URL):
        assert refused(made, url) == ""
    assert waited == pytest.approx([7.0, 0.5, 0.5]), "once, and not for this machine, which is exempt from delays"


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
    assert refused(made) == "max-requests: the run has sent MAX_REQUESTS=2 requests; the next run continues"
    assert (made.sent, made.used_up) == (2, True)
