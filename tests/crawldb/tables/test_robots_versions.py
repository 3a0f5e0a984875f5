"""Every robots.txt that came whole is kept once, with the time in which it was seen; imported ones rule nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawldb.database import MIGRATIONS, CrawlDatabase
from crawldb.tables.robots_files import (
    MAX_CHANGES,
    ImportedFile,
    body_of,
    note_version,
    put_imported,
    read_robots,
    site_of_version,
    stored_versions,
    write_robots,
)
from frontier.takedown import block, forget
from robots import MAX_ROBOTS_BYTES, RobotsRecord
from tests.robots.answers import STATES, T

if TYPE_CHECKING:
    from crawldb.tables.robots_files import RobotsVersion
    from frontier.session import Session

ORIGIN = "http://seeds.example:80"
OPEN, CLOSED = b"User-agent: *\nDisallow:\n", b"User-agent: *\nDisallow: /\n"


def fetched(body: bytes, day: int, origin: str = ORIGIN, status: int = 200) -> RobotsRecord:
    at = T + day * 86_400
    return RobotsRecord(origin, "PARSED", "it was read", at, at + 1, status, body=body, good_at=at)


def keep(session: Session, *records: RobotsRecord) -> None:
    for record in records:
        write_robots(session.database, session.run, record)


def versions_of(database: CrawlDatabase, origin: str) -> list[RobotsVersion]:
    """The versions of an origin, the newest first."""
    return [each for each in stored_versions(database) if each.origin == origin][::-1]


def newest_versions(database: CrawlDatabase) -> list[RobotsVersion]:
    return [each for each in stored_versions(database) if each.newest]


def bodies(session: Session) -> int:
    return session.database.count("SELECT count(*) FROM robots_body")


def test_a_file_is_kept_each_time_that_it_changes_and_its_octets_once(session: Session) -> None:
    keep(session, *(fetched(body, day) for day, body in enumerate([OPEN, OPEN, CLOSED, OPEN])))
    with CrawlDatabase(session.database.path.parent, readonly=True) as restarted:
        versions = versions_of(restarted, ORIGIN)
        assert [body_of(restarted, each) for each in versions] == [OPEN, CLOSED, OPEN]
    days = [((each.first_seen - T) / 86_400, (each.last_seen - T) / 86_400) for each in versions]
    assert days == [(3, 3), (2, 2), (0, 1)]
    assert [each.newest for each in versions] == [True, False, False]
    assert [each.id for each in newest_versions(session.database)] == [versions[0].id]
    assert bodies(session) == 2


def test_a_file_that_can_no_longer_be_had_stays_with_the_answer_that_came_since(session: Session) -> None:
    gone = RobotsRecord(ORIGIN, "OPEN", "there is none", T + 9, T + 10, 404)
    keep(session, fetched(OPEN, 0), gone)
    [version] = versions_of(session.database, ORIGIN)
    assert (version.status, version.last_seen, version.imported) == (404, T, False)


@pytest.mark.parametrize("state", STATES)
def test_the_history_holds_the_file_of_every_state_that_has_one(session: Session, state: str) -> None:
    record = RobotsRecord.of(ORIGIN, STATES[state])
    keep(session, record)
    kept = [body_of(session.database, each) for each in versions_of(session.database, ORIGIN)]
    assert kept == ([record.body[: MAX_ROBOTS_BYTES + 1]] if record.good_at is not None else [])


def test_a_site_that_changes_all_day_does_not_fill_the_disk(session: Session) -> None:
    with session.database.transaction():
        for day in range(MAX_CHANGES + 7):
            note_version(session.database, fetched(b"# %d" % day, day))
        note_version(session.database, fetched(b"# 8", 0, "http://other.example:80"))
    versions = versions_of(session.database, ORIGIN)
    assert len(versions) == MAX_CHANGES
    assert body_of(session.database, versions[-1]) == b"# 7"
    assert bodies(session) == MAX_CHANGES, "the other origin has one that stays, too"


def test_an_older_file_that_comes_later_stands_at_its_time(session: Session) -> None:
    keep(session, fetched(OPEN, 10), fetched(CLOSED, 3), fetched(OPEN, 12))
    versions = versions_of(session.database, ORIGIN)
    assert [body_of(session.database, each) for each in versions] == [OPEN, CLOSED]
    assert [(each.last_seen - T) / 86_400 for each in versions] == [12, 3]


def test_an_imported_file_is_kept_once_and_rules_nothing(session: Session) -> None:
    file = ImportedFile("seeds.example", "", T, CLOSED)
    with session.database.transaction():
        told = [put_imported(session.database, each, "mine") for each in (file, file, replace_body(file), file)]
    assert told == [True, False, True, False]
    assert read_robots(session.database, ORIGIN) is None
    assert {each.collection for each in newest_versions(session.database)} == {"mine"}
    keep(session, fetched(OPEN, 1))
    assert [each.newest for each in newest_versions(session.database)] == [True, True], "histories of their own"


def replace_body(file: ImportedFile) -> ImportedFile:
    return file._replace(body=OPEN, at=file.at + 1)


TARGETS = ["seeds.example", "http://seeds.example/*", "http://seeds.example/robots.txt", "seeds.*"]


@pytest.mark.parametrize(
    ("word", "target"), [*(("forget", target) for target in TARGETS), *(("block", target) for target in TARGETS)]
)
def test_what_is_taken_out_leaves_no_history_and_the_rules_stay(session: Session, word: str, target: str) -> None:
    keep(session, fetched(CLOSED, 0), fetched(CLOSED, 0, "http://other.example:80"))
    with session.database.transaction():
        put_imported(session.database, ImportedFile("seeds.example", "", T, OPEN), "mine")
        put_imported(session.database, ImportedFile("no host", "", T, CLOSED), "mine")
    if word == "forget":
        forget(session.database, target)
    else:
        block(session.database, target, "they asked")
    left = [each.address for each in stored_versions(session.database)]
    assert left == ["no host", "http://other.example/robots.txt"]
    assert bodies(session) == 1, "both have it, and nobody the one that was imported"
    record = read_robots(session.database, ORIGIN)
    assert record is not None
    assert record.body == CLOSED
    keep(session, replace(record, good_at=T + 99))
    assert len(versions_of(session.database, ORIGIN)) == 1, "the next answer begins the history again"


def test_a_page_that_is_forgotten_takes_no_robots_txt_with_it(session: Session) -> None:
    keep(session, fetched(CLOSED, 0))
    forget(session.database, "http://seeds.example/page")
    assert len(versions_of(session.database, ORIGIN)) == 1


@given(st.sampled_from(["", ORIGIN]), st.text(max_size=30))
def test_any_name_of_an_imported_file_has_a_site_or_none(origin: str, name: str) -> None:
    site = site_of_version(origin, name)
    assert site == "seeds.example" if origin else site in {"", name}


def test_what_an_earlier_breadcrumb_kept_begins_the_history(session: Session) -> None:
    """The step of the schema is taken again, over a database that has records and no history."""
    keep(session, fetched(OPEN, 0), fetched(CLOSED, 3), fetched(OPEN, 5, "http://other.example:80"))
    before = {each.origin: each.digest for each in newest_versions(session.database)}
    [step] = MIGRATIONS.glob("*_robots_history.sql")
    with session.database.transaction() as connection:
        connection.execute("DROP TABLE robots_version")
        connection.execute("DROP TABLE robots_body")
    session.database.connection.executescript(step.read_text("utf-8"))
    versions = list(stored_versions(session.database))
    assert {each.origin: each.digest for each in versions} == before
    assert {body_of(session.database, each) for each in versions} == {OPEN, CLOSED}
