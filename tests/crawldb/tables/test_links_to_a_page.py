"""Which pages link to one: by all its names, with all words, and by samples where a link says nofollow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.links import MAX_NAMES, inlinks_to, linkers, names_of, nofollow_pages
from crawldb.visited import find
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.records import LeaseEnd, Link, Page
from urls.rules import Rule

if TYPE_CHECKING:
    from frontier.session import Session

HOST = "http://a.example"


def store(session: Session, url: str, *links: Link, **fields: object) -> None:
    lease_all(session)
    page = a_page(url, **fields)  # type: ignore[arg-type]  # a dict of several types
    session.store.page(Page(page.url, page.title, page.text, links=links, fingerprint=page.fingerprint))


def number(session: Session, url: str) -> int:
    return find(session.database.connection, url) or 0


def test_links_to_any_name_of_a_page_are_its_links_each_page_once_with_all_words(session: Session) -> None:
    links = (Link(f"{HOST}/old", "rye"), Link(f"{HOST}/new", ""), Link(f"{HOST}/new", "bread"), Link(f"{HOST}/b", "b"))
    store(session, SEED, *links)
    lease_all(session)
    session.store.outcome(an_outcome(f"{HOST}/old", LeaseEnd.MOVED, Rule.MOVED, status=301, target=f"{HOST}/new"))
    store(session, f"{HOST}/new", Link(f"{HOST}/old", "myself"))
    store(session, f"{HOST}/b", Link(f"{HOST}/old", "old rye"))
    names = names_of(session.database, number(session, f"{HOST}/new"))
    assert set(names) == {number(session, f"{HOST}/new"), number(session, f"{HOST}/old")}
    assert linkers(session.database, names) == 2, "its own link to its other name is none"
    found = {link.url: link for link in inlinks_to(session.database, names, 0.4)}
    assert set(found) == {SEED, f"{HOST}/b"}
    assert set(found[SEED].words) == {"rye", "bread"}
    assert (found[f"{HOST}/b"].to, found[f"{HOST}/b"].words) == (f"{HOST}/old", ("old rye",))
    assert all(link.own_site and not link.near_copy and (link.times, link.linking) == (2, 3) for link in found.values())


def test_a_page_with_more_names_than_are_looked_at_has_that_many(session: Session) -> None:
    with session.database.transaction() as connection:
        connection.execute(
            "WITH RECURSIVE digit (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM digit LIMIT 80) "
            "INSERT INTO url (url, site, state, depth, found_by, found_at, moved_to) "
            "SELECT 'http://a.example/' || n, 1, 2, 0, 'link', 1, 1 FROM digit"
        )
    assert len(names_of(session.database, 1)) == MAX_NAMES


def test_links_that_say_nofollow_are_known_from_samples(session: Session) -> None:
    store(session, SEED, Link(f"{HOST}/ad", "buy", nofollow=True), Link(f"{HOST}/rye", "rye"))
    assert nofollow_pages(session.database, f"{HOST}/ad") == (SEED,)
    assert nofollow_pages(session.database, f"{HOST}/rye") == ()
