"""An option is switched on and off over both names of pages: nothing is lost or counted twice."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from crawldb.pages.feed import Feed
from crawldb.tables.journal import Journal
from crawldb.tables.links import anchors_of
from crawldb.tables.sites import options_of, switch_off, switch_on
from frontier.aliases import merge_aliases
from frontier.rounds import end_run
from frontier.session import Session
from reports.why import url_record
from tests.samples import SEED, a_page, accounting, an_outcome, lease_all
from urls.canonical import canonicalize
from urls.records import LeaseEnd, Link
from urls.rules import Rule
from urls.site_options import SiteOption, chosen_option

INDEX = "http://a.example/index.html"


@pytest.fixture
def crawled(session: Session) -> Session:
    lease_all(session)
    page = a_page(SEED)
    links = (Link(INDEX, "the front page"), Link("http://a.example/x/index.html", "x"), Link("http://a.example/y", "y"))
    session.store.page(a_page(SEED, links=tuple(link.url for link in links)))
    lease_all(session)
    for url in (INDEX, "http://a.example/x/index.html", "http://a.example/y"):
        session.store.page(a_page(url, page.text if url == INDEX else ""))
    return session


def switch(session: Session, *, on: bool) -> tuple[int, int]:
    """What `suggest` does, on the database of a session."""
    with session.database.transaction():
        if on:
            switch_on(session.database, "a.example", [chosen_option("index-page")])
        else:
            switch_off(session.database, "a.example", SiteOption.INDEX_PAGE)
        return merge_aliases(session.database, replace(session.policy, options=options_of(session.database)))


def state(session: Session, url: str) -> object:
    return session.database.connection.execute("SELECT state, rule FROM url WHERE url = ?", (url,)).fetchone()


def test_an_alias_is_suppressed_and_its_page_leaves(crawled: Session) -> None:
    last = Feed(crawled.database).last()
    assert switch(crawled, on=True) == (2, 0)
    assert accounting(crawled)["suppressed"] == 2
    assert state(crawled, INDEX) == (4, "alias")
    gone = {change.url for change in Feed(crawled.database).after(last, 9) if change.page is None}
    assert {INDEX, "http://a.example/x/index.html"} <= gone
    [entry] = Journal(crawled.database).latest(rule="alias")
    assert (entry.count, entry.reason) == (2, "option index-page of a.example: the index page is its folder")


def test_a_name_that_was_never_met_is_queued(crawled: Session) -> None:
    switch(crawled, on=True)
    assert lease_all(crawled) == ["http://a.example/x/"]


def test_the_one_name_has_the_links_of_its_alias(crawled: Session) -> None:
    switch(crawled, on=True)
    identity = crawled.database.count("SELECT id FROM url WHERE url = 'http://a.example/x/'")
    assert anchors_of(crawled.database, identity, 9) == ("a link",)


def test_why_tells_of_the_one_name_and_which_option_leads_there(crawled: Session) -> None:
    switch(crawled, on=True)
    found = url_record(crawled.database, INDEX)
    assert found.canonical == SEED
    assert found.steps[-1].rule == "option index-page of a.example: the index page is its folder"
    assert found.page is not None


def test_switched_off_again_the_aliases_are_asked_for(crawled: Session) -> None:
    switch(crawled, on=True)
    assert switch(crawled, on=False) == (0, 2)
    assert {INDEX, "http://a.example/x/index.html"} <= set(lease_all(crawled))
    assert accounting(crawled)["suppressed"] == 0
    assert [entry.count for entry in Journal(crawled.database).latest(rule="released")] == [2]


def test_switched_off_again_a_trap_is_one_as_before(crawled: Session) -> None:
    trap = "http://a.example/t/t/t/index.html"
    crawled.store.page(a_page("http://a.example/y", "new words", links=(trap,)))
    assert state(crawled, trap) == (4, "repeated-path")
    assert switch(crawled, on=True)[0] == 3
    assert switch(crawled, on=False) == (0, 2)
    assert state(crawled, trap) == (4, "repeated-path")
    assert "repeated-path" in [entry.rule for entry in url_record(crawled.database, trap).journal]


def test_to_settle_twice_changes_nothing(crawled: Session) -> None:
    switch(crawled, on=True)
    assert switch(crawled, on=True) == (0, 0)


def test_an_alias_in_the_root_set_hands_its_place_on(open_session: Callable[..., Session]) -> None:
    session = open_session(INDEX)
    switch(session, on=True)
    assert state(session, SEED) == (0, None)
    assert session.database.value("SELECT seed FROM url WHERE url = ?", SEED) == 1


def test_a_crawl_that_runs_meanwhile_obeys_at_its_next_store(crawled: Session) -> None:
    crawled.store.page(a_page("http://a.example/y", "new words", links=("http://a.example/z/index.html",)))
    assert lease_all(crawled) == ["http://a.example/z/index.html"]
    switch(crawled, on=True)
    crawled.store.page(a_page("http://a.example/z/index.html"))
    assert state(crawled, "http://a.example/z/index.html") == (4, "alias")
    assert sorted(lease_all(crawled)) == ["http://a.example/x/", "http://a.example/z/"]
    crawled.store.page(a_page("http://a.example/z/", links=("http://a.example/q/index.html",)))
    assert lease_all(crawled) == ["http://a.example/q/"]
    assert accounting(crawled)["suppressed"] == 3


def test_a_redirect_to_its_own_alias_is_told_with_the_option_that_makes_it_a_loop(
    crawled: Session, open_session: Callable[..., Session]
) -> None:
    switch(crawled, on=True)
    lease_all(crawled)
    target = "http://a.example/x/index.html"
    crawled.store.outcome(an_outcome("http://a.example/x/", LeaseEnd.MOVED, Rule.MOVED, target=target, status=301))
    assert state(crawled, "http://a.example/x/") == (3, "redirect-loop")
    reason = Journal(crawled.database).latest(rule="redirect-loop")[0].reason
    assert "option index-page of a.example: the index page is its folder" in reason
    switch(crawled, on=False)
    crawled.close("finished")
    crawled = open_session(SEED)
    assert target in lease_all(crawled)


def test_options_of_a_seeds_file_hold_from_the_next_run_on(
    crawled: Session, open_session: Callable[..., Session]
) -> None:
    crawled.close("finished")
    session = open_session(options={"a.example": (chosen_option("index-page"),)})
    assert state(session, INDEX) == (4, "alias")
    assert not session.run.same_policy
    session.close("finished")
    again = open_session(options={"a.example": ()})
    assert state(again, INDEX) == (0, None)
    assert accounting(again)["suppressed"] == 0


def test_what_a_person_chose_is_not_undone_by_a_seeds_file(
    crawled: Session, open_session: Callable[..., Session]
) -> None:
    switch(crawled, on=True)
    crawled.close("finished")
    session = open_session(options={"a.example": (chosen_option("tracking"),)})
    assert {option for _, option, _ in options_of(session.database).sorted_choices()} == {"index-page", "tracking"}


def test_the_next_round_does_not_ask_for_aliases(crawled: Session, open_session: Callable[..., Session]) -> None:
    switch(crawled, on=True)
    end_run(crawled.database, crawled.run, "finished")
    crawled.database.close()
    crawled._lock.release()
    session = open_session()
    assert INDEX not in lease_all(session)
    assert canonicalize(INDEX) == INDEX
