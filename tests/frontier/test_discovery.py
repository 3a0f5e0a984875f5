"""Discovery: budgets, depth, one row a URL however it is spelt, and the links of traps that end by that."""

from collections.abc import Callable

import pytest

from crawldb.tables.journal import REASONS, Journal
from frontier.discovery import Discovery, Provenance
from frontier.session import Session
from reports.traps import catches
from reports.why import url_record
from tests.samples import SEED, a_page, accounting, an_outcome, lease_all
from urls.records import FoundBy, LeaseEnd, Refusal
from urls.rules import Rule
from urls.traps import Limits


def discover(session: Session, urls: list[str], depth: int = 1) -> Discovery:
    discovery = Discovery(session.database, session.policy, Journal(session.database))
    with session.database.transaction():
        discovery.discover(urls, Provenance(FoundBy.LINK, 1, depth))
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


def test_each_refused_url_has_the_reason_of_its_own_pattern(open_session: Callable[..., Session]) -> None:
    session = open_session(limits=Limits(pattern_pages=30))
    asked = {name: [f"http://a.example/lamps?{name}={number}" for number in range(32)] for name in ("foot", "sort")}
    discover(session, [url for urls in asked.values() for url in urls])
    for name, urls in asked.items():
        [entry] = url_record(session.database, urls[-1]).journal
        assert f"look like /lamps?{name}:" in entry.reason
        assert entry.samples == tuple(urls[30:])
    assert {catch.pattern for catch in catches(session.database) if catch.pattern in catch.reason} == {
        "/lamps?foot",
        "/lamps?sort",
    }


def test_a_page_of_many_reasons_has_a_bounded_number_of_rows(session: Session) -> None:
    discover(session, [f"http://a.example/{'x' * length}" for length in range(1900, 1950)])
    entries = session.store.journal.latest(rule=Rule.URL_LENGTH)
    assert len(entries) == REASONS + 1
    assert sum(entry.count for entry in entries) == 50
    assert entries[0].reason == Rule.URL_LENGTH.meaning
    assert accounting(session)["suppressed"] == 50


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
    session.store.outcome(an_outcome(SEED, LeaseEnd.MOVED, Rule.MOVED, status=302, target=f"http://{me}@b.example/"))
    session.store.outcome(
        an_outcome("http://a.example/x", LeaseEnd.MOVED, Rule.MOVED, status=302, target=f"http://{me}@a b/")
    )
    assert {"credentials", "off-site", "bad-location"} <= {entry.rule for entry in session.store.journal.latest()}
    assert "secret" not in "".join(session.database.connection.iterdump())


def links(session: Session, *found: str) -> list[str]:
    """Store the seed with links; return what the crawl will ask for because of them."""
    lease_all(session)
    session.store.page(a_page(SEED, links=found))
    return lease_all(session)


@pytest.mark.parametrize(
    ("found", "asked"),
    [
        pytest.param(
            [f"http://a.example/{'../' * up}ok" for up in range(200)], ["http://a.example/ok"], id="trap-009 above root"
        ),
        pytest.param(
            ["http://a.example/OK", "http://a.example/%6Fk", "http://a.example/./ok", "http://A.EXAMPLE/ok"],
            ["http://a.example/OK", "http://a.example/ok"],
            id="trap-010 case and escape variants",
        ),
        pytest.param([f"http://a.example/#{number}" for number in range(1000)], [], id="a thousand fragments"),
    ],
)
def test_every_spelling_is_one_url(session: Session, found: list[str], asked: list[str]) -> None:
    assert links(session, *found) == asked
    accounting(session)


@pytest.mark.parametrize(
    "found",
    [
        pytest.param("http://a.example/loop/loop/loop/", id="trap-005 symlink loop"),
        pytest.param("http://a.example/a/b/a/b/a/b/", id="trap-004 ever deeper path"),
    ],
)
def test_a_path_in_a_rhythm_is_suppressed_and_counted(session: Session, found: str) -> None:
    assert links(session, found) == []
    assert accounting(session)["suppressed"] == 1
    assert session.store.journal.latest(rule="repeated-path")[0].samples == (found,)


def test_a_row_about_several_urls_counts_them(session: Session) -> None:
    sheets = (f"{SEED}print.css", f"{SEED}screen.css")
    with session.database.transaction():
        session.store.journal.write(None, Rule.STYLESHEET, "it names 2 stylesheets", sheets)
    [entry] = session.store.journal.latest(rule="stylesheet")
    assert (entry.count, entry.samples) == (2, sheets)


def test_a_path_without_a_rhythm_ends_where_its_pages_are_copies(session: Session) -> None:
    [deeper] = links(session, "http://a.example/a/")
    copy = (Refusal(Rule.DUPLICATE, "it says the same"),)
    session.store.page(a_page(deeper, links=(f"{deeper}a/", f"{deeper}b/"), refusals=copy))
    assert lease_all(session) == []
    assert session.store.journal.latest(rule="links-not-followed")[0].count == 2


def test_a_page_of_a_hundred_thousand_links_queues_what_its_patterns_allow(session: Session) -> None:
    links(session, *(f"http://a.example/wide/{number}" for number in range(5000)))
    counts = accounting(session)
    assert (counts["queued"] + counts["leased"], counts["suppressed"]) == (200, 4800)
    [entry] = session.store.journal.latest(rule="pattern-budget")
    assert (entry.count, len(entry.samples)) == (4800, 10)


def test_a_page_that_refreshes_to_itself_is_asked_for_once(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, refresh=(0, SEED)))
    assert lease_all(session) == []
    assert accounting(session)["done"] == 1
