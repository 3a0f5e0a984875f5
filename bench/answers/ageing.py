"""How does a crawl database look tomorrow? As it does today, with every moment that it knows of longer ago."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bench.answers.record import DAY
from crawldb.database import FILE_NAME
from robots import origin_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ROBOTS_TIMES = ("fetched_at", "expires_at", "good_at", "failing_since")  # an empty one stays empty


def grow_older(folder: Path, sites: Mapping[str, float]) -> None:
    """Let so many seconds pass for what is known of each site's robots.txt, and a day for everything else.

    `sites` has the addresses of their first pages.
    """
    with closing(sqlite3.connect(folder / FILE_NAME)) as database, database:
        for url, seconds in sites.items():
            columns = ", ".join(f"{name} = {name} - {seconds}" for name in ROBOTS_TIMES)
            database.execute(f"UPDATE robots SET {columns} WHERE origin = ?", (origin_of(url),))
            where = f"{urlsplit(url).scheme}://{urlsplit(url).netloc}/"
            database.execute(
                "UPDATE url SET due_at = max(0, due_at - ?) WHERE substr(url, 1, ?) = ?", (seconds, len(where), where)
            )
            for table, name in (("host", urlsplit(url).hostname), ("site", urlsplit(url).netloc)):
                database.execute(
                    f"UPDATE {table} SET rests_until = max(0, rests_until - ?) WHERE name = ?", (seconds, name)
                )
        database.execute("UPDATE host SET last_request_at = max(0, last_request_at - ?)", (DAY,))
        database.execute("UPDATE round SET opened_at = opened_at - ?", (DAY,))
