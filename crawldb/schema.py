"""Which steps bring a crawl database to the present schema? Each file in `migrations/` takes it one version further.

The view `indexed_page` alone says which pages are in the index (`0039_indexed_page.sql`): those of table `page` that no
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

MIGRATIONS = Path(__file__).parent / "migrations"


def in_index(url: str) -> str:
    """Return, as SQL, whether the page of a URL is in the index; `url` is the column that has its id."""
    return f"EXISTS (SELECT 1 FROM indexed_page AS shown WHERE shown.url = {url})"


def statements(script: str) -> Iterator[str]:
    """Yield the statements of a migration, one by one."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def newest_schema() -> int:
    """Return the version of the schema to which this Breadcrumb brings a database."""
    return max(steps_by_version())


def steps_by_version() -> dict[int, Traversable]:
    """Return the migrations by the version to which they bring a database, in order."""
    folder: Traversable = MIGRATIONS
    if not folder.is_dir():  # in an egg
        from importlib.resources import files  # noqa: PLC0415 - 5 ms that nobody else needs to wait

        folder = files("crawldb") / MIGRATIONS.name
    found = sorted((path for path in folder.iterdir() if path.name.endswith(".sql")), key=attrgetter("name"))
    return {int(step.name[:4]): step for step in found}
