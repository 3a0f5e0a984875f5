"""The pages of each pattern, the verdict on it, and the releases by a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawldb.database import FILE_NAME, DatabaseError
from crawldb.databases import Parts
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from crawldb.tables.url_counts import Patterns
from extensions.course.inside.trap_yields import read_traps, traps_of
from frontier.budgets import release_trap
from frontier.job import CrawlJob
from frontier.session import Session
from tests.samples import SEED, a_page, lease_all
from urls.canonical import canonicalize
from urls.traps import Pattern, PatternKind

if TYPE_CHECKING:
    from pathlib import Path

PAGES = tuple(f"http://a.example/again/{number}" for number in range(60))  # of one pattern
FETCHED = 1 + 20  # a page that was new, and twenty that were not


@pytest.fixture
def trapped(session: Session) -> Session:
    """A site whose numbered pages lead on and say nothing new, until their pattern is closed."""
    while leases := session.frontier.lease(1, lambda _: 1):
        [lease] = leases
        links = PAGES if lease.url == PAGES[0] else PAGES[:1]
        session.store.page(a_page(lease.url, "Nothing is planned.", links))
    return session


def test_a_pattern_that_brings_nothing_is_told_as_closed_with_what_it_holds(trapped: Session) -> None:
    told = read_traps(trapped.database)
    [of_numbers] = [each for each in told.yields if each.pattern == "/again/#"]
    assert (of_numbers.fresh, of_numbers.wasted, of_numbers.decision) == (1, 20, "closed")
    [catch] = told.catches
    assert (catch.pattern, catch.caught, of_numbers.held) == ("/again/#", *[len(PAGES) - FETCHED] * 2)
    assert catch.samples == PAGES[FETCHED : FETCHED + 3]
    assert told.yields[0].wasted == max(each.wasted for each in told.yields)
    assert told.sites == ("a.example",)


def test_what_belongs_to_a_program_that_was_closed_is_told_as_closed_with_it(session: Session) -> None:
    patterns = Patterns(session.database)
    with session.database.transaction() as connection:
        for name, kind in (("/lamps?*", PatternKind.PROGRAM), ("/lamps?colour", PatternKind.NUMBERED),
                           ("/lamps/#", PatternKind.NUMBERED)):  # fmt: skip
            patterns.ensure(1, Pattern(name, kind))
        connection.execute("UPDATE pattern SET closed = 'because' WHERE pattern = '/lamps?*'")
    told = {each.pattern: each.decision for each in read_traps(session.database).yields}
    assert told == {"/lamps?*": "closed", "/lamps?colour": "closed with its program", "/lamps/#": "open"}


def test_what_a_person_released_is_told_with_its_moment_and_no_longer_as_held_back(trapped: Session) -> None:
    release_trap(trapped.database, "/again/#", "a.example")
    told = read_traps(trapped.database)
    [of_numbers] = [each for each in told.yields if each.pattern == "/again/#"]
    assert (of_numbers.decision, of_numbers.held, told.catches) == ("released", 0, ())
    [release] = told.releases
    assert (release.count, "a person released /again/#" in release.reason) == (len(PAGES) - FETCHED, True)


def test_only_one_site_is_told_of_where_it_is_asked_for(trapped: Session) -> None:
    trapped.store.page(a_page(SEED, "more", ("http://a.example/x/x/x/x/",)))
    release_trap(trapped.database, "http://a.example/x/*")
    assert read_traps(trapped.database, "a.example").exempt == ("http://a.example/x/*",)
    other = read_traps(trapped.database, "b.example")
    assert (other.yields, other.catches, other.suspects, other.exempt, other.patterns) == ((), (), (), (), 0)
    assert other.harms == read_traps(trapped.database).harms


def test_of_a_divided_crawl_all_parts_are_told_and_one_that_cannot_be_asked_is_named(tmp_path: Path) -> None:
    parts = tuple(Partition(number, 2) for number in (1, 2))
    hosts = [next(f"{letter}.example" for letter in "abcdefgh" if part.owns(f"{letter}.example")) for part in parts]
    for part, host in zip(parts, hosts, strict=True):
        seed = canonicalize(f"http://{host}/")
        session = Session(folder_of(tmp_path, part), CrawlJob((seed,), partition=part))
        lease_all(session)
        session.store.page(a_page(seed, links=(f"http://{host}/x/x/x/x/",)))
        session.close("finished")
    with Parts.in_folder(tmp_path) as crawl:
        assert {catch.site for catch in traps_of(crawl).catches} == set(hosts)
    for part, left in zip(parts, ({hosts[1]}, set()), strict=True):
        (folder_of(tmp_path, part) / FILE_NAME).write_bytes(b"no database")
        with Parts.in_folder(tmp_path) as crawl:
            if not left:
                with pytest.raises(DatabaseError):
                    traps_of(crawl)
                continue
            told = traps_of(crawl)
            assert ({catch.site for catch in told.catches}, set(told.faults)) == (left, {str(part)})
