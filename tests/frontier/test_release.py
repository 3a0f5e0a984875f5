"""Release: a verdict of a rule about traps is undone, for good and for no more than was meant."""

from collections.abc import Callable

import pytest

from frontier.budgets import release_trap
from frontier.session import Session
from frontier.takedown import block
from reports.why import url_record, why_rows
from tests.samples import SEED, a_page, accounting, lease_all
from urls.canonical import UnusableUrl
from urls.traps import Limits

LOOP = "http://a.example/x/x/x/"


def read_seed(session: Session, *links: str) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, links=links))


def test_a_released_url_is_queued_and_its_rule_does_not_hold_for_it_again(open_session: Callable[..., Session]) -> None:
    session = open_session()
    read_seed(session, LOOP, f"{LOOP}y")
    assert accounting(session)["suppressed"] == 2
    assert release_trap(session.database, LOOP).urls == 1
    assert lease_all(session) == [LOOP]
    session.store.page(a_page(LOOP, links=(f"{LOOP}z",)))
    session.close("finished")
    again = open_session(limits=Limits(max_depth=9))  # another policy: everything is judged anew
    counts = accounting(again)
    assert (counts["queued"], counts["suppressed"]) == (2, 2)


def test_a_beginning_releases_all_that_begins_so_also_what_is_found_later(session: Session) -> None:
    read_seed(session, LOOP, f"{LOOP}y", "http://a.example/z/z/z/", "http://a.example/index")
    assert release_trap(session.database, f"{LOOP}*").urls == 2
    lease_all(session)
    session.store.page(a_page("http://a.example/index", links=(f"{LOOP}later", "http://a.example/z/z/z/later")))
    assert lease_all(session) == [f"{LOOP}later"]
    assert accounting(session)["suppressed"] == 2


def test_it_is_journaled_with_what_it_let_go_and_each_of_them_tells_so(session: Session) -> None:
    read_seed(session, LOOP, f"{LOOP}y")
    release_trap(session.database, f"{LOOP}*")
    [entry] = session.store.journal.latest(rule="released-trap")
    assert (entry.count, entry.samples) == (2, (LOOP, f"{LOOP}y"))
    rows = why_rows(url_record(session.database, LOOP))
    assert any(row.label == "journal" and "released-trap" in row.text for row in rows)


def test_a_programs_pattern_stands_for_all_its_combinations(session: Session) -> None:
    goods = tuple(
        f"http://a.example/goods?{name}={value}" for value in range(20) for name in ("colour", "size", "maker")
    )
    read_seed(session, goods[0])
    while leases := session.frontier.lease(1, lambda _: 1):
        session.store.page(a_page(leases[0].url, "The same goods.", goods))
    assert accounting(session)["suppressed"] == 60 - 33, "a first page of each filter, and thirty that say the same"
    released = release_trap(session.database, "/goods?*", "a.example")
    assert (released.urls, released.patterns) == (27, 4)
    assert accounting(session)["queued"] == 27
    while leases := session.frontier.lease(1, lambda _: 1):
        session.store.page(a_page(leases[0].url, "The same goods."))
    assert accounting(session)["suppressed"] == 0, "a released pattern is not closed again"


def test_other_sites_and_other_rules_are_left_alone(session: Session) -> None:
    read_seed(session, LOOP)
    block(session.database, LOOP, "its owner asked")
    with pytest.raises(LookupError, match="no rule about traps holds"):
        release_trap(session.database, LOOP)
    assert accounting(session)["queued"] == 0


@pytest.mark.parametrize(
    ("target", "site", "error"),
    [
        pytest.param("/nothing/#", "", LookupError, id="a pattern that there is not"),
        pytest.param("http://a.example/", "", LookupError, id="a URL that was never caught"),
        pytest.param("http://a.example/" + "x" * 5000, "", LookupError, id="a URL of which only the beginning is kept"),
        pytest.param("nonsense", "", UnusableUrl, id="neither a pattern nor an address"),
    ],
)
def test_what_was_not_caught_is_told(session: Session, target: str, site: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        release_trap(session.database, target, site)
    assert session.database.count("SELECT count(*) FROM exemption") == 0
