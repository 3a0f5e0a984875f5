"""Is damage to a crawl database reported? Each bit of a sealed one, and the structure and columns of any."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from commands.frame.exits import error_message
from crawldb.database import FILE_NAME, CrawlDatabase, DatabaseError, in_words, stored_json
from crawldb.seal import SUFFIX, damage, is_sealed
from crawldb.tables.runs import newest_plan
from frontier.job import CrawlJob
from frontier.session import Session
from urls.canonical import canonicalize

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SEED = canonicalize("http://bakery.example/")
HELP = "put back a backup"


def crawl(folder: Path) -> None:
    Session(folder, CrawlJob((SEED,))).close("finished")


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    crawl(tmp_path)
    with CrawlDatabase(tmp_path) as database:
        assert database.seal()
    return tmp_path / FILE_NAME


def turn(path: Path, place: int) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        (byte,) = file.read(1)
        file.seek(place)
        file.write(bytes([byte ^ 0x10]))


def test_a_bit_that_a_disk_has_turned_anywhere_is_told_by_who_reads_and_by_who_crawls(sealed: Path) -> None:
    dice = random.Random(1)
    for _ in range(40):
        place = dice.randrange(100, sealed.stat().st_size)
        turn(sealed, place)
        with pytest.raises(DatabaseError, match=HELP):
            CrawlDatabase(sealed.parent, readonly=True)
        with pytest.raises(DatabaseError, match=HELP):
            crawl(sealed.parent)
        turn(sealed, place)
    crawl(sealed.parent)


@pytest.mark.parametrize("size", [0, 1, 4096, -1])
def test_a_sealed_database_that_is_cut_short_is_told(sealed: Path, size: int) -> None:
    with sealed.open("r+b") as file:
        file.truncate(size if size >= 0 else sealed.stat().st_size - 4096)
    with pytest.raises(DatabaseError, match=r"backup|can't be opened|schema version"):
        CrawlDatabase(sealed.parent, readonly=True)


def test_who_writes_and_seals_nothing_leaves_checksums(sealed: Path) -> None:
    with CrawlDatabase(sealed.parent) as database, database.transaction():
        assert database.value("PRAGMA application_id") == 0
    assert is_sealed(sealed)
    turn(sealed, sealed.stat().st_size - 100)
    assert "has checksum" in damage(sealed, 1.0)


def test_a_database_that_was_put_back_is_not_measured_by_the_seal_of_another(sealed: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    with closing(sqlite3.connect(sealed)) as source, closing(sqlite3.connect(backup)) as target:
        source.backup(target)
    crawl(sealed.parent)
    with CrawlDatabase(sealed.parent) as database:
        database.seal()
    shutil.copyfile(backup, sealed)
    crawl(sealed.parent)


def test_a_database_is_not_sealed_while_another_writes_it(sealed: Path) -> None:
    with CrawlDatabase(sealed.parent) as writer, CrawlDatabase(sealed.parent) as other, writer.transaction():
        assert not other.seal()
    CrawlDatabase(sealed.parent, readonly=True).close()


@pytest.mark.parametrize("content", [b"", b"no seal", b"BCDB" + bytes(100)])
def test_a_seal_that_is_damaged_itself_is_none(sealed: Path, content: bytes) -> None:
    sealed.with_name(f"{FILE_NAME}{SUFFIX}").write_bytes(content)
    CrawlDatabase(sealed.parent, readonly=True).close()


def test_a_byte_that_is_no_text_in_the_schema_is_told(sealed: Path) -> None:
    sealed.with_name(f"{FILE_NAME}{SUFFIX}").unlink()
    content = sealed.read_bytes()
    place = content.index(b"CREATE TABLE")
    sealed.write_bytes(content[: place + 13] + b"\xff\xfe\x80" + content[place + 16 :])
    with pytest.raises(DatabaseError, match=HELP):
        CrawlDatabase(sealed.parent, readonly=True)


def test_a_broken_structure_is_told_when_a_crawl_begins(tmp_path: Path) -> None:
    crawl(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as database:
        page = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'journal'").fetchone()[0]
        size = database.execute("PRAGMA page_size").fetchone()[0]
    with (tmp_path / FILE_NAME).open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\x05" * 100)
    with pytest.raises(DatabaseError, match=HELP):
        crawl(tmp_path)


def test_what_a_column_must_hold_as_json_is_told_where_it_does_not(tmp_path: Path) -> None:
    crawl(tmp_path)
    with CrawlDatabase(tmp_path) as database:
        with database.transaction() as connection:
            connection.execute("INSERT INTO plan (at, run, estimate) VALUES (1, 1, '{\"requests\": 1')")
        with pytest.raises(DatabaseError, match=HELP):
            newest_plan(database)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a": 1}', "1", "null", '"\ud800', "NaN,"])
def test_no_text_makes_json_of_a_column_raise_what_is_not_told(text: str) -> None:
    with pytest.raises(DatabaseError, match=HELP):
        stored_json(text, list)


def test_text_that_is_none_is_told_with_what_helps(sealed: Path) -> None:
    with CrawlDatabase(sealed.parent, readonly=True) as database, pytest.raises(sqlite3.Error) as told:
        database.value("SELECT CAST(x'ff' AS TEXT)")
    assert HELP in in_words(told.value)
    assert HELP in (error_message(told.value) or "")


@pytest.mark.parametrize("remedy", ["a backup", "another folder"])
def test_what_is_told_to_help_helps(sealed: Path, tmp_path_factory: pytest.TempPathFactory, remedy: str) -> None:
    elsewhere: Callable[[str], Path] = tmp_path_factory.mktemp
    backup = shutil.copyfile(sealed, elsewhere("backup") / FILE_NAME)
    turn(sealed, 5000)
    with pytest.raises(DatabaseError, match=f"{HELP}.*into another folder with -s DATA_DIR=FOLDER"):
        crawl(sealed.parent)
    if remedy == "a backup":
        for path in sealed.parent.glob(f"{FILE_NAME}*"):
            path.unlink()
        shutil.copyfile(backup, sealed)
        crawl(sealed.parent)
    else:
        crawl(elsewhere("anew"))
