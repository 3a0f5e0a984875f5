"""Stored pages are read and filtered again: only changes are written."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest

from crawldb.pages.feed import Feed
from crawldb.pages.pages import Pages
from crawldb.tables.urls import State
from pages import FetchedBody, parse_page
from pipelines.filters import FilterSettings, PageFilters
from pipelines.review import PageReview, RefilteredPage
from tests.samples import SEED, accounting, lease_all
from urls.canonical import canonicalize
from urls.records import Link, Page, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.session import Session

    Reader = Callable[[FetchedBody], Page]

HOME, BREAD, COPY = SEED, canonicalize("http://a.example/bread"), canonicalize("http://a.example/copy")
HTML = (("content-type", "text/html"), ("etag", '"one"'))
FETCHED = 1_000_000.0
as_before: Reader = partial(parse_page, agent="Breadcrumb")


def html(title: str, *links: str, head: str = "") -> bytes:
    anchors = " ".join(f'<a href="{link}">to {link}</a>' for link in links)
    return f"<title>{title}</title>{head}<p>All that {title} has to say.</p>{anchors}".encode()


def crawl(session: Session, pages: dict[str, bytes]) -> None:
    filters = PageFilters(session.database, FilterSettings())
    for url, body in pages.items():
        lease_all(session)
        read = parse_page(FetchedBody(body, canonicalize(url), HTML, fetched_at=FETCHED))
        session.store.page(filters.apply(read))


def again(session: Session, url: str, read: Reader = as_before) -> RefilteredPage | None:
    answer = Pages(session.database).answer(url)
    assert answer is not None
    with session.store.transaction():
        return reviewing(session, read).refilter(read(answer))


def reviewing(session: Session, read: Reader = as_before) -> PageReview:
    return PageReview(
        session.store.writer, PageFilters(session.database, FilterSettings()), read, session.store.transaction
    )


def everything(session: Session) -> dict[str, list[tuple[object, ...]]]:
    tables = ("url", "page", "body", "cluster", "link", "change", "fetch", "journal", "visit", "explanation", "pattern")
    return {table: session.database.connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables}


def rules(session: Session, url: str) -> list[str]:
    identity = session.database.count("SELECT id FROM url WHERE url = ?", url)
    return [entry.rule for entry in session.store.journal.about(identity)]


def stored(session: Session, url: str) -> Page:
    page = Pages(session.database).get(url)
    assert page is not None
    return page


def announced(session: Session, after: int) -> dict[str, bool]:
    return {change.url: change.page is not None for change in Feed(session.database).after(after, 100)}


def with_title(title: str) -> Reader:
    return lambda answer: replace(as_before(answer), title=title)


def refusing(url: str, rule: Rule) -> Reader:
    def read(answer: FetchedBody) -> Page:
        page = as_before(answer)
        return replace(page, refusals=(Refusal(rule, "a new rule says so"),)) if page.url == url else page

    return read


def test_where_no_rule_has_changed_nothing_is_written(session: Session) -> None:
    noindex = html("secret", head='<meta name="robots" content="nosnippet">')
    off_site = html("bread", "http://b.example/", "/", "/copy", "javascript:x", head='<link rel="canonical" href="/">')
    crawl(session, {HOME: html("home", BREAD, COPY), BREAD: off_site, COPY: noindex})
    before = everything(session)
    assert [again(session, url) for url in (HOME, BREAD, COPY)] == [None, None, None]
    assert everything(session) == before


def test_what_is_read_otherwise_is_stored_and_announced_and_the_fetch_stays_as_it_was(session: Session) -> None:
    crawl(session, {HOME: html("home")})
    before, last = everything(session), Feed(session.database).last()
    found = again(session, HOME, with_title("Another title"))
    assert found is not None
    assert (found.before.title, found.after.title) == ("home", "Another title")
    page = stored(session, HOME)
    assert (page.title, page.fetched_at, page.etag) == ("Another title", FETCHED, '"one"')
    assert announced(session, last) == {HOME: True}
    assert {name for name, rows in everything(session).items() if rows != before[name]} == {"page", "change"}


def test_a_page_that_a_new_rule_refuses_leaves_the_index_and_the_journal_says_why(session: Session) -> None:
    crawl(session, {HOME: html("home")})
    last = Feed(session.database).last()
    again(session, HOME, refusing(HOME, Rule.FRAMES))
    assert stored(session, HOME).refusals == (Refusal(Rule.FRAMES, "a new rule says so"),)
    assert announced(session, last) == {HOME: False}
    assert rules(session, HOME) == ["frames", "reread"]
    assert session.database.value("SELECT rule FROM url") == Rule.FRAMES
    assert accounting(session)["done"] == 1


def test_a_page_that_no_rule_refuses_any_longer_comes_into_the_index(session: Session) -> None:
    crawl(session, {HOME: html("404 not found", BREAD)})
    assert stored(session, HOME).refusals[0].rule is Rule.SOFT_404
    last = Feed(session.database).last()
    again(session, HOME, with_title("What 404 means"))
    assert stored(session, HOME).refusals == ()
    assert announced(session, last) == {HOME: True}
    assert rules(session, HOME)[-1] == "reread"
    assert session.database.value("SELECT rule FROM url WHERE url = ?", HOME) == Rule.FETCHED
    assert lease_all(session) == [BREAD], "its links are followed now"
    assert accounting(session)["done"] == 1


def test_links_that_are_new_enter_the_frontier_and_those_that_are_gone_leave_the_graph(session: Session) -> None:
    crawl(session, {HOME: html("home", BREAD)})
    found = again(session, HOME, lambda answer: replace(as_before(answer), links=(Link(COPY, "a copy"),)))
    assert found is not None
    assert found.stored == (True, frozenset({COPY}), frozenset({BREAD}), 1)
    assert set(lease_all(session)) == {BREAD, COPY}
    assert session.database.count("SELECT count(*) FROM link") == 1
    assert accounting(session)["discovered"] == 3


def test_a_page_whose_round_goes_on_keeps_its_place_in_the_queue(session: Session) -> None:
    crawl(session, {HOME: html("home")})
    session.database.connection.execute("UPDATE url SET state = ?", (State.QUEUED,))
    again(session, HOME, refusing(HOME, Rule.FRAMES))
    assert session.database.connection.execute("SELECT state, rule FROM url").fetchall() == [(0, "fetched")]


def test_a_copy_stays_a_copy_when_both_are_read_otherwise(session: Session) -> None:
    crawl(session, {HOME: html("home", BREAD, COPY), BREAD: html("bread"), COPY: html("bread")})
    assert stored(session, COPY).duplicate_of == BREAD
    last = Feed(session.database).last()
    for url in (BREAD, COPY):
        again(session, url, with_title("Another title"))
    assert (stored(session, BREAD).refusals, stored(session, COPY).duplicate_of) == ((), BREAD)
    assert announced(session, last) == {BREAD: True, COPY: False}
    assert "released" not in rules(session, COPY)


def test_a_page_whose_date_has_passed_since_is_let_go_with_its_body(session: Session) -> None:
    dated = '<meta name="robots" content="unavailable_after: 1 Jan 2001 00:00:00 GMT">'
    crawl(session, {HOME: html("home", head=dated)})
    assert stored(session, HOME).refusals == (), "it was fetched in 1970"
    again(session, HOME)
    assert stored(session, HOME).refusals[0].rule is Rule.EXPIRED
    assert (stored(session, HOME).text, Pages(session.database).answer(HOME)) == ("", None)


def test_a_page_that_was_forgotten_meanwhile_stays_away(session: Session) -> None:
    crawl(session, {HOME: html("home")})
    answer = Pages(session.database).answer(HOME)
    assert answer is not None
    with session.store.transaction():
        Pages(session.database).remove(1)
        assert reviewing(session).refilter(as_before(answer)) is None
    assert Pages(session.database).get(HOME) is None


def test_a_fault_in_the_middle_of_a_slice_leaves_all_of_it_as_it_was(session: Session) -> None:
    crawl(session, {HOME: html("home", BREAD), BREAD: html("bread")})
    before = everything(session)

    def read(answer: FetchedBody) -> Page:
        if answer.url == BREAD:
            raise ZeroDivisionError
        return with_title("Another title")(answer)

    review = reviewing(session, read)

    def judge_both() -> None:
        with session.store.transaction():
            for answer in filter(None, map(Pages(session.database).answer, (HOME, BREAD))):
                review.refilter(read(answer))

    with pytest.raises(ZeroDivisionError):
        judge_both()
    assert everything(session) == before
