"""Budgets: they follow what a pattern brings, and hold for a domain where the whole domain is in scope."""

from collections.abc import Callable

import pytest

from crawldb.figures.traps import harms
from crawldb.tables.journal import Journal
from frontier.budgets import release_trap
from frontier.discovery import Discovery, Provenance
from frontier.session import Session
from pages.content.similarity import ORDERS
from reports.traps import catches, suspects
from tests.samples import SEED, a_page, accounting, lease_all
from urls.canonical import Breadth
from urls.records import FoundBy, Refusal
from urls.rules import Rule
from urls.traps import Limits

ITEMS = tuple(f"http://a.example/item/{number}" for number in range(60))


def discover(session: Session, urls: list[str]) -> None:
    discovery = Discovery(session.database, session.policy, Journal(session.database))
    with session.database.transaction():
        discovery.discover(urls, Provenance(FoundBy.LINK, 1, 1))


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


@pytest.mark.parametrize(("allowed", "fetched"), [(60, 1 + 60), (59, 1 + 1 + 20)])
def test_a_list_that_says_nothing_new_is_read_to_its_end_unless_it_is_longer_than_allowed(
    open_session: Callable[..., Session], allowed: int, fetched: int
) -> None:
    session = open_session(limits=Limits(pattern_pages=allowed - 10))  # its first page adds ten
    assert len(crawl(session, the_same, listed=True)) == fetched
    accounting(session)


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


def test_the_days_that_a_month_lists_count_since_a_calendar_has_more_months(session: Session) -> None:
    months = tuple(f"http://a.example/2026/{month}/" for month in range(1, 13))
    days = {month: tuple(f"{month}{day}/" for day in range(1, 29)) for month in months}
    fetched = []
    while leases := session.frontier.lease(1, lambda _: 1):
        [lease] = leases
        links = days.get(lease.url, months[:1] if lease.url == SEED else ()) + (months if lease.url in months else ())
        session.store.page(a_page(lease.url, "Nothing is planned.", links))
        fetched.append(lease.url)
    assert len(fetched) <= 50


def test_a_list_that_leads_to_something_new_is_no_waste(session: Session) -> None:
    listed = {f"http://a.example/list/{number}": f"http://a.example/about-{number}.html" for number in range(60)}
    lists = tuple(listed)
    while leases := session.frontier.lease(1, lambda _: 1):
        [lease] = leases
        article = (listed[lease.url],) if lease.url in listed else ()
        text = an_article(lease.url.replace("about-", "/").replace(".html", "")) if "about" in lease.url else "A list."
        following = lists[: lists.index(lease.url) + 4] if lease.url in listed else lists[:1]
        session.store.page(a_page(lease.url, text, article + following))
    assert not catches(session.database)
    assert accounting(session)["done"] == 1 + 60 + 60


def test_paths_that_grow_with_each_link_and_say_nothing_new_are_closed_below_their_first_folder(
    session: Session,
) -> None:
    fetched = []
    while leases := session.frontier.lease(1, lambda _: 1):
        [lease] = leases
        below = tuple(f"{lease.url}{name}/" for name in ("red", "large", "wool") if name not in lease.url)
        links = ("http://a.example/shop/", "http://a.example/x/y/z/") if lease.url == SEED else below
        session.store.page(a_page(lease.url, "The same goods.", () if "/x/" in lease.url else links))
        fetched.append(lease.url)
        assert len(fetched) < 60
    assert accounting(session)["suppressed"] == 0, "fifteen choices are too few to close anything"


def test_paths_that_grow_without_end_are_closed_and_can_be_released(session: Session) -> None:
    def site(url: str) -> tuple[str, ...]:
        return ("http://a.example/shop/",) if url == SEED else tuple(f"{url}{name}{len(url)}/" for name in ("a", "b"))

    def walk(most: int) -> int:
        fetched = 0
        while fetched < most and (leases := session.frontier.lease(1, lambda _: 1)):
            session.store.page(a_page(leases[0].url, "The same goods.", site(leases[0].url)))
            fetched += 1
        return fetched

    assert walk(100) <= 30
    [catch] = catches(session.database)
    assert (catch.rule, catch.pattern, "grow with each link" in catch.reason) == ("no-yield", "/shop/**", True)
    release_trap(session.database, "/shop/**")
    assert walk(100) == 100


def test_views_of_every_page_of_a_site_are_closed_by_the_names_of_their_parameters(session: Session) -> None:
    pages = tuple(f"http://a.example/post/about-{one}{other}" for one in "abcdefgh" for other in "ijklmnop")
    fetched = []
    while accounting(session)["queued"]:
        for lease in session.frontier.lease(1, lambda _: 1):  # none where what was read ahead is suppressed by now
            page = lease.url.partition("?")[0]
            links = pages if page == SEED else (f"{page}?print=1", f"{page}?lang=de")
            copy = (Refusal(Rule.DUPLICATE, f"it says the same as {page}"),) if lease.url.endswith("print=1") else ()
            session.store.page(a_page(lease.url, f"About {lease.url}", () if copy else links, refusals=copy))
            fetched.append(lease.url)
    assert sum("print" in url for url in fetched) == 30
    assert sum("lang" in url for url in fetched) == 64, "a translation is no copy"
    [catch] = catches(session.database)
    assert (catch.rule, catch.pattern, catch.caught) == ("no-yield", "/**?print", 64 - 30)
    assert release_trap(session.database, "/**?print", "a.example").urls == 34


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


@pytest.mark.parametrize("rule", [Rule.DUPLICATE, Rule.SOFT_404, Rule.EMPTY])
def test_copies_and_apologies_say_nothing_new(session: Session, rule: Rule) -> None:
    crawl(session, an_article, refusals=(Refusal(rule, "because"),))
    assert accounting(session)["suppressed"] == 60 - 21
    harm = harms(session.database)
    assert (harm.wasted, harm.bytes > 0) == (20, True)


@pytest.mark.parametrize(("alike", "suppressed"), [(0.95, 60 - 21), (0.6, 2)])
def test_near_copies_say_nothing_new_and_pages_that_share_half_of_their_words_do(
    session: Session, alike: float, suppressed: int
) -> None:
    """All are in one cluster. That a search folds them is no reason to stop: that they are copies is one."""
    session.store.page(a_page(lease_all(session)[0], links=(ITEMS[0],), signature=bytes(ORDERS)))
    crawl(session, an_article, signature=bytes(round(alike * ORDERS)).ljust(ORDERS, b"1"))
    assert accounting(session)["suppressed"] == suppressed
    assert session.database.count("SELECT count(*) FROM cluster") == 1


def test_pages_that_only_fail_or_are_no_text_close_nothing(session: Session) -> None:
    crawl(session, the_same, refusals=(Refusal(Rule.TYPE, "because"),))
    assert accounting(session)["suppressed"] == 0


def test_a_folder_is_closed_by_copies_alone_and_later(session: Session) -> None:
    names = tuple(f"http://a.example/x/n{number}x.html" for number in range(60))
    crawl(session, the_same, names)
    assert accounting(session)["suppressed"] == 0, "pages with names may say the same in other words"
    copies = tuple(name.replace("/x/", "/y/") for name in names)
    discover(session, [copies[0]])
    crawl(session, the_same, copies, refusals=(Refusal(Rule.DUPLICATE, "because"),))
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


def test_a_limit_that_is_lowered_later_is_named_as_it_is_now(open_session: Callable[..., Session]) -> None:
    first = open_session("http://example.org/", breadth=Breadth.DOMAIN)
    discover(first, [f"http://h{number}.example.org/" for number in range(9)])
    first.close("stopped")
    session = open_session("http://example.org/", breadth=Breadth.DOMAIN, limits=Limits(domain_sites=3))
    discover(session, ["http://one-more.example.org/"])
    [entry] = session.store.journal.latest(rule="host-budget")
    assert entry.reason.startswith("example.org has 10 sites already")
    assert entry.reason.endswith("the limit is 3")


def test_007_the_pages_of_a_domain_are_counted_together(open_session: Callable[..., Session]) -> None:
    session = open_session("http://example.org/", breadth=Breadth.DOMAIN, limits=Limits(site_pages=10))
    discover(session, [f"http://h{number % 4}.example.org/page-{number}x" for number in range(50)])
    assert accounting(session)["queued"] == 10
    assert "the sites of example.org have brought 10 URLs" in session.store.journal.latest(rule="site-budget")[0].reason
