"""Which tables has a crawl database? A new one is made by `schema.sql`, which has all of them.

Each file in `migrations/` takes a database of an earlier Breadcrumb one version further, until it has the same schema.

The view `indexed_page` alone says which pages are in the index (`schema.sql`): those of table `page` that no
filter rejected. A query reads the view in place of the table, or has `in_index` as its condition.
"""

from __future__ import annotations

import sqlite3
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

SCHEMA = Path(__file__).parent / "schema.sql"  # the last statement sets the version that it has
MIGRATIONS = Path(__file__).parent / "migrations"


def in_index(url: str) -> str:
    """Return, as SQL, whether the page of a URL is in the index; `url` is the column that has its id."""
    return f"EXISTS (SELECT 1 FROM indexed_page AS shown WHERE shown.url = {url})"


def statements(script: str) -> Iterator[str]:
    """Yield the statements of a script, one by one."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def newest_schema() -> int:
    """Return the version of the schema to which this Breadcrumb brings a database."""
    return max(steps_by_version())


def whole_schema() -> str:
    """Return the script that makes all tables of a new database."""
    return _packed(SCHEMA).read_text("utf-8")


def steps_by_version() -> dict[int, Traversable]:
    """Return the migrations by the version to which they bring a database, in order."""
    folder = _packed(MIGRATIONS)
    found = sorted((path for path in folder.iterdir() if path.name.endswith(".sql")), key=attrgetter("name"))
    return {int(step.name[:4]): step for step in found}


def _packed(path: Path) -> Traversable:
    if path.exists():
        return path
    from importlib.resources import files  # noqa: PLC0415 - in an egg; 5 ms that nobody else needs to wait

    return files("crawldb") / path.name
