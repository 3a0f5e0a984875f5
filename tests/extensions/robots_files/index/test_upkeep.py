"""The index is in step with what is stored when it answers, whatever happened in between."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawldb.database import CrawlDatabase
from crawldb.tables.robots_files import history_mark
from extensions.robots_files.index import tables
from extensions.robots_files.index.collection import RobotsCollection
from extensions.robots_files.index.tables import FILE_NAME, drop_files_without_version, open_index_file, put_file
from frontier.takedown import block, forget
from indexer.faults import IndexFault
from tests.extensions.robots_files.index.conftest import CLOSED, FILES, OPEN, keep_fetched, keep_imported

if TYPE_CHECKING:
    from pathlib import Path

OTHER = "http://other.example:80"


def found(database: CrawlDatabase, question: str) -> list[str]:
    with RobotsCollection.open(database.path.parent, [database]) as collection:
        return [hit.version.address for hit in collection.search(question).hits]


def test_what_is_fetched_is_found_and_what_was_before_is_history(database: CrawlDatabase) -> None:
    assert found(database, "disallow:*") == []
    keep_fetched(database, CLOSED, 0)
    assert found(database, "disallow:/") == ["http://fetched.example:8080/robots.txt"]
    keep_fetched(database, OPEN, 1)
    assert found(database, "disallow:/") == []
    assert len(found(database, "disallow:/ date:2026")) == 1


@pytest.mark.parametrize("word", ["forget", "block"])
def test_what_was_taken_out_is_not_found_and_no_word_of_it_is_left(database: CrawlDatabase, word: str) -> None:
    keep_fetched(database, b"# onlyhere\n" + CLOSED, 0)
    keep_fetched(database, CLOSED, 0, OTHER)
    keep_imported(database, FILES)
    assert len(found(database, "disallow:/")) == 5
    if word == "forget":
        forget(database, "fetched.example:8080")
    else:
        block(database, "fetched.example:8080", "")
    assert len(found(database, "disallow:/")) == 4
    assert found(database, "onlyhere date:2026") == []
    index = sqlite3.connect(database.path.parent / FILE_NAME, isolation_level=None)
    index.execute("INSERT INTO words (words) VALUES ('optimize')")
    index.execute("VACUUM")
    index.close()  # the last one to close it empties the log
    assert b"onlyhere" not in (database.path.parent / FILE_NAME).read_bytes()


def test_a_file_stays_as_long_as_one_version_names_it(database: CrawlDatabase) -> None:
    keep_fetched(database, CLOSED, 0)
    keep_fetched(database, CLOSED, 0, OTHER)
    assert len(found(database, "disallow:/")) == 2
    forget(database, "fetched.example:8080")
    assert found(database, "disallow:/") == ["http://other.example/robots.txt"]


def test_each_part_of_a_divided_crawl_has_its_own_files(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "part-1") as one, CrawlDatabase(tmp_path / "part-2") as two:
        keep_fetched(one, CLOSED, 0)
        keep_fetched(two, CLOSED, 0, OTHER)
        with RobotsCollection.open(tmp_path, [one, two]) as collection:
            hits = collection.search("disallow:/").hits
            assert {(hit.part, hit.version.id) for hit in hits} == {("part-1", 1), ("part-2", 1)}
        with RobotsCollection.open(tmp_path, [two]) as collection:
            assert collection.search("disallow:/").total == 2, "what can't be asked just now stays as it was"


def test_a_database_that_was_put_back_is_followed_though_its_numbers_are_the_same(tmp_path: Path) -> None:
    for body in (OPEN, CLOSED):
        for path in tmp_path.glob("crawl.sqlite3*"):
            path.unlink()
        with CrawlDatabase(tmp_path) as database:
            keep_fetched(database, body, 0)
            assert len(found(database, "disallow:/")) == (body == CLOSED)


def test_an_index_that_is_damaged_or_of_another_form_is_made_anew(database: CrawlDatabase) -> None:
    keep_fetched(database, CLOSED, 0)
    path = database.path.parent / FILE_NAME
    path.write_bytes(b"no database" * 1000)
    assert len(found(database, "disallow:/")) == 1
    with sqlite3.connect(path) as index:
        index.execute("PRAGMA user_version = 99")
    assert len(found(database, "disallow:/")) == 1
    with sqlite3.connect(path) as index:
        assert index.execute("PRAGMA user_version").fetchone() == (tables.FORM,)


def test_an_index_whose_pages_are_damaged_is_made_anew_or_that_is_told(database: CrawlDatabase) -> None:
    keep_fetched(database, CLOSED, 0)
    assert len(found(database, "disallow:/")) == 1
    path = database.path.parent / FILE_NAME
    sound = path.read_bytes()
    told = []
    for at in range(4096, len(sound), 4096):
        path.write_bytes(sound[:at] + b"\xff" * 4096 + sound[at + 4096 :])
        try:
            assert len(found(database, "disallow:/ closed OR disallow:/")) == 1
        except IndexFault as fault:
            told.append(str(fault))
            path.unlink()
            assert len(found(database, "disallow:/")) == 1
    assert told
    assert all(f"{FILE_NAME} is damaged" in each for each in told)


def test_where_the_index_is_kept_busy_or_may_not_be_written_the_answer_is_the_same(
    database: CrawlDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "BUSY_SECONDS", 0.0)
    keep_fetched(database, OPEN, 0)
    assert found(database, "disallow:/") == []
    keep_fetched(database, CLOSED, 1)
    with sqlite3.connect(database.path.parent / FILE_NAME, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        assert len(found(database, "disallow:/")) == 1
        other.execute("ROLLBACK")
    path = database.path.parent / FILE_NAME
    path.unlink()
    path.mkdir()
    assert len(found(database, "disallow:/")) == 1


def test_it_answers_while_a_crawl_writes(database: CrawlDatabase) -> None:
    keep_fetched(database, OPEN, 0)
    with CrawlDatabase(database.path.parent) as crawl, crawl.transaction() as connection:
        connection.execute("UPDATE robots_version SET status = 404")
        assert len(found(database, "status:200")) == 1
    assert found(database, "status:200") == []


def test_each_change_gives_the_history_another_mark(database: CrawlDatabase) -> None:
    marks = [history_mark(database)]
    for change in (
        lambda: keep_fetched(database, OPEN, 0),
        lambda: keep_fetched(database, OPEN, 1),
        lambda: keep_imported(database, FILES),
        lambda: forget(database, "odd.example"),
    ):
        change()
        marks.append(history_mark(database))
    assert len(set(marks)) == len(marks) == 5
    keep_imported(database, {"joint": FILES["joint"]})
    assert history_mark(database) == marks[-1], "nothing has changed"


def test_a_file_whose_octets_are_damaged_is_left_out(database: CrawlDatabase) -> None:
    keep_fetched(database, CLOSED, 0)
    keep_fetched(database, CLOSED + b"#", 0, OTHER)
    database.connection.execute("UPDATE robots_body SET data = x'00' WHERE id = 1")
    assert found(database, "disallow:/") == ["http://other.example/robots.txt"]


def test_a_python_without_full_text_search_is_told_what_would_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_TABLES", tables._TABLES.replace("fts5", "no_fts5"))
    with pytest.raises(IndexFault, match="take a Python from"):
        open_index_file("")


@given(st.binary(max_size=300))
def test_any_octets_can_be_indexed_and_taken_out_again(body: bytes) -> None:
    index = open_index_file("")
    put_file(index, b"x", body)
    drop_files_without_version(index)
    assert index.execute("SELECT count(*) FROM line").fetchone() == (0,)
    index.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    index.close()
