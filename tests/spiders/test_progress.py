"""The progress line of a crawl: its bar, numbers, pace, resting hosts and alarms."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from crawldb.learnt import Purpose
from crawldb.tables.queue import Lease
from frontier.job import CrawlJob
from frontier.session import Session
from spiders.progress import CELLS, PACE_SECONDS, Progress, ProgressNumbers, Throughput, bar, hosts_and_sites_in_trouble
from spiders.site import SiteSpider
from tests.child import without_progress
from urls.canonical import canonicalize
from urls.records import CanonicalUrl, LeaseEnd, Outcome, Page
from urls.rules import Rule

NOW = 1000.0


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    seeds = tuple(canonicalize(f"http://{letter}.example/") for letter in "abc")
    session = Session(tmp_path, CrawlJob(seeds))
    yield session
    session.close("finished")


def test_a_crawl_in_good_order_adds_nothing(session: Session) -> None:
    assert hosts_and_sites_in_trouble(session.database, NOW) == ""


def test_the_line_tells_of_hosts_at_rest_and_of_alarms(session: Session) -> None:
    execute = session.database.connection.execute
    for letter in "abc":
        execute("INSERT INTO host (name, rests_until) VALUES (?, ?)", (f"{letter}.example", NOW + 60))
    execute("INSERT INTO alarm VALUES ((SELECT id FROM site WHERE name = 'b.example'), ?, 1, 30, 40, 'so it is')",
            (session.run.round,))  # fmt: skip
    said = hosts_and_sites_in_trouble(session.database, NOW)
    assert said == "; resting: a.example, b.example and 1 more; ALARM, mostly failing: b.example"
    assert hosts_and_sites_in_trouble(session.database, NOW + 61) == "; ALARM, mostly failing: b.example"


@pytest.mark.parametrize(
    ("share", "told"),
    [(0.0, "░░░░░░░░░░░░ 0%"), (0.5, "██████░░░░░░ 50%"), (0.999, "███████████░ 100%"), (1.0, "████████████ 100%")],
)
def test_the_bar_is_full_when_all_that_is_known_has_ended(share: float, told: str) -> None:
    assert bar(share) == f"{told} of what is known"


@given(st.floats(0, 1))
def test_the_bar_has_always_the_same_width(share: float) -> None:
    assert len(bar(share).partition(" ")[0]) == CELLS


def test_a_line_has_numbers_pace_hosts_and_the_least_time_that_is_left() -> None:
    numbers = ProgressNumbers(pages=1, refused=2, ended=4, waiting=10, under_way=2, hosts=2)
    assert numbers.line(0.5, 24.0) == (
        "1 page (0.5/s), 0 unchanged, 2 refused, 0 failed, 10 queued, 2 hosts at work, at this pace at least 24 s left"
    )
    assert numbers.line(0.5, None).endswith("2 hosts at work")
    assert numbers.line(0.5, 600.0).endswith("at this pace at least 10 min left")
    assert numbers.line(0.5, 36_000.0).endswith("at this pace at least 10 h left")
    assert numbers.share == 0.25
    assert ProgressNumbers().share == 0.0
    dated = f"2026-11-22 14:05:33 UTC  {numbers.line(0.5, 24.0)}; resting: a.example"
    assert without_progress(f"{dated}\ncrawl: a fault\n{dated}") == "crawl: a fault\n"


def item_of(url: CanonicalUrl, fate: LeaseEnd | None) -> Page | Outcome:
    return Page(url, "", "") if fate is None else Outcome(url, fate, Rule.GONE, "")


@pytest.mark.parametrize(
    ("probes", "counted"),
    [("", (1, 1, 1, 2)), (Purpose.TWICE, (1, 1, 1, 2)), (Purpose.MISSING, (0, 0, 0, 0)),
     (Purpose.TRAP, (0, 0, 0, 0)), (Purpose.STYLESHEET, (0, 0, 0, 0))],
)  # fmt: skip
def test_a_probe_ends_its_lease_and_is_neither_a_page_nor_a_failure(
    probes: str, counted: tuple[int, int, int, int]
) -> None:
    lease = Lease(1, canonicalize("http://a.example/p"), "a.example", 1, 0, False, "", "", "", probes=probes)
    request = Request(lease.url, meta={"lease": lease})
    failure = Failure(TimeoutError())  # type: ignore[no-untyped-call]
    failure.request = request  # type: ignore[attr-defined]  # as Scrapy does
    numbers = (progress := Progress(SiteSpider.__new__(SiteSpider))).numbers
    for fate in (None, LeaseEnd.NOT_MODIFIED, LeaseEnd.REFUSED, LeaseEnd.GONE):
        progress.item(item_of(lease.url, fate), Response(lease.url, request=request))
    progress.item(item_of(lease.url, LeaseEnd.FAILED), failure)
    assert (numbers.pages, numbers.unchanged, numbers.refused, numbers.failed) == counted
    assert numbers.ended == 5


def test_the_pace_is_that_of_the_last_minute() -> None:
    pace = Throughput()
    pace.note(0.0, 0, 0)
    assert (pace.of_pages(), pace.left(5)) == (0.0, None)
    for second in range(1, 101):
        pace.note(float(second), second, 2 * second)  # a page a second
    assert (pace.of_pages(), pace.left(10), pace.left(0)) == (1.0, 5.0, None)
    for second in range(101, 101 + int(PACE_SECONDS)):
        pace.note(float(second), 100, 200)  # and then nothing more
    assert pace.of_pages() == 0.0
    assert pace.left(10) is None
