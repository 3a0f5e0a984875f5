"""Discovery: budgets, depth, and one row a URL however it is spelt and wherever it is found."""

from collections.abc import Callable

from crawldb.tables.journal import Journal
from frontier.discovery import Discovery, Origin
from frontier.session import Session
from tests.samples import SEED, accounting, an_outcome, lease_all
from urls.records import Fate, FoundBy
from urls.traps import Limits


def discover(session: Session, urls: list[str], depth: int = 1) -> Discovery:
    discovery = Discovery(session.database, session.policy, Journal(session.database))
    with session.database.transaction():
        discovery.discover(urls, Origin(FoundBy.LINK, 1, depth))
    return discovery


def test_every_spelling_of_a_url_is_one_row(session: Session) -> None:
    discover(session, ["http://a.example/~x", "http://A.example:80/%7Ex#1", "HTTP://a.example/./~x"])
    assert accounting(session)["discovered"] == 2


def test_a_pattern_that_a_counter_invents_has_a_budget(open_session: Callable[..., Session]) -> None:
    session = open_session(limits=Limits(pattern_pages=30))
    discover(session, [f"http://a.example/calendar?month={month}" for month in range(100)])
    assert accounting(session)["suppressed"] == 70
    [entry] = session.store.journal.latest(rule="pattern-budget")
    assert (entry.count, "PATTERN_PAGES is 30" in entry.reason) == (70, True)


def test_a_site_has_a_budget(open_session: Callable[..., Session]) -> None:
    session = open_session(limits=Limits(site_pages=10))
    discover(session, [f"http://a.example/page-{name}" for name in range(20)])
    assert accounting(session) | {"queued": 10, "suppressed": 11} == accounting(session)


def test_a_url_refused_for_its_depth_is_taken_on_a_shorter_way(open_session: Callable[..., Session]) -> None:
    session = open_session(limits=Limits(max_depth=2))
    discover(session, ["http://a.example/deep"], depth=3)
    assert accounting(session)["suppressed"] == 1
    discover(session, ["http://a.example/deep"], depth=3)
    assert accounting(session)["suppressed"] == 1
    discover(session, ["http://a.example/deep"], depth=2)
    assert accounting(session)["suppressed"] == 0


def test_an_unusable_link_is_journaled_and_has_no_row(session: Session) -> None:
    discover(session, ["mailto:a@example.org", "http://a.example:25/", "http://[::1"])
    assert accounting(session)["discovered"] == 1
    assert {entry.rule for entry in session.store.journal.latest()} == {"scheme", "port", "host"}


def test_no_password_of_an_address_is_kept_anywhere(session: Session) -> None:
    me = 'me:the <secret\'s> "word"'
    hosts = ["a.example/x", "b.example/", "a.example:25/", "a b/", "[::1", "a.example:0/", "a.example/t/t/t/"]
    discover(session, [f"{scheme}{me}@{host}" for scheme in ("http://", "http:\\\\", "ftp://") for host in hosts])
    lease_all(session)
    session.store.outcome(an_outcome(SEED, Fate.MOVED, "moved", status=302, target=f"http://{me}@b.example/"))
    session.store.outcome(an_outcome("http://a.example/x", Fate.MOVED, "moved", status=302, target=f"http://{me}@a b/"))
    assert {"credentials", "off-site", "bad-location"} <= {entry.rule for entry in session.store.journal.latest()}
    assert "secret" not in "".join(session.database.connection.iterdump())
