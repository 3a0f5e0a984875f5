"""A new run continues the work and requests due URLs: nothing is forgotten, and nothing waits too long."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from crawldb.databases import Parts
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from crawldb.tables.journal import Journal
from crawldb.tables.robots_files import read_robots, write_robots
from frontier.job import CrawlJob
from frontier.rounds import begin_run
from frontier.session import Session
from frontier.takedown import forget
from reports.numbers import divided_report
from robots import RobotsRecord
from robots.freshness import MAX_RETRY
from tests.robots.answers import ANSWERS, STATES, T
from tests.samples import SEED, a_page, accounting, an_outcome, lease_all
from urls.canonical import canonicalize
from urls.records import LeaseEnd, Sitemap, SitemapEntry
from urls.rules import Rule
from urls.schedule import DAY, Mode, RevisitBounds


def test_a_new_run_asks_a_silent_site_at_once_and_forgets_nothing_else(session: Session) -> None:
    copied = STATES["failing for an hour, a copy"]
    silent = copied.after(ANSWERS["a time-out"], T)
    for origin, standing in (("http://a.example:80", silent), ("http://said.example:80", copied)):
        write_robots(session.database, session.run, RobotsRecord.of(origin, standing))
    begin_run(session.database, CrawlJob())
    asked, said = (read_robots(session.database, f"http://{host}.example:80") for host in ("a", "said"))
    assert asked is not None
    assert said is not None
    assert asked.access_state.due(T)
    assert (asked.failing_since, asked.failures, asked.good_at) == (T - 3600, 3, T - DAY)
    assert said.access_state == copied


@pytest.mark.parametrize(
    ("wait", "left"),
    [
        pytest.param(900 * DAY, MAX_RETRY, id="a clock set back by years"),
        pytest.param(3600.0, 3600.0, id="an hour that a server asked for"),
    ],
)
def test_a_url_and_a_host_wait_a_day_at_most_whatever_the_clock_showed_when_they_were_put_off(
    session: Session, wait: float, left: float
) -> None:
    database, until = session.database, time.time() + wait
    database.connection.execute("INSERT INTO host (name, rests_until) VALUES ('a.example', ?)", (until,))
    for statement in ("UPDATE url SET due_at = ?", "UPDATE site SET rests_until = ?"):
        database.connection.execute(statement, (until,))
    begin_run(database, CrawlJob())
    for time_of in ("due_at FROM url", "rests_until FROM site", "rests_until FROM host"):
        until_now = database.value(f"SELECT {time_of}")
        assert isinstance(until_now, float)
        assert until_now - time.time() == pytest.approx(left, abs=60)


@pytest.mark.parametrize(("wait", "is_resumed"), [(None, True), (3600.0, False)])
def test_a_run_that_was_stopped_leaves_its_round_open_though_all_that_waits_was_under_way(
    open_session: Callable[..., Session], wait: float | None, *, is_resumed: bool
) -> None:
    session = open_session(SEED, "http://a.example/done")
    lease_all(session)
    session.store.page(a_page("http://a.example/done"))
    session.store.outcome(an_outcome(SEED, LeaseEnd.DEFERRED, Rule.STOPPED, requested=False, retry_after=wait))
    session.close("shutdown")
    session = open_session()
    assert session.run.resumed is is_resumed
    assert accounting(session)["done"] == is_resumed, "what was fetched in this round is not fetched again"


STILL, LIVELY, FAILED, NEW = (f"http://a.example/{name}" for name in ("still", "lively", "failed", "new"))
MAP = canonicalize("http://a.example/sitemap.xml")
NOW = time.time()
BOUNDS = RevisitBounds(DAY, 30 * DAY)


@pytest.fixture
def learnt(open_session: Callable[..., Session]) -> Callable[..., Session]:
    """Two looks, the second one and a half days ago: one page had changed, one page and the seed stood still."""
    for days in (2.5, 1.5):
        session = open_session(revisits=BOUNDS)
        at = NOW - days * DAY
        lease_all(session)
        session.store.page(a_page(SEED, links=(STILL, LIVELY, FAILED), fetched_at=at))
        lease_all(session)
        session.store.page(a_page(STILL, text="as ever", fetched_at=at))
        session.store.page(a_page(LIVELY, text=f"of {days} days ago", fetched_at=at))
        session.store.outcome(an_outcome(FAILED, LeaseEnd.FAILED, Rule.TIMEOUT))
        session.close("finished")
    return open_session


def begin(learnt: Callable[..., Session], mode: Mode) -> Session:
    return learnt(mode=mode, revisits=BOUNDS)


@pytest.mark.parametrize(
    ("mode", "asked"),
    [(Mode.ALL, {SEED, STILL, LIVELY, FAILED}), (Mode.DUE, {LIVELY, FAILED}), (Mode.DISCOVER, set())],
    ids=lambda value: value.value if isinstance(value, Mode) else "",
)
def test_a_new_round_asks_for_what_its_mode_says(learnt: Callable[..., Session], mode: Mode, asked: set[str]) -> None:
    session = begin(learnt, mode)
    assert set(lease_all(session)) == asked
    assert session.frontier.seconds_to_next() is None
    accounting(session)


def test_what_was_never_fetched_is_asked_for_in_every_mode(learnt: Callable[..., Session]) -> None:
    for mode in (Mode.DUE, Mode.DISCOVER):
        session = learnt(NEW + mode.value, mode=mode, revisits=BOUNDS)
        assert NEW + mode.value in lease_all(session)
        session.close("shutdown")


def test_discovery_leaves_what_another_run_has_queued_as_it_is(learnt: Callable[..., Session]) -> None:
    begin(learnt, Mode.ALL).close("shutdown")
    session = begin(learnt, Mode.DISCOVER)
    assert (lease_all(session), accounting(session)["queued"]) == ([], 4)
    assert session.frontier.seconds_to_next() is None
    assert session.frontier.sites_due(60.0) == []
    assert not session.close("finished")
    assert len(lease_all(begin(learnt, Mode.ALL))) == 4


def test_due_puts_aside_what_another_run_has_queued_too_soon_and_says_so(learnt: Callable[..., Session]) -> None:
    begin(learnt, Mode.ALL).close("shutdown")
    session = begin(learnt, Mode.DUE)
    [entry] = Journal(session.database).latest(rule=Rule.REVISIT)
    assert entry.count == 2
    assert set(lease_all(session)) == {LIVELY, FAILED}
    assert accounting(session)["done"] == 2


def test_an_open_round_does_not_keep_pages_from_being_due_again(learnt: Callable[..., Session]) -> None:
    session = begin(learnt, Mode.ALL)
    [lease, *_] = session.frontier.lease(1, lambda _: 1)
    session.store.page(a_page(lease.url, text="short", fetched_at=NOW - 2 * DAY))
    with session.database.transaction() as connection:
        connection.execute("UPDATE round SET opened_at = ? WHERE closed_at IS NULL", (NOW - 2 * DAY,))
        connection.execute("UPDATE url SET next_at = 1 WHERE url = ?", (lease.url,))
    session.close("shutdown")
    again = begin(learnt, Mode.DUE)
    assert lease.url in lease_all(again)
    assert again.run.round > session.run.round


def test_a_forgotten_page_is_due_since_nothing_is_known_of_it(learnt: Callable[..., Session]) -> None:
    session = begin(learnt, Mode.DISCOVER)
    forget(session.database, STILL)
    session.close("finished")
    assert STILL in lease_all(begin(learnt, Mode.DUE))


def test_a_sitemap_that_tells_of_a_change_makes_a_page_due(learnt: Callable[..., Session]) -> None:
    session = begin(learnt, Mode.DUE)
    session.store.name_sitemaps("http://a.example", [MAP])
    assert MAP in lease_all(session)
    entries = (SitemapEntry(STILL, NOW - 3600), SitemapEntry(SEED, NOW - 300 * DAY))
    session.store.sitemap(Sitemap(MAP, "urlset", entries, fetched_at=NOW))
    session.frontier.look_again()
    assert lease_all(session) == [STILL]


def test_a_page_that_could_not_be_fetched_is_due_at_once(learnt: Callable[..., Session]) -> None:
    session = begin(learnt, Mode.ALL)
    lease_all(session)
    session.store.outcome(an_outcome(STILL, LeaseEnd.FAILED, Rule.SERVER_ERROR, status=500))
    assert session.database.value("SELECT next_at FROM url WHERE url = ?", STILL) == 0


def test_an_unmodified_page_is_a_visit_that_found_nothing_new(learnt: Callable[..., Session]) -> None:
    session = begin(learnt, Mode.ALL)
    lease_all(session)
    session.store.outcome(an_outcome(STILL, LeaseEnd.NOT_MODIFIED, Rule.NOT_MODIFIED, status=304))
    row = session.database.connection.execute(
        "SELECT visits, unchanged FROM visit WHERE url = (SELECT id FROM url WHERE url = ?)", (STILL,)
    ).fetchone()
    assert row == (2, 2)


def test_a_304_that_nobody_asked_for_is_no_visit_and_what_is_stored_stays(learnt: Callable[..., Session]) -> None:
    session = begin(learnt, Mode.ALL)
    lease_all(session)
    stored = session.database.connection.execute("SELECT fetched_at FROM page ORDER BY url").fetchall()
    session.store.outcome(an_outcome(STILL, LeaseEnd.NOT_MODIFIED, Rule.NOT_MODIFIED, status=304, conditional=False))
    assert session.database.connection.execute("SELECT fetched_at FROM page ORDER BY url").fetchall() == stored
    assert session.database.connection.execute("SELECT state, rule FROM url WHERE url = ?", (STILL,)).fetchone() == (
        3,
        "protocol",
    )


def test_a_round_ends_when_nothing_is_left_but_what_was_put_off_and_that_goes_first(
    open_session: Callable[..., Session],
) -> None:
    session = open_session()
    lease_all(session)
    session.store.page(a_page(SEED, links=(STILL, LIVELY)))
    lease_all(session)
    session.store.page(a_page(STILL))
    late = an_outcome(LIVELY, LeaseEnd.DEFERRED, Rule.SERVER_ERROR, status=503, retry_after=1e10)
    session.store.outcome(late)
    assert session.close("finished")
    again = open_session()
    assert again.run.round == session.run.round + 1
    assert set(lease_all(again)) == {SEED, STILL}
    with again.database.transaction() as connection:
        connection.execute("UPDATE url SET due_at = 1 WHERE url = ?", (LIVELY,))
        connection.execute("UPDATE url SET state = 0")
    again.frontier.look_again()
    [first] = again.frontier.lease(1, lambda _: 1)
    assert first.url == LIVELY, "though it is deeper than the seed"


@pytest.mark.parametrize("ending", ["interrupted", "finished"])
def test_what_could_have_been_asked_for_holds_its_round(open_session: Callable[..., Session], ending: str) -> None:
    session = open_session(LIVELY)
    assert not session.close(ending)
    assert open_session(LIVELY).run.round == session.run.round


PARTS = tuple(Partition(number, 3) for number in (1, 2, 3))
SEEDS = tuple(canonicalize(f"http://{letter}.example/0") for letter in "abcdefghij")


def turns(data_dir: Path, mode: Mode) -> dict[str, int]:
    """Let each part of a divided crawl have a turn to its end; return the rounds that are told of the whole crawl."""
    for part in PARTS:
        session = Session(folder_of(data_dir, part), CrawlJob(SEEDS, partition=part, mode=mode))
        for delivery in list(session.store.exchange.waiting()):
            session.store.receive(delivery)
        while leased := lease_all(session):
            for url in leased:
                session.store.page(a_page(url, "says this", tuple(f"{seed}{n}" for seed in SEEDS for n in (1, 2))))
        session.close("finished")
    with Parts.in_folder(data_dir) as parts:
        return divided_report(parts)["rounds"]


def test_a_round_of_a_divided_crawl_is_counted_once_however_often_a_part_comes_back(tmp_path: Path) -> None:
    assert turns(tmp_path, Mode.ALL) == {"begun": 1, "open": 0}
    assert turns(tmp_path, Mode.DISCOVER) == {"begun": 1, "open": 0}, "a part comes back for letters"
    assert turns(tmp_path, Mode.ALL) == {"begun": 2, "open": 0}
