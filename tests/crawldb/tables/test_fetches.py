"""A site that mostly fails is reported once a round, with its numbers, and the crawl continues."""

from collections.abc import Callable, Sequence

import pytest

from crawldb.tables.fetches import AlarmRule, alarms, is_failure
from crawldb.tables.journal import Journal
from crawldb.tables.robots_files import closed_origins
from frontier.session import Session
from reports.numbers import report
from reports.why import url_record, why_rows
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.records import LeaseEnd
from urls.rules import Rule

HOST = "http://a.example"
RULE = AlarmRule(after=4, share=0.5)


@pytest.mark.parametrize(
    ("failed", "ended", "sounds"),
    [
        pytest.param(20, 20, True, id="57: all of twenty"),
        pytest.param(19, 19, False, id="too few to judge"),
        pytest.param(10, 20, False, id="half is not more than half"),
        pytest.param(11, 20, True, id="more than half"),
    ],
)
def test_enough_must_have_ended_and_more_than_the_share_failed(failed: int, ended: int, *, sounds: bool) -> None:
    assert AlarmRule().sounds(failed, ended) is sounds


def test_a_share_of_one_never_sounds() -> None:
    assert not AlarmRule(after=0, share=1.0).sounds(1000, 1000)


@pytest.mark.parametrize(
    ("status", "rule", "failed"),
    [
        pytest.param(200, "fetched", False, id="a page"),
        pytest.param(301, "moved", False, id="a redirect"),
        pytest.param(404, "gone", True, id="4xx"),
        pytest.param(429, "too-many-requests", True, id="429"),
        pytest.param(503, "server-error", True, id="5xx"),
        pytest.param(None, "timeout", True, id="no answer"),
        pytest.param(None, "stopped", None, id="we stopped"),
        pytest.param(None, "size", None, id="we gave up"),
        pytest.param(200, "fault", None, id="our own fault"),
    ],
)
def test_what_counts_as_a_failure_of_the_site(status: int | None, rule: str, *, failed: bool | None) -> None:
    assert is_failure(status, rule) is failed


def end(session: Session, statuses: Sequence[int | None], *, under_way: int = 0) -> None:
    """Lease the seed, give it a link each, and let each end as told; the seed itself is a page."""
    lease_all(session)
    session.store.page(a_page(SEED, links=tuple(f"{HOST}/{number}" for number in range(len(statuses) + under_way))))
    lease_all(session)
    for number, status in enumerate(statuses):
        url = f"{HOST}/{number}"
        if status == 200:
            session.store.page(a_page(url))
        else:
            session.store.outcome(an_outcome(url, LeaseEnd.FAILED, Rule.SERVER_ERROR, status=status))


def test_a_site_that_mostly_fails_has_one_row_and_one_entry(open_session: Callable[..., Session]) -> None:
    session = open_session(alarm=RULE)
    end(session, [500, 500, None, 500, 500])
    (alarm,) = alarms(session.database)
    assert (alarm.site, alarm.failed, alarm.ended) == ("a.example", 3, 4)
    (entry,) = Journal(session.database).latest(rule="alarm")
    assert entry.reason == alarm.reason
    assert "3 of 4 fetches of a.example failed" in entry.reason
    assert "./breadcrumb block --site a.example" in entry.reason
    assert entry.samples == (f"{HOST}/2", f"{HOST}/1", f"{HOST}/0")


def test_a_site_that_mostly_answers_has_none(open_session: Callable[..., Session]) -> None:
    session = open_session(alarm=RULE)
    end(session, [500, 200, 500, 200, 500])
    assert alarms(session.database) == []


def test_the_next_run_of_the_round_goes_on_counting(open_session: Callable[..., Session]) -> None:
    session = open_session(alarm=AlarmRule(5))
    end(session, [500, 500], under_way=1)  # a round of which all is put off would be over
    session.store.outcome(an_outcome(f"{HOST}/0", LeaseEnd.DEFERRED, Rule.SERVER_ERROR, status=500, retry_after=0.0))
    session.close("stopped")
    session = open_session(alarm=AlarmRule(5))
    assert alarms(session.database) == []
    lease_all(session)
    session.store.outcome(an_outcome(f"{HOST}/0", LeaseEnd.FAILED, Rule.SERVER_ERROR, status=500))
    (alarm,) = alarms(session.database)
    assert (alarm.failed, alarm.ended) == (4, 5)


def test_the_next_round_begins_without(open_session: Callable[..., Session]) -> None:
    session = open_session(alarm=RULE)
    end(session, [500] * 5)
    session.close("finished")
    assert alarms(open_session(alarm=RULE).database) == []


def test_why_and_report_tell_it(open_session: Callable[..., Session]) -> None:
    session = open_session(alarm=RULE)
    end(session, [500] * 5)
    found = url_record(session.database, f"{HOST}/1")
    assert any(row.label == "alarm" and "3 of 4 fetches" in row.text for row in why_rows(found))
    assert [alarm["site"] for alarm in report(session.database)["alarms"]] == ["a.example"]


def test_an_origin_whose_robots_txt_fails_for_a_day_is_told(session: Session) -> None:
    session.database.connection.execute(
        "INSERT INTO robots (origin, fetched_at, expires_at, state, body, reason, failing_since, failures) "
        "VALUES ('http://a.example', 1, 2, 'CLOSED', '', 'it answered 503', 1000, 9)"
    )
    assert closed_origins(session.database, now=1000 + 86_399) == []
    assert closed_origins(session.database, now=1000 + 86_400) == [("http://a.example", 1000)]
    session.database.connection.execute("UPDATE robots SET state = 'OPEN'")  # it was given up
    assert closed_origins(session.database, now=1000 + 31 * 86_400) == []
