"""Does a data folder of each earlier schema open? The folders were made by the code of their time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from crawldb.database import CrawlDatabase, OldSchemaError, newest_schema
from crawldb.databases import open_to_write, open_up_to_date
from crawldb.lock import CrawlLock, is_held
from crawldb.pages.pages import Pages
from tests.old_folders import SITE, old_folders, unpack

if TYPE_CHECKING:
    from pathlib import Path


def objects(database: CrawlDatabase) -> dict[str, str]:
    """Return the SQL of each table, index, view and trigger by its name, without comments and white space."""
    rows = database.connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return {name: re.sub(r"--[^\n]*|\s|\"", "", sql) for name, sql in rows}


@pytest.fixture(scope="session")
def present(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The schema of a new database."""
    with CrawlDatabase(tmp_path_factory.mktemp("present") / "data") as database:
        return objects(database)


def test_there_is_a_folder_for_each_earlier_schema() -> None:
    schemas = {int(name.partition("-")[0]) for name in old_folders()}
    side_by_side = {23, 25}  # were joined with the next step, so no version had them as its newest
    assert schemas >= set(range(11, newest_schema())) - side_by_side


@pytest.mark.parametrize("name", old_folders())
def test_a_folder_of_an_earlier_schema_opens_with_all_that_it_has(
    name: str, data_dir: Path, present: dict[str, str]
) -> None:
    unpack(name, data_dir)
    with open_up_to_date(data_dir) as database:
        assert database.value("PRAGMA user_version") == newest_schema()
        assert objects(database) == present
        assert database.value("PRAGMA integrity_check") == "ok"
        assert database.connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert database.count("SELECT count(*) FROM url") == 8
        assert database.count("SELECT count(*) FROM page") == 5
        assert database.count("SELECT count(*) FROM indexed_page") == 3
        page = Pages(database).get(f"{SITE}/rye.html")
        assert page is not None
        assert page.title == "Rye bread"
        assert b"patience in the cool cellar" in (Pages(database).body(page.url) or b"")
    CrawlDatabase(data_dir, readonly=True).close()  # it stays so


@pytest.mark.parametrize("open_it", [open_up_to_date, lambda folder: open_to_write(folder).__enter__()])
def test_nothing_is_changed_below_a_crawl_of_the_earlier_version(open_it: object, data_dir: Path) -> None:
    unpack("32-a1c87d8e", data_dir)
    lock = CrawlLock(data_dir)
    try:
        if not is_held(data_dir):
            pytest.skip("this system has no list of its locks")
        with pytest.raises(OldSchemaError, match=r"needs \d+: wait until the crawl of process \d+ has ended"):
            open_it(data_dir)  # type: ignore[operator]
    finally:
        lock.release()
    with pytest.raises(OldSchemaError, match="has schema version 32"):
        CrawlDatabase(data_dir, readonly=True)
    open_up_to_date(data_dir).close()
