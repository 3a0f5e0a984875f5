"""Each table of the database says with what its rows go when a part is split: a new one can't be forgotten."""

from collections import Counter
from pathlib import Path

from crawldb.database import CrawlDatabase
from extension_points import added_tables
from extensions.machines.tables import BY_THEMSELVES, OF_ALL, OF_NAMES, OF_SITES, OF_THE_OLD_PART, OF_URLS

TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"


def test_each_table_is_named_once(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path) as database:
        tables = {name for (name,) in database.connection.execute(TABLES)}
    of_extensions = ("added_tables", *(f"{each.name}_" for each in added_tables()))  # both sides of a split have them
    tables = {name for name in tables if not name.startswith(of_extensions)}
    named = Counter((*OF_URLS, *OF_SITES, *OF_NAMES, *OF_THE_OLD_PART, *OF_ALL, *BY_THEMSELVES))
    assert named == dict.fromkeys(tables, 1)


def test_a_table_that_refers_to_urls_or_sites_is_no_table_of_all(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path) as database:
        for table in OF_ALL:
            refers = database.connection.execute(f"PRAGMA foreign_key_list({table})").fetchall()
            assert not {row[2] for row in refers} & {"url", "site", "page"}, table
