"""The sentences of a report are what happened: each crawl here is real, and its sentences are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crawldb.database import CrawlDatabase
from crawldb.databases import Parts
from frontier.submission import propose_block
from reports.health import LOW_DISK, crawl_health, disk_need, needs_of
from reports.numbers import report
from reports.summary import crawl_sentences
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.records import CanonicalUrl, LeaseEnd, Outcome, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from frontier.session import Session


def crawled(session: Session) -> None:
    """A home page, a page, its copy, a hidden page, one that is gone, one that robots.txt closes, and a loop."""
    lease_all(session)
    paths = ("page", "copy", "hidden", "gone", "closed", "x/x/x/")
    session.store.page(a_page(SEED, links=tuple(f"http://a.example/{path}" for path in paths)))
    lease_all(session)
    session.store.page(a_page("http://a.example/page", "said once"))
    copy = (Refusal(Rule.DUPLICATE, "because"),)
    session.store.page(
        a_page("http://a.example/copy", "said once", refusals=copy, duplicate_of=CanonicalUrl("http://a.example/page"))
    )
    session.store.page(a_page("http://a.example/hidden", refusals=(Refusal(Rule.NOINDEX, "because"),)))
    session.store.outcome(an_outcome("http://a.example/gone", LeaseEnd.GONE, Rule.GONE, status=404))
    closed = CanonicalUrl("http://a.example/closed")
    session.store.outcome(Outcome(closed, LeaseEnd.REFUSED, Rule.ROBOTS, "line 2", requested=False))


def test_a_crawl_is_told_as_it_was(session: Session) -> None:
    crawled(session)
    assert crawl_sentences(report(session.database))[0].startswith("A crawl is running since 20")
    session.close("finished")
    with CrawlDatabase(session.database.path.parent, readonly=True) as database:
        began, *told = crawl_sentences(report(database))
    assert "and finished: 5 requests" in began
    assert told[:-1] == [
        "It fetched 4 pages. 1 URL returned 404 or 410.",
        "7 URLs discovered: 4 done, 1 failed, 0 waiting, 2 skipped.",
        "1 URL skipped: parts of its path repeat.",
        "1 URL skipped: its robots.txt disallows it; the reason names the line.",
        "4 pages stored, 2 of them can be found; not indexed: 1 exact copy and 1 noindex page.",
    ]
    assert told[-1].startswith("Traps and copies: 1 response without new content, 9 bytes and ")


def test_several_urls_that_one_rule_skipped_share_a_sentence(session: Session) -> None:
    closed = [CanonicalUrl(f"{SEED}{name}") for name in ("one", "two")]
    lease_all(session)
    session.store.page(a_page(SEED, links=tuple(closed)))
    lease_all(session)
    for url in closed:
        session.store.outcome(Outcome(url, LeaseEnd.REFUSED, Rule.ROBOTS, "line 2", requested=False))
    sentence = "2 URLs skipped, each because its robots.txt disallows it; the reason names the line."
    assert sentence in crawl_sentences(report(session.database))


def test_a_url_that_was_requested_to_learn_about_its_site_is_not_skipped(session: Session) -> None:
    crawled(session)
    numbers = report(session.database)
    numbers["urls"]["suppressed"] += 3
    numbers["suppressed"] |= {"probe": 2, "stylesheet": 1}
    told = crawl_sentences(numbers)
    assert "7 URLs discovered: 4 done, 1 failed, 0 waiting, 2 skipped, 3 requested only to learn about a site." in told
    assert not [sentence for sentence in told if "skipped: it was requested" in sentence]


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("shutdown", "shutdown"),
        ("disk full", "disk full"),
        ("killed", "killed, stopped twice, or its disk failed"),  # a run without an end says no more
    ],
)
def test_a_run_that_was_killed_or_stopped_is_told_so(session: Session, ending: str, told: str) -> None:
    session.close(ending)
    with CrawlDatabase(session.database.path.parent, readonly=True) as database:
        numbers = report(database)
    assert f"did not finish ({told})" in crawl_sentences(numbers)[0]
    [need] = needs_of(numbers, numbers["last_run"])
    assert f"stopped before the end of its round ({told}), 1 URL left. Committed pages are safe" in need.text
    assert need.remedies[0].command == "./breadcrumb crawl site"


def test_who_waits_for_a_person_comes_first_with_the_command_that_helps(session: Session) -> None:
    crawled(session)
    with Parts.in_folder(session.database.path.parent) as parts:
        propose_block(parts, "http://a.example/", "it is\nmine", "me@a.example", 5)
        need = crawl_health(parts, session.database.path.parent, for_admin=True).needs[0]
    assert need.text.startswith("A visitor asks to block a.example (1 time, last on 20")
    assert need.words == "it is mine (me@a.example)"
    commands = [remedy.command for remedy in need.remedies]
    assert commands == [
        "./breadcrumb block --site a.example --reason 'its owner asked'",
        "./breadcrumb block --decline --site a.example",
    ]
    assert need.remedies[0].action == "block"


def test_an_index_that_is_behind_is_told_unless_a_crawl_is_at_work() -> None:
    quiet: Any = {"faults": {}, "alarms": [], "closed": {}}
    running = {"running": True, "ending": None, "started_at": 0.0, "waiting": 0}
    [need] = needs_of(quiet, None, behind=1)
    assert "lacks 1 change" in need.text
    assert need.remedies[0].command == "./breadcrumb index"
    assert needs_of(quiet, running, behind=1) == []


def test_a_disk_with_room_needs_nobody() -> None:
    assert disk_need(LOW_DISK) == []
    [need] = disk_need(LOW_DISK - 1)
    assert "536.9 MB left" in need.text
