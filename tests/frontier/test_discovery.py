"""Discovery: budgets, depth, one row a URL however it is spelt, and the memory of spellings before the disk."""

import sys
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from crawldb.tables.journal import Journal
from frontier.discovery import ENTRY_OCTETS, LONGEST_SPELLING, Discovery, Provenance, Spellings
from frontier.session import Session
from tests.samples import SEED, accounting, an_outcome, lease_all
from urls.records import Fate, FoundBy
from urls.rules import Rule
from urls.traps.shape import Limits


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
    session.store.outcome(an_outcome(SEED, Fate.MOVED, Rule.MOVED, status=302, target=f"http://{me}@b.example/"))
    session.store.outcome(
        an_outcome("http://a.example/x", Fate.MOVED, Rule.MOVED, status=302, target=f"http://{me}@a b/")
    )
    assert {"credentials", "off-site", "bad-location"} <= {entry.rule for entry in session.store.journal.latest()}
    assert "secret" not in "".join(session.database.connection.iterdump())


@given(st.lists(st.tuples(st.text(max_size=20), st.integers(1, 9))), st.integers(500, 5000))
def test_it_forgets_and_never_errs(met: list[tuple[str, int]], octets: int) -> None:
    spellings, truth = Spellings(octets), dict[str, int]()
    for spelling, known in met:
        spellings.put(spelling, known)
        truth[spelling] = known
        assert spellings.get(spelling) == known
    assert all(spellings.get(spelling) in {None, known} for spelling, known in truth.items())


def test_its_memory_is_bounded_whatever_it_meets() -> None:
    spellings = Spellings(1_000_000)
    for number in range(100_000):
        spellings.put(f"http://a.example/{number}", number)
    assert len(spellings) * ENTRY_OCTETS < 1_000_000
    held = sys.getsizeof(spellings._young) + sys.getsizeof(spellings._old)
    held += sum(sys.getsizeof(spelling) + 32 for each in (spellings._young, spellings._old) for spelling in each)
    assert held < 1_000_000


def test_what_is_met_again_and_again_is_kept() -> None:
    spellings = Spellings(20_000)
    spellings.put("http://a.example/", 1)
    for number in range(1000):
        spellings.put(f"http://a.example/{number}", number)
        assert spellings.get("http://a.example/") == 1
    assert spellings.get("http://a.example/0") is None


def test_an_overlong_spelling_is_not_kept() -> None:
    spellings = Spellings()
    spellings.put("x" * (LONGEST_SPELLING + 1), 1)
    assert len(spellings) == 0
