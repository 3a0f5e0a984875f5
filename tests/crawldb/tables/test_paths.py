"""By which path was a URL found? It agrees with the stored links, and says which steps are not stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawldb.database import DatabaseError
from crawldb.databases import Parts
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from crawldb.tables.links import MAX_STEPS, DiscoveryPath, FoundStep, path_to
from frontier.job import CrawlJob
from frontier.policy_in_force import policy_in
from frontier.session import Session
from frontier.submission import submit_as_visitor
from tests.samples import SEED, a_page, an_outcome, lease_all
from urls.canonical import canonicalize
from urls.records import FoundBy, LeaseEnd, Link, Page
from urls.rules import Rule

if TYPE_CHECKING:
    from pathlib import Path

HOST = "http://a.example"


def way(session: Session, url: str) -> DiscoveryPath:
    return path_to(lambda _: session.database, url)


def steps(found: DiscoveryPath) -> list[tuple[str, str, tuple[str, ...], bool | None]]:
    return [(step.url.removeprefix(HOST), step.by.value, step.words, step.stands) for step in found.steps]


def store(session: Session, page: Page) -> None:
    lease_all(session)
    session.store.page(page)


def linking(url: str, *links: tuple[str, str]) -> Page:
    page = a_page(url)
    return Page(page.url, page.title, page.text, links=tuple(Link(HOST + to, words) for to, words in links))


def test_the_way_leads_from_the_seed_to_the_page_with_the_words_of_each_link(session: Session) -> None:
    store(session, linking(SEED, ("/breads", "our breads"), ("/breads", "all of them")))
    store(session, linking(f"{HOST}/breads", ("/rye", "")))
    found = way(session, f"{HOST}/rye")
    assert found.gap == ""
    assert steps(found) == [
        ("/", "seed", (), None),
        ("/breads", "link", ("all of them", "our breads"), True),
        ("/rye", "link", ("",), True),
    ]


def test_a_link_that_is_gone_since_is_told(session: Session) -> None:
    store(session, linking(SEED, ("/rye", "rye")))
    store(session, linking(f"{HOST}/rye"))
    with session.database.transaction() as connection:
        connection.execute("DELETE FROM link")
    assert steps(way(session, f"{HOST}/rye"))[-1] == ("/rye", "link", (), False)


def test_a_redirect_and_a_canonical_address_are_steps(session: Session) -> None:
    lease_all(session)
    session.store.outcome(an_outcome(SEED, LeaseEnd.MOVED, Rule.MOVED, status=301, target=f"{HOST}/new"))
    store(session, a_page(f"{HOST}/new", canonical=f"{HOST}/own"))
    assert steps(way(session, f"{HOST}/own"))[1:] == [("/new", "redirect", (), True), ("/own", "canonical", (), True)]
    with session.database.transaction() as connection:
        connection.execute("UPDATE url SET moved_to = NULL")
    assert steps(way(session, f"{HOST}/own"))[1] == ("/new", "redirect", (), False)


def test_what_a_person_handed_in_begins_there(session: Session) -> None:
    store(session, linking(SEED))
    submit_as_visitor(Parts.in_folder(session.database.path.parent), policy_in, f"{HOST}/x", 5)
    assert steps(way(session, f"{HOST}/x")) == [("/x", "submit", (), None)]


def test_a_circle_a_lost_beginning_and_a_long_way_end(session: Session) -> None:
    store(session, linking(SEED, ("/rye", "rye")))
    with session.database.transaction() as connection:
        connection.execute(
            "UPDATE url SET found_by = 'link', found_on = (SELECT max(id) FROM url) WHERE url = ?", (SEED,)
        )
    assert way(session, f"{HOST}/rye").gap == f"{HOST}/rye was found by way of itself"
    with session.database.transaction() as connection:
        connection.execute("UPDATE url SET found_on = NULL WHERE url = ?", (SEED,))
    assert way(session, f"{HOST}/rye").gap == f"which page led to {SEED} was not noted"
    assert way(session, f"{HOST}/nowhere") == DiscoveryPath((), f"{HOST}/nowhere is not known any longer")
    with session.database.transaction() as connection:
        for number in range(MAX_STEPS + 5):
            connection.execute(
                "INSERT INTO url (url, site, state, depth, found_by, found_on, found_at) "
                "SELECT ?, site, 0, 0, 'link', max(id), 1 FROM url",
                (f"{HOST}/{number}",),
            )
    long = way(session, f"{HOST}/{MAX_STEPS + 4}")
    assert (len(long.steps), long.gap) == (MAX_STEPS, f"the way is longer than {MAX_STEPS} steps")


def test_a_step_may_lead_into_another_part_and_one_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    number, other = Partition(1, 2), Partition(2, 2)
    here = next(name for name in "abcdefgh" if number.owns(f"{name}.example"))
    there = next(name for name in "abcdefgh" if other.owns(f"{name}.example"))
    home, away = f"http://{here}.example/", f"http://{there}.example/"
    seeds = (canonicalize(home), canonicalize(away))
    first = Session(folder_of(tmp_path, number), CrawlJob(seeds, partition=number))
    lease_all(first)
    first.store.page(a_page(home, links=(f"{away}rye",)))
    first.close("finished")
    second = Session(folder_of(tmp_path, other), CrawlJob(seeds, partition=other))
    second.receive()
    second.close("finished")
    with Parts.in_folder(tmp_path) as parts:
        found = path_to(parts.home, f"{away}rye")
        told = [(step.url, step.by, step.words, step.stands) for step in found.steps]
        assert told == [(home, FoundBy.SEED, (), None), (f"{away}rye", FoundBy.LINK, ("a link",), None)]
    (folder_of(tmp_path, number) / "crawl.sqlite3").unlink()
    with Parts.in_folder(tmp_path) as parts:
        alone = path_to(parts.home, f"{away}rye")
        assert [step.url for step in alone.steps] == [f"{away}rye"]
        assert f"the part of the crawl that has {home} can't be read" in alone.gap
        with pytest.raises(DatabaseError):
            path_to(parts.home, home)


def test_the_first_step_is_the_one_that_was_asked_for(session: Session) -> None:
    [seed] = way(session, SEED).steps
    assert seed == FoundStep(SEED, FoundBy.SEED, seed.at)
