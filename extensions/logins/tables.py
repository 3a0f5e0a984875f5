"""Which areas of a crawl are private? Those that any run of it had in a `[[site]]` table: table `logins_area`.

A mark stays when the table leaves breadcrumb.toml, or when the folder is served with other settings.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

from crawldb.database import DatabaseError
from crawldb.databases import Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from crawldb.database import CrawlDatabase

NAME = "logins"  # of the extension, under which its tables are
MAKE_TABLES = "CREATE TABLE logins_area (area TEXT PRIMARY KEY) WITHOUT ROWID;"


def mark_areas(database: CrawlDatabase, areas: Iterable[str]) -> None:
    """Note that areas are private, in a transaction of its own."""
    with database.transaction():
        database.connection.executemany(
            "INSERT OR IGNORE INTO logins_area (area) VALUES (?)", [(area,) for area in areas]
        )


def marked_areas(database: CrawlDatabase) -> frozenset[str]:
    """Return the private areas; none for a database that was never written since there is this table."""
    try:
        return frozenset(database.column("SELECT area FROM logins_area"))
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return frozenset()
        raise


def marked_now(parts: Callable[[], Parts]) -> frozenset[str]:
    """Return the private areas that the parts of a crawl have marked; of a part that can't be read, none."""
    with suppress(DatabaseError, sqlite3.Error):
        return frozenset().union(*map(marked_areas, parts().readable()))
    return frozenset()


def marked_in(data_dir: Path) -> frozenset[str]:
    """Return the private areas of the crawl in a folder."""
    with suppress(DatabaseError, sqlite3.Error), Parts.in_folder(data_dir) as parts:
        return marked_now(lambda: parts)
    return frozenset()
