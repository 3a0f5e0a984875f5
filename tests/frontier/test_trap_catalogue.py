"""Traps that end because every spelling of a URL is one, or because a known page's links are not followed."""

import pytest

from frontier.session import Session
from tests.samples import SEED, a_page, accounting, lease_all
from urls.records import Refusal
from urls.rules import Rule


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
