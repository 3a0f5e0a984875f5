"""A page that may not be fetched is a result by the words of links to it alone, and only as long as that holds (71)."""

from dataclasses import replace

import pytest

from crawldb.pages.feed import Change, Feed
from crawldb.pages.link_only import is_withdrawn
from frontier.session import Session
from frontier.takedown import block, forget
from robots import controls_from
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.records import LeaseEnd, Link, Refusal
from urls.rules import Rule

HOST = "http://a.example"
CLOSED = f"{HOST}/closed"


def news(session: Session, after: int = 0) -> dict[str, Change]:
    return {change.url: change for change in Feed(session.database).after(after, 99)}


def anchors(session: Session) -> tuple[str, ...]:
    change = news(session).get(CLOSED)
    return change.page.anchors if change and change.page else ()


@pytest.fixture
def closed(session: Session) -> Session:
    """The seed links to a page that a robots.txt forbids."""
    lease_all(session)
    session.store.page(replace(a_page(SEED), links=(Link(CLOSED, "the oven"), Link(f"{HOST}/open", "open"))))
    lease_all(session)
    session.store.outcome(an_outcome(CLOSED, LeaseEnd.REFUSED, Rule.ROBOTS, requested=False))
    return session


def test_71_its_links_words_are_all_that_the_index_gets_of_it(closed: Session) -> None:
    page = news(closed)[CLOSED].page
    assert page is not None
    assert (page.anchors, page.title, page.text, page.fetched_at) == (("the oven",), "", "", 0)
    assert (page.not_fetched, page.controls.archive) == ("robots.txt forbids it", False)
    assert not is_withdrawn(closed.database, CLOSED)


def test_what_another_page_calls_it_comes_in_later(closed: Session) -> None:
    last = Feed(closed.database).last()
    closed.store.page(replace(a_page(f"{HOST}/open"), links=(Link(CLOSED, "where it is hot"),)))
    assert CLOSED in news(closed, last)
    assert set(anchors(closed)) == {"the oven", "where it is hot"}


def test_it_goes_when_no_page_links_to_it_any_more(closed: Session) -> None:
    closed.store.page(a_page(f"{HOST}/open"))
    forget(closed.database, SEED)
    assert news(closed)[CLOSED].page is None


def test_a_link_without_words_makes_no_result(session: Session) -> None:
    lease_all(session)
    session.store.page(replace(a_page(SEED), links=(Link(CLOSED, ""),)))
    lease_all(session)
    session.store.outcome(an_outcome(CLOSED, LeaseEnd.REFUSED, Rule.ROBOTS, requested=False))
    assert anchors(session) == ()


@pytest.mark.parametrize("rule", [Rule.TYPE, Rule.ADDRESS])
def test_what_another_rule_refuses_is_no_such_result(session: Session, rule: Rule) -> None:
    lease_all(session)
    session.store.page(replace(a_page(SEED), links=(Link(CLOSED, "the oven"),)))
    lease_all(session)
    session.store.outcome(an_outcome(CLOSED, LeaseEnd.REFUSED, rule, requested=False))
    assert anchors(session) == ()


def test_a_page_that_said_noindex_is_not_shown_by_its_links_either(session: Session) -> None:
    lease_all(session)
    session.store.page(replace(a_page(SEED), links=(Link(CLOSED, "the oven"),)))
    lease_all(session)
    asks = controls_from([], [("robots", "noindex")], agent="Breadcrumb")
    session.store.page(a_page(CLOSED, controls=asks, refusals=(Refusal(Rule.NOINDEX, "it says so"),)))
    session.store.outcome(an_outcome(CLOSED, LeaseEnd.REFUSED, Rule.ROBOTS, requested=False))
    assert anchors(session) == ()
    assert is_withdrawn(session.database, CLOSED)


def test_a_page_that_is_closed_later_keeps_nothing_but_what_others_say(closed: Session) -> None:
    closed.store.page(replace(a_page(f"{HOST}/open"), links=(Link(SEED, "home"),)))
    closed.store.outcome(an_outcome(f"{HOST}/open", LeaseEnd.REFUSED, Rule.ROBOTS, requested=False))
    page = news(closed)[f"{HOST}/open"].page
    assert page is not None
    assert (page.text, page.anchors) == ("", ("open",))


def test_the_page_takes_its_place_when_it_may_be_fetched(closed: Session) -> None:
    closed.store.page(a_page(CLOSED, "Now everybody may read it."))
    page = news(closed)[CLOSED].page
    assert page is not None
    assert (page.not_fetched, page.text, page.anchors) == ("", "Now everybody may read it.", ("the oven",))
    assert is_withdrawn(closed.database, CLOSED)


@pytest.mark.parametrize(
    ("fate", "rule", "more"),
    [
        (LeaseEnd.GONE, Rule.GONE, {"status": 404}),
        (LeaseEnd.MOVED, Rule.MOVED, {"target": f"{HOST}/open", "status": 301}),
    ],
)
def test_it_goes_when_it_may_be_fetched_and_there_is_no_page(
    closed: Session, fate: LeaseEnd, rule: Rule, more: dict[str, object]
) -> None:
    last = Feed(closed.database).last()
    closed.store.outcome(an_outcome(CLOSED, fate, rule, **more))
    assert news(closed, last)[CLOSED].page is None
    assert is_withdrawn(closed.database, CLOSED)


def test_what_was_never_such_a_result_costs_the_index_nothing(session: Session) -> None:
    lease_all(session)
    session.store.page(replace(a_page(SEED), links=(Link(CLOSED, "the oven"),)))
    lease_all(session)
    last = Feed(session.database).last()
    session.store.outcome(an_outcome(CLOSED, LeaseEnd.GONE, Rule.GONE, status=404))
    assert news(session, last) == {}


def test_a_person_can_have_it_forgotten(closed: Session) -> None:
    last = Feed(closed.database).last()
    _, pages = forget(closed.database, CLOSED)
    assert pages == 1
    assert news(closed, last)[CLOSED].page is None
    assert is_withdrawn(closed.database, CLOSED)


def test_a_person_can_have_it_blocked(closed: Session) -> None:
    last = Feed(closed.database).last()
    block(closed.database, CLOSED, "its owner asked")
    assert news(closed, last)[CLOSED].page is None
    assert is_withdrawn(closed.database, CLOSED)


def test_a_url_that_nobody_knows_is_no_result(session: Session) -> None:
    assert is_withdrawn(session.database, f"{HOST}/never-met")
