"""A person forgets or blocks a target: its effects, and how to write the target."""

from dataclasses import replace

import pytest

from crawldb.pages.feed import Feed
from crawldb.pages.pages import is_blocked_or_gone
from crawldb.tables.blocks import blacklist
from crawldb.tables.urls import State
from frontier.job import CrawlJob
from frontier.leases import Frontier
from frontier.rounds import add_seeds, begin_run, end_run
from frontier.session import Session
from frontier.submission import submit
from frontier.takedown import block, forget, unblock
from reports.why import url_record
from tests.samples import SEED, a_page, accounting, an_outcome, lease_all
from urls.blacklist import Target, TargetKind, target_of
from urls.canonical import Scope, UnusableUrl, canonicalize
from urls.policy import Policy
from urls.records import FoundBy, LeaseEnd, Link, Refusal
from urls.rules import Rule


@pytest.fixture
def crawled(session: Session) -> Session:
    lease_all(session)
    session.store.page(a_page(SEED, links=("http://a.example/x/1", "http://a.example/x/2", "http://a.example/y")))
    lease_all(session)
    session.store.page(a_page("http://a.example/x/1"))
    session.store.page(a_page("http://a.example/y"))
    return session


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("http://A.example:80/x", Target(TargetKind.URL, "http://a.example/x")),
        ("A.example", Target(TargetKind.SITE, "a.example")),
        ("a.example:8080", Target(TargetKind.SITE, "a.example:8080")),
        ("a.example/", Target(TargetKind.SITE, "a.example")),
        ("a.example:443", Target(TargetKind.SITE, "a.example")),
        ("[::1]:8080", Target(TargetKind.SITE, "[::1]:8080")),
    ],
)
def test_a_target_is_a_site_or_a_url(text: str, target: Target) -> None:
    assert target_of(text) == target


@pytest.mark.parametrize("text", ["", "two words", "ftp://a.example/", "a.example:port"])
def test_what_is_neither_is_told(text: str) -> None:
    with pytest.raises(UnusableUrl):
        target_of(text)


def test_a_forgotten_page_is_gone_at_once_and_may_come_back(crawled: Session) -> None:
    last = Feed(crawled.database).last()
    assert forget(crawled.database, "http://a.example/y") == (Target(TargetKind.URL, "http://a.example/y"), 1)
    assert is_blocked_or_gone(crawled.database, "http://a.example/y")
    assert not is_blocked_or_gone(crawled.database, SEED)
    assert [(change.url, change.page) for change in Feed(crawled.database).after(last, 9)] == [
        ("http://a.example/y", None)
    ]
    assert crawled.policy.check("http://a.example/y").refusal is None


def test_a_blocked_folder_is_gone_suppressed_and_stays_so(crawled: Session) -> None:
    target, pages = block(crawled.database, "http://a.example/x/*", "its owner asked")
    assert (str(target), pages) == ("the folder http://a.example/x/", 1)
    assert accounting(crawled)["suppressed"] == 2
    assert blacklist(crawled.database).patterns == {"http://a.example/x/*": "its owner asked"}


def test_a_blocked_site_is_gone_as_a_whole(crawled: Session) -> None:
    assert block(crawled.database, "a.example", "")[1] == 3
    assert accounting(crawled)["suppressed"] == 4
    assert lease_all(crawled) == []
    assert crawled.database.count("SELECT count(*) FROM page") == 0


def test_a_page_that_is_blocked_while_it_is_fetched_is_not_kept(crawled: Session) -> None:
    block(crawled.database, "a.example", "its owner asked")
    crawled.store.page(a_page("http://a.example/x/2"))
    assert crawled.database.count("SELECT count(*) FROM page") == 0
    assert accounting(crawled)["suppressed"] == 4


def test_links_to_what_was_blocked_meanwhile_are_refused(crawled: Session) -> None:
    block(crawled.database, "http://a.example/x/*", "")
    crawled.store.page(a_page("http://a.example/y", "new", links=("http://a.example/x/3",)))
    assert lease_all(crawled) == []
    assert crawled.database.value("SELECT rule FROM url WHERE url LIKE '%/x/3'") == "blocked"


def test_what_is_taken_off_the_blacklist_is_queued_again(crawled: Session) -> None:
    block(crawled.database, "http://a.example/x/*", "")
    assert unblock(crawled.database, "http://a.example/x/*") == (Target(TargetKind.PATTERN, "http://a.example/x/*"), 2)
    assert sorted(lease_all(crawled)) == ["http://a.example/x/1", "http://a.example/x/2"]
    assert accounting(crawled)["suppressed"] == 0
    with pytest.raises(LookupError, match="is not on the blacklist"):
        unblock(crawled.database, "http://a.example/x/*")


def test_what_another_entry_still_blocks_is_not_queued(crawled: Session) -> None:
    block(crawled.database, "http://a.example/x/*", "")
    block(crawled.database, "http://a.example/*1", "")
    assert unblock(crawled.database, "http://a.example/x/*")[1] == 1
    assert lease_all(crawled) == ["http://a.example/x/2"]
    assert accounting(crawled)["suppressed"] == 1


def test_a_site_that_is_submitted_during_a_crawl_is_in_its_scope(crawled: Session) -> None:
    add_seeds(crawled.database, Policy(Scope(frozenset({"b.example"}))), None, ["http://b.example/"], by=FoundBy.SUBMIT)
    [lease] = Frontier(crawled.database).lease(9, lambda _: 9)
    assert (lease.url, lease.seed) == ("http://b.example/", True)
    crawled.store.page(a_page("http://b.example/", links=("http://b.example/more",)))
    assert crawled.database.value("SELECT state FROM url WHERE url = 'http://b.example/more'") == State.QUEUED


def test_what_was_refused_before_is_blocked_as_well(crawled: Session) -> None:
    crawled.store.outcome(an_outcome("http://a.example/x/2", LeaseEnd.REFUSED, Rule.ROBOTS, requested=False))
    block(crawled.database, "a.example", "")
    end_run(crawled.database, crawled.run, "finished")
    begin_run(crawled.database, CrawlJob())
    assert lease_all(crawled) == []
    assert accounting(crawled)["suppressed"] == 4


@pytest.mark.parametrize("fate", list(LeaseEnd))
def test_no_outcome_of_a_fetch_under_way_undoes_a_block(crawled: Session, fate: LeaseEnd) -> None:
    block(crawled.database, "a.example", "")
    crawled.store.outcome(an_outcome("http://a.example/x/2", fate, retry_after=0.0, target="http://a.example/z"))
    assert accounting(crawled)["suppressed"] == 4
    assert lease_all(crawled) == []


def test_the_copy_of_a_forgotten_page_takes_its_place(crawled: Session) -> None:
    copy = a_page("http://a.example/x/2", etag='"1"', refusals=(Refusal(Rule.DUPLICATE, "of y"),))
    crawled.store.page(replace(copy, duplicate_of=canonicalize("http://a.example/y")))
    last = Feed(crawled.database).last()
    forget(crawled.database, "http://a.example/y")
    changes = {str(change.url): change.page is not None for change in Feed(crawled.database).after(last, 9)}
    assert changes == {"http://a.example/y": False, "http://a.example/x/2": True}


def test_the_words_of_a_forgotten_page_no_longer_describe_what_it_linked_to(crawled: Session) -> None:
    crawled.store.page(replace(a_page("http://a.example/y"), links=(Link("http://a.example/x/1", "a secret word"),)))
    last = Feed(crawled.database).last()
    forget(crawled.database, "http://a.example/y")
    pages = {str(change.url): change.page for change in Feed(crawled.database).after(last, 9)}
    page = pages["http://a.example/x/1"]
    assert page is not None
    assert page.anchors == ("a link",)


@pytest.fixture
def visited_again(crawled: Session) -> Session:
    """A second round in which two pages are under way, one that is stored and one that never was."""
    crawled.store.page(a_page("http://a.example/x/2"))
    end_run(crawled.database, crawled.run, "finished")
    crawled.store.writer.leases.run = crawled.run = begin_run(crawled.database, CrawlJob())
    lease_all(crawled)
    crawled.store.page(a_page(SEED, "new", links=("http://a.example/new",)))
    assert lease_all(crawled) == ["http://a.example/new"]
    return crawled


UNDER_WAY = ["http://a.example/y", "http://a.example/new"]


@pytest.mark.parametrize("url", UNDER_WAY)
@pytest.mark.parametrize("target", ["itself", "a.example"])
def test_a_page_that_is_forgotten_while_it_is_fetched_stays_away_until_the_next_round(
    visited_again: Session, url: str, target: str
) -> None:
    database = visited_again.database
    forget(database, url if target == "itself" else target)
    visited_again.store.page(a_page(url, links=("http://a.example/more",)))
    assert is_blocked_or_gone(database, url)
    assert database.value("SELECT rule FROM fetch ORDER BY id DESC LIMIT 1") == "forgotten", "it was asked for"
    assert database.value("SELECT 1 FROM url WHERE url LIKE '%more'") is None
    assert url not in lease_all(visited_again)
    assert not accounting(visited_again)["suppressed"]
    database.connection.execute("UPDATE round SET closed_at = 1")
    begin_run(database, CrawlJob())
    assert url in lease_all(visited_again)


@pytest.mark.parametrize("fate", list(LeaseEnd))
def test_no_outcome_of_a_fetch_under_way_undoes_a_forget(visited_again: Session, fate: LeaseEnd) -> None:
    forget(visited_again.database, "http://a.example/y")
    visited_again.store.outcome(an_outcome("http://a.example/y", fate, retry_after=0.0, target="http://a.example/z"))
    assert lease_all(visited_again) == []
    found = url_record(visited_again.database, "http://a.example/y")
    assert (found.state, found.rule, found.journal[-1].rule) == ("done", "forgotten", "forgotten")
    assert "The next round requests it again" in found.advice


def test_what_is_queued_of_a_forgotten_site_waits_for_the_next_round_and_a_kill_changes_nothing(
    crawled: Session,
) -> None:
    assert forget(crawled.database, "a.example")[1] == 3
    assert accounting(crawled) == {"discovered": 4, "queued": 0, "leased": 0, "done": 4, "failed": 0, "suppressed": 0}
    begin_run(crawled.database, CrawlJob())  # as after a kill: the round is still open
    assert lease_all(crawled) == []
    end_run(crawled.database, crawled.run, "finished")
    begin_run(crawled.database, CrawlJob())
    assert len(lease_all(crawled)) == 4


def test_what_is_queued_in_no_round_is_left_to_the_next(crawled: Session) -> None:
    crawled.database.connection.execute("UPDATE round SET closed_at = 1")
    crawled.database.connection.execute("UPDATE url SET state = 0 WHERE url LIKE '%/2'")
    forget(crawled.database, "a.example")
    assert lease_all(crawled) == ["http://a.example/x/2"]


@pytest.mark.parametrize("url", [*UNDER_WAY, "http://a.example/"])
def test_a_submit_brings_a_forgotten_page_back_in_the_same_round(visited_again: Session, url: str) -> None:
    forget(visited_again.database, url)
    [submission] = submit(visited_again.database, visited_again.policy, [url])
    assert (submission.accepted, submission.state) == (True, "queued")
    assert lease_all(visited_again) == [url]
    visited_again.store.page(a_page(url, "all new"))
    assert not is_blocked_or_gone(visited_again.database, url)


def test_an_unchanged_page_that_was_forgotten_and_submitted_meanwhile_is_asked_for_as_a_whole(
    visited_again: Session,
) -> None:
    url = "http://a.example/y"
    forget(visited_again.database, url)
    submit(visited_again.database, visited_again.policy, [url])
    unchanged = an_outcome(url, LeaseEnd.NOT_MODIFIED, Rule.NOT_MODIFIED, status=304, conditional=True)
    visited_again.store.outcome(unchanged)
    assert lease_all(visited_again) == [url]
    visited_again.store.outcome(replace(unchanged, conditional=False))
    assert lease_all(visited_again) == [], "a server that always says so has failed"
    assert url_record(visited_again.database, url).rule == "protocol"


def test_other_pages_that_are_under_way_are_kept(visited_again: Session) -> None:
    forget(visited_again.database, "http://a.example/y")
    visited_again.store.page(a_page("http://a.example/new"))
    assert not is_blocked_or_gone(visited_again.database, "http://a.example/new")
