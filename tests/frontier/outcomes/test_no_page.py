"""A page that is as it was, under headers that are not: the latest wish of its server holds."""

from dataclasses import replace
from typing import Any

import pytest

from crawldb.pages.feed import Feed
from crawldb.pages.pages import Pages
from frontier.session import Session
from robots import controls_from, wishes_from
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.records import LeaseEnd, Refusal
from urls.rules import Rule

HEADER = "X-Robots-Tag"


def controls(*lines: str, meta: str = "") -> object:
    return controls_from([(HEADER, line) for line in lines], [("robots", meta)], agent="Breadcrumb")


def page_then_304(session: Session, before: object, *lines: str, **fields: Any) -> int:
    """Store the seed, end its next lease with a 304 of these header lines; return the feed's number in between."""
    lease_all(session)
    session.store.page(a_page(SEED, controls=before, etag='"1"', **fields))
    last = Feed(session.database).last()
    wishes = wishes_from([(HEADER, line) for line in lines], agent="Breadcrumb") if lines else None
    session.store.outcome(an_outcome(SEED, LeaseEnd.NOT_MODIFIED, Rule.NOT_MODIFIED, status=304, wishes=wishes))
    return last


def rules(session: Session) -> list[str]:
    return [entry.rule for entry in session.store.journal.latest()]


@pytest.mark.parametrize(
    ("line", "rule"),
    [("noindex", "noindex"), ("none", "noindex"), ("unavailable_after: 1 Jan 1970 00:00:00 GMT", "expired")],
)
def test_a_page_leaves_the_results_by_a_header_alone(session: Session, line: str, rule: str) -> None:
    last = page_then_304(session, controls(), line)
    [change] = Feed(session.database).after(last, 10)
    assert change.page is None
    stored = Pages(session.database).get(SEED)
    assert stored is not None
    assert [refusal.rule for refusal in stored.refusals] == [rule]
    assert (stored.text, Pages(session.database).body(SEED), stored.etag) == ("", None, "")
    assert rules(session) == [rule, "controls"]


def test_a_copy_takes_the_place_of_a_page_that_leaves_by_a_header(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, "same", links=(f"{SEED}copy",)))
    lease_all(session)
    copy = a_page(f"{SEED}copy", "same", refusals=(Refusal(Rule.DUPLICATE, "of /"),))
    session.store.page(replace(copy, duplicate_of=SEED))
    wishes = wishes_from([(HEADER, "noindex")], agent="Breadcrumb")
    session.store.outcome(an_outcome(SEED, LeaseEnd.NOT_MODIFIED, Rule.NOT_MODIFIED, wishes=wishes))
    shown = {change.url for change in Feed(session.database).after(0, 10) if change.page is not None}
    assert shown == {f"{SEED}copy"}


def test_a_copy_stays_out_when_the_page_that_it_repeats_goes_and_it_says_noindex_itself(session: Session) -> None:
    lease_all(session)
    session.store.page(a_page(SEED, "same", links=(f"{SEED}copy",)))
    lease_all(session)
    copy = a_page(f"{SEED}copy", "same", refusals=(Refusal(Rule.DUPLICATE, "of /"),))
    session.store.page(replace(copy, duplicate_of=SEED))
    wishes = wishes_from([(HEADER, "noindex")], agent="Breadcrumb")
    session.store.outcome(an_outcome(f"{SEED}copy", LeaseEnd.NOT_MODIFIED, Rule.NOT_MODIFIED, wishes=wishes))
    session.store.outcome(an_outcome(SEED, LeaseEnd.GONE, Rule.GONE, status=404))
    assert [change.page for change in Feed(session.database).after(0, 10)] == [None, None]


def test_what_the_page_itself_said_stays(session: Session) -> None:
    page_then_304(session, controls("nosnippet", meta="noarchive"), "max-snippet: 20")
    stored = Pages(session.database).get(SEED)
    assert stored is not None
    assert (stored.controls.archive, stored.controls.snippet, stored.refusals) == (False, 20, ())
    assert [str(wish) for wish in stored.controls.wishes] == [
        "max-snippet: 20, from X-Robots-Tag: max-snippet: 20",
        'noarchive, from <meta name="robots">',
    ]


def test_a_header_that_no_longer_says_noindex_has_the_whole_page_read_again(session: Session) -> None:
    refusal = Refusal(Rule.NOINDEX, "it says so")
    page_then_304(session, controls("noindex"), "all", refusals=(refusal,))
    stored = Pages(session.database).get(SEED)
    assert stored is not None
    assert (stored.controls.index, stored.refusals, stored.etag) == (True, (refusal,), "")


def test_an_answer_without_such_a_header_and_one_with_the_same_change_nothing(session: Session) -> None:
    last = page_then_304(session, controls("noarchive"))
    wishes = wishes_from([(HEADER, "noarchive")], agent="Breadcrumb")
    session.store.outcome(an_outcome(SEED, LeaseEnd.NOT_MODIFIED, Rule.NOT_MODIFIED, wishes=wishes))
    assert list(Feed(session.database).after(last, 10)) == []
    assert rules(session) == []


def test_78_a_noindex_that_robots_txt_hides_from_now_on_is_told(session: Session) -> None:
    lease_all(session)
    asks = controls(meta="noindex")
    session.store.page(a_page(SEED, controls=asks, refusals=(Refusal(Rule.NOINDEX, "it says so"),)))
    session.store.outcome(an_outcome(SEED, LeaseEnd.REFUSED, Rule.ROBOTS, requested=False))
    [entry] = session.store.journal.latest(rule="hidden-noindex")
    assert entry.reason.startswith('<meta name="robots"> said noindex when it was last read, and robots.txt now keeps')
    assert Pages(session.database).get(SEED) is None
