"""Budgets: they follow what a pattern brings, and hold for a domain where the whole domain is in scope."""

from collections.abc import Callable

import pytest

from crawldb.frontier.discovery import Discovery, Origin
from crawldb.frontier.scope import Breadth
from crawldb.frontier.traps import Limits
from crawldb.harm import catches, harms, suspects
from crawldb.page import Refusal
from crawldb.session import Session
from crawldb.tables.journal import Journal
from tests.crawldb.samples import SEED, a_page, accounting, lease_all

ITEMS = tuple(f"http://a.example/item/{number}" for number in range(60))


def discover(session: Session, urls: list[str]) -> None:
    discovery = Discovery(session.database, session.policy, Journal(session.database))
    with session.database.transaction():
        discovery.discover(urls, Origin("link", 1, 1))


def crawl(
    session: Session, text: Callable[[str], str], pages: tuple[str, ...] = ITEMS, *, listed: bool = False,
    **fields: object,
) -> list[str]:  # fmt: skip
    """Fetch everything, one page after the other; return what was fetched.

    The first of the pages leads to the others, unless the front page has `listed` them all.
    """
    fetched = []
    leads_on = {SEED} if listed else {pages[0]}
    while leases := session.frontier.lease(1, lambda _: 1):
        [lease] = leases
        links = pages if lease.url in leads_on else pages[:1]
        made = {} if lease.url in {SEED, *leads_on} else fields
        session.store.page(a_page(lease.url, text(lease.url), links, **made))
        fetched.append(str(lease.url))
    return fetched


def an_article(url: str) -> str:
    return "About " + "".join(chr(ord("a") + int(digit)) for digit in url.rpartition("/")[2] or "0")


def the_same(_url: str) -> str:
    return "Nothing is planned."


def test_a_pattern_that_says_nothing_new_is_closed_with_one_row_of_the_journal(session: Session) -> None:
    fetched = crawl(session, the_same)
    assert len(fetched) == 1 + 1 + 20, "the seed, one page that was new, and twenty that were not"
    assert accounting(session)["suppressed"] == 60 - 21
    [entry] = session.store.journal.latest(rule="no-yield")
    assert (entry.count, len(entry.samples), "/item/#" in entry.reason) == (39, 10, True)


def test_what_another_page_lists_has_an_end_and_is_not_closed(session: Session) -> None:
    assert len(crawl(session, the_same, listed=True)) == 1 + 60
    assert not session.store.journal.latest(rule="no-yield")
    [suspect] = suspects(session.database)
    assert (suspect.pattern, suspect.wasted) == ("/item/#", 59), "a person is told all the same"


def test_what_is_found_later_of_a_closed_pattern_is_refused_with_its_reason(session: Session) -> None:
    crawl(session, the_same)
    discover(session, ["http://a.example/item/1000", "http://a.example/about"])
    counts = accounting(session)
    assert (counts["suppressed"], counts["queued"]) == (40, 1)


def test_a_pattern_earns_more_with_each_page_that_says_something_new(open_session: Callable[..., Session]) -> None:
    session = open_session(limits=Limits(pattern_pages=5))
    lease_all(session)
    session.store.page(a_page(SEED, links=ITEMS))
    counts = accounting(session)
    assert (counts["queued"], counts["suppressed"]) == (5, 55)
    assert len(crawl(session, an_article)) == 60
    assert accounting(session)["suppressed"] == 0
    assert session.store.journal.latest(rule="pattern-earned")


def test_patience_is_a_setting_and_more_of_it_opens_what_was_closed(open_session: Callable[..., Session]) -> None:
    first = open_session()
    crawl(first, the_same)
    first.close("finished")
    second = open_session(limits=Limits(trap_patience=0))
    assert accounting(second)["suppressed"] == 0


def test_a_page_that_is_read_again_is_no_waste(open_session: Callable[..., Session]) -> None:
    first = open_session()
    crawl(first, an_article)
    first.close("finished")
    second = open_session()
    assert len(crawl(second, an_article)) == 61
    assert harms(second.database).wasted == 0


@pytest.mark.parametrize("rule", ["duplicate", "near-duplicate", "soft-404", "empty"])
def test_copies_and_apologies_say_nothing_new(session: Session, rule: str) -> None:
    crawl(session, an_article, refusals=(Refusal(rule, "because"),))
    assert accounting(session)["suppressed"] == 60 - 21
    harm = harms(session.database)
    assert (harm.wasted, harm.bytes > 0) == (20, True)


def test_pages_that_only_fail_or_are_no_text_close_nothing(session: Session) -> None:
    crawl(session, the_same, refusals=(Refusal("type", "because"),))
    assert accounting(session)["suppressed"] == 0


def test_a_folder_is_closed_by_copies_alone_and_later(session: Session) -> None:
    names = tuple(f"http://a.example/x/n{number}x.html" for number in range(60))
    crawl(session, the_same, names)
    assert accounting(session)["suppressed"] == 0, "pages with names may say the same in other words"
    copies = tuple(name.replace("/x/", "/y/") for name in names)
    discover(session, [copies[0]])
    crawl(session, the_same, copies, refusals=(Refusal("duplicate", "because"),))
    assert accounting(session)["suppressed"] == 60 - 41


def test_a_pattern_that_mostly_says_nothing_new_is_a_suspect_before_it_is_closed(session: Session) -> None:
    crawl(session, the_same, ITEMS[:10])
    [suspect] = suspects(session.database)
    assert (suspect.site, suspect.pattern, suspect.fetched, suspect.wasted) == ("a.example", "/item/#", 10, 9)
    assert catches(session.database) == []


def test_007_wildcard_hosts_share_the_budget_of_their_domain(open_session: Callable[..., Session]) -> None:
    session = open_session("http://example.org/", breadth=Breadth.DOMAIN, limits=Limits(domain_sites=10))
    discover(session, [f"http://h{number}.example.org/" for number in range(50)])
    counts = accounting(session)
    assert (counts["queued"], counts["suppressed"]) == (10, 41)
    [entry] = session.store.journal.latest(rule="host-budget")
    assert "example.org has 10 sites already" in entry.reason


def test_007_the_pages_of_a_domain_are_counted_together(open_session: Callable[..., Session]) -> None:
    session = open_session("http://example.org/", breadth=Breadth.DOMAIN, limits=Limits(site_pages=10))
    discover(session, [f"http://h{number % 4}.example.org/page-{number}x" for number in range(50)])
    assert accounting(session)["queued"] == 10
    assert "the sites of example.org have brought 10 URLs" in session.store.journal.latest(rule="site-budget")[0].reason
