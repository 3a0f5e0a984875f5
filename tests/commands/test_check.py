"""`check` reads all of a data folder and finds what is not as it was written."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from crawldb.archive.file_names import FOLDER, path_of_file
from crawldb.database import CrawlDatabase
from crawldb.tables.archived import ArchivedPlace, write_places
from tests.commands.conftest import Breadcrumb
from tests.crawldb.archive.test_recovery import written


def stale_block(data: Path) -> None:
    """Put a block back as it was before the last rows came, in a database that nobody has sealed."""
    path = data / "crawl.sqlite3"
    with CrawlDatabase(data) as database:
        root = database.count("SELECT rootpage FROM sqlite_schema WHERE name = 'site'")
        database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        before = path.read_bytes()[(root - 1) * 4096 : root * 4096]
        with database.transaction() as connection:
            connection.execute("INSERT INTO site (name) VALUES ('late.example')")
    with path.open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(before)


def turned_bit(data: Path) -> None:
    (segment, *_) = (data / "index").rglob("*.seg")
    content = bytearray(segment.read_bytes())
    content[len(content) // 2] ^= 1
    segment.write_bytes(content)


def unseen_change(data: Path) -> None:
    with CrawlDatabase(data) as database, database.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO change (url) SELECT url FROM page LIMIT 1")


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        pytest.param(stale_block, "wrong # of entries in index", id="a block as it was before"),
        pytest.param(turned_bit, "./breadcrumb index --rebuild", id="a bit of the index"),
        pytest.param(unseen_change, "The index is 1 change behind", id="a change that the index has not seen"),
    ],
)
def test_what_is_wrong_in_a_folder_is_found_and_said(
    bakery: Breadcrumb, harm: Callable[[Path], None], found: str
) -> None:
    sound = bakery.run("check")
    assert (sound.code, "is sound" in sound.out) == (0, True)
    harm(bakery.data)
    done = bakery.run("check", "--json")
    told = json.loads(done.out)
    assert (done.code, told["sound"]) == (1, False)
    assert found in " ".join(told["findings"])


def flipped_byte(file: Path, last: ArchivedPlace) -> None:
    content = bytearray(file.read_bytes())
    content[last.offset + last.length // 2] ^= 1
    file.write_bytes(content)


def cut_in_a_record(file: Path, last: ArchivedPlace) -> None:
    file.write_bytes(file.read_bytes()[: last.start + 20])


def cut_between_two_records(file: Path, last: ArchivedPlace) -> None:
    file.write_bytes(file.read_bytes()[: last.start])


def emptied(file: Path, _: ArchivedPlace) -> None:
    file.write_bytes(b"")


def missing(file: Path, _: ArchivedPlace) -> None:
    file.unlink()


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        (flipped_byte, "a record can't be read"),
        (cut_in_a_record, "it was cut"),
        (cut_between_two_records, "it was cut"),
        (emptied, "has 0 bytes"),
        (missing, "is missing, with 4 exchanges in it"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_damage_to_a_file_of_the_archive_is_found_and_the_file_named(
    bakery: Breadcrumb, harm: Callable[[Path, ArchivedPlace], None], found: str
) -> None:
    places = written(bakery.data)
    with CrawlDatabase(bakery.data) as database:
        with database.transaction():
            write_places(database, places)
        database.seal()
    file = path_of_file(bakery.data / FOLDER, places[0].file)
    file = file.rename(file.with_name(places[0].file))
    assert bakery.run("check").code == 0
    harm(file, places[-1])
    done = bakery.run("check", "--json")
    (finding,) = json.loads(done.out)["findings"]
    assert done.code == 1
    assert str(file) in finding
    assert found in finding
