"""`check` reads all of a data folder and finds what is not as it was written."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from crawldb.database import CrawlDatabase
from tests.commands.conftest import Breadcrumb


def stale_block(data: Path) -> None:
    """Put a block back as it was before the last rows came."""
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


def stale_block_without_checksums(data: Path) -> None:
    stale_block(data)
    (data / "crawl.sqlite3.seal").unlink()


def turned_bit(data: Path) -> None:
    (segment, *_) = (data / "index").rglob("*.seg")
    content = bytearray(segment.read_bytes())
    content[len(content) // 2] ^= 1
    segment.write_bytes(content)


def unseen_change(data: Path) -> None:
    with CrawlDatabase(data) as database, database.transaction() as connection:
        connection.execute("INSERT OR REPLACE INTO change (url) SELECT url FROM page LIMIT 1")


def older_copy(data: Path) -> None:
    """Put the crawl database back as it was before the newest changes, which the index has followed."""
    with CrawlDatabase(data) as database, database.transaction() as connection:
        connection.execute("DELETE FROM change WHERE seq = (SELECT max(seq) FROM change)")


@pytest.mark.parametrize("seal", [b"no seal", None], ids=["damaged", "lost"])
def test_without_a_seal_of_its_own_a_database_is_not_said_to_be_as_it_was_written(
    bakery: Breadcrumb, seal: bytes | None
) -> None:
    path = bakery.data / "crawl.sqlite3.seal"
    path.unlink() if seal is None else path.write_bytes(seal)
    done, told = bakery.run("check"), json.loads(bakery.run("check", "--json").out)
    assert "is sound: structure of the crawl database, index" in done.out
    assert "No checksum of the crawl database was compared" in done.out
    assert (told["sound"], told["sealed"]) == (True, False)


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        pytest.param(stale_block, "has checksum", id="a block as it was before"),
        pytest.param(
            stale_block_without_checksums, "wrong # of entries in index", id="a block as it was, without checksums"
        ),
        pytest.param(turned_bit, "./breadcrumb index --rebuild", id="a bit of the index"),
        pytest.param(unseen_change, "The index lacks 1 change", id="a change that the index has not seen"),
        pytest.param(older_copy, "The index lacks 7 changes", id="an index of a later state than the database"),
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
