"""Are pages judged again when their site's template becomes known, or another one? Without a fetch, and whole."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from crawldb.learnt import SiteTemplates
from crawldb.pages.feed import Feed
from crawldb.pages.pages import Pages
from pages import FetchedBody, parse_page
from pipelines.duplicates import fingerprint
from pipelines.filters import FilterSettings, PageFilters
from pipelines.review import PageReview
from tests.samples import SEED, accounting, lease_all
from urls.canonical import canonicalize
from urls.rules import Rule

if TYPE_CHECKING:
    import pytest

    from frontier.session import Session
    from urls.records import CanonicalUrl, Page

HTML = (("content-type", "text/html"),)
COUNT = 8
SLOGAN, OTHER = "Small. Fast. Reliable.", "Everything under one roof since the flood"


def address(number: int) -> CanonicalUrl:
    return canonicalize(f"http://a.example/p{number}") if number else SEED


def own_words(number: int) -> str:
    return f"What this page says is {'abcdefghijk'[number] * 5}, and nobody else does."


def body(number: int, slogan: str = SLOGAN, words: str = "", head: str = "") -> bytes:
    links = "".join(f"<a href=/p{each}><img src=x></a>" for each in range(1, COUNT))
    return f"<title>t</title>{head}<p>{slogan}</p><p>{words or own_words(number)}</p>{links}".encode()


def crawl(session: Session, bodies: dict[int, bytes]) -> None:
    filters = PageFilters(session.database, FilterSettings())
    for number, html in bodies.items():
        lease_all(session)
        read = parse_page(FetchedBody(html, address(number), HTML, fetched_at=1_000_000.0))
        session.store.page(filters.apply(read))


def review(session: Session) -> int:
    read = partial(parse_page, agent="Breadcrumb")
    filters = PageFilters(session.database, FilterSettings())
    return sum(PageReview(session.store.writer, filters, read, session.store.transaction).refilter_by_templates())


def stored(session: Session, number: int) -> Page:
    page = Pages(session.database).get(address(number))
    assert page is not None
    return page


def test_pages_that_were_judged_before_the_template_was_known_are_judged_again(session: Session) -> None:
    crawl(session, {number: body(number) for number in range(COUNT)})
    assert stored(session, 1).text == f"{SLOGAN}\n{own_words(1)}"
    before = Feed(session.database).last()
    assert review(session) == COUNT
    for number in range(COUNT):
        page = stored(session, number)
        assert (page.text, page.template_text) == (own_words(number), SLOGAN)
        assert page.fingerprint == fingerprint(page)
    assert len(list(Feed(session.database).after(before, 100))) == COUNT  # the index hears of each
    assert review(session) == 0
    assert accounting(session)


def test_a_page_that_comes_later_is_judged_by_what_is_known(session: Session) -> None:
    crawl(session, {number: body(number) for number in range(COUNT - 1)})
    review(session)
    crawl(session, {COUNT - 1: body(COUNT - 1)})
    assert stored(session, COUNT - 1).template_text == SLOGAN
    assert review(session) == 0


def test_a_site_of_two_pages_teaches_nothing(session: Session) -> None:
    crawl(session, {number: body(number) for number in range(2)})
    assert review(session) == 0
    assert stored(session, 1).text == f"{SLOGAN}\n{own_words(1)}"


def test_a_site_that_changes_its_template_is_learnt_anew(session: Session) -> None:
    crawl(session, {number: body(number) for number in range(COUNT)})
    review(session)
    session.database.connection.execute("UPDATE url SET state = 0")
    crawl(session, {number: body(number, OTHER) for number in range(COUNT)})
    review(session)
    assert {stored(session, number).template_text for number in range(COUNT)} == {OTHER}
    assert {stored(session, number).text for number in range(COUNT)} == {own_words(number) for number in range(COUNT)}


def test_pages_that_say_the_same_around_other_menus_become_copies(session: Session) -> None:
    bodies = {number: body(number) for number in range(COUNT - 1)}
    crawl(session, {**bodies, COUNT - 1: body(1, words=own_words(1), slogan="")})
    assert stored(session, COUNT - 1).duplicate_of is None
    review(session)
    assert stored(session, COUNT - 1).duplicate_of or stored(session, 1).duplicate_of


def test_a_page_without_a_stored_body_is_judged_by_its_lines(session: Session) -> None:
    silent = body(3, head="<meta name=robots content=noarchive>")
    crawl(session, {number: silent if number == 3 else body(number) for number in range(COUNT)})
    links = session.database.count("SELECT links FROM page JOIN url ON url.id = page.url WHERE url.url = ?", address(3))
    assert review(session) == COUNT
    assert (stored(session, 3).text, stored(session, 3).template_text) == (own_words(3), SLOGAN)
    after = session.database.count("SELECT links FROM page JOIN url ON url.id = page.url WHERE url.url = ?", address(3))
    assert after == links > 0


def test_copies_teach_nothing(session: Session) -> None:
    crawl(session, {number: body(0) for number in range(COUNT)})
    assert [refusal.rule for refusal in stored(session, 5).refusals] == [Rule.DUPLICATE]
    assert session.database.count("SELECT count(*) FROM template_sample") == 1
    review(session)
    assert stored(session, 0).text == f"{SLOGAN}\n{own_words(0)}"


def test_the_sample_of_a_site_has_an_end_whatever_the_order(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawldb.learnt.SAMPLE_PAGES", 5)
    crawl(session, {number: body(number) for number in (0, 7, 3, 1, 6, 2, 5, 4)})
    kept = {url for (url,) in session.database.connection.execute("SELECT key FROM template_sample")}
    everyone = sorted(key for (key,) in session.database.connection.execute("SELECT key FROM visited"))
    assert kept == set(everyone[:5])


def test_what_is_forgotten_leaves_the_sample(session: Session) -> None:
    crawl(session, {number: body(number) for number in range(COUNT)})
    review(session)
    Pages(session.database).remove(session.database.count("SELECT id FROM url WHERE url = ?", address(2)))
    assert session.database.count("SELECT count(*) FROM template_sample") == COUNT - 1
    assert SiteTemplates(session.database).changed()


def test_the_links_of_a_copy_in_another_template_are_followed(session: Session) -> None:
    words = " ".join(own_words(number) for number in range(3))
    pages = {
        0: f"<title>t</title><p>{words}</p>",
        1: f"<title>t</title><nav><a href=/new>New</a></nav><p>{words}</p>",
        2: f"<title>t</title><p>{words}</p><p><a href=/hidden><img src=x></a></p>",
    }
    links = f"<title>u</title><p>Links</p><a href={address(1)}>b</a> <a href={address(2)}>c</a>"
    crawl(session, {0: links.encode()})
    crawl(session, {1: pages[0].encode()})
    session.database.connection.execute("UPDATE url SET state = 0")
    crawl(session, {2: pages[1].encode()})
    assert stored(session, 2).duplicate_of == address(1)
    assert session.database.count("SELECT count(*) FROM url WHERE url = 'http://a.example/new'") == 1
    session.database.connection.execute("UPDATE url SET state = 0")
    crawl(session, {2: pages[2].encode()})
    assert stored(session, 2).duplicate_of == address(1)
    assert session.database.count("SELECT count(*) FROM url WHERE url = 'http://a.example/hidden'") == 0


def test_a_long_run_learns_before_it_ends(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawldb.learnt.LEARNT_AT", (5,))
    crawl(session, {number: body(number) for number in range(COUNT)})
    judged = [stored(session, number).template_text for number in range(COUNT)]
    assert judged == [""] * 5 + [SLOGAN] * (COUNT - 5)
