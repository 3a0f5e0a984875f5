"""Is the crawl well? Its newest run, what needs a person, and the room on its disk, cheap enough to be asked often.

A divided crawl is as well as its parts are: what each of them needs stands in one list.
"""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crawldb.database import DatabaseError
from crawldb.pages.feed import Feed
from crawldb.tables.open_work import stopped_work
from crawldb.tables.runs import crawling_process
from indexer.faults import IndexFault
from indexer.position import indexed_position, is_there
from reports.needs import (
    Need,
    Remedy,
    complaint_need,
    disk_need,
    needs_of,
    stopped_work_need,
    waiting_complaints_need,
)
from reports.numbers import newest_run, open_complaints, troubles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from crawldb.tables.open_work import OpenWork


@dataclass(frozen=True, slots=True)
class CrawlHealth:
    """How a crawl stands. `last_run` is that of the part which ran last; `free` and `total` are bytes of its disk."""

    last_run: Mapping[str, Any] | None
    needs: tuple[Need, ...]
    free: int
    total: int

    def age(self, now: float) -> float | None:
        """Return the seconds since the newest run ended, 0 while it goes on; None where there was none."""
        if self.last_run is None:
            return None
        ended = now if self.last_run["running"] else self.last_run["ended_at"] or self.last_run["started_at"]
        return max(0.0, now - float(ended))


def crawl_health(parts: Parts, data_dir: Path, *, for_admin: bool = False) -> CrawlHealth:
    """Look at each part. One that can't be read is a need itself, unless it is the only one: then `DatabaseError`.

    Only `for_admin` says what visitors complain of; for everybody else it counts their complaints.
    """
    runs: list[dict[str, Any]] = []
    complaints: list[dict[str, Any]] = []
    needs: list[Need] = []
    stopped: list[OpenWork] = []
    for part in parts.parts:
        try:
            database = parts.of(part)
            last = newest_run(database)
            behind = changes_behind(parts.folder(part), database)
            needs += needs_of(troubles(database), last, behind)
            complaints += open_complaints(database)
            runs += [last] if last else []
            stopped += stopped_work([database])
        except (DatabaseError, sqlite3.Error) as fault:
            if not parts.divided:
                raise
            text = f"Part {part} can't be read, and is in none of these numbers: {parts.in_words(fault)}"
            needs.append(Need(text, (Remedy("tells of the others", "./breadcrumb report"),)))
    needs += stopped_work_need(list({(work.command, work.words): work for work in stopped}.values()))
    room = shutil.disk_usage(data_dir)
    full = disk_need(room.free)
    if complaints:
        needs[:0] = map(complaint_need, complaints) if for_admin else [waiting_complaints_need(len(complaints))]
    last_run = max(runs, key=lambda run: float(run["started_at"]), default=None)
    return CrawlHealth(last_run, tuple([full, *needs] if full else needs), room.free, room.total)


def unseen_changes(databases: Iterable[CrawlDatabase]) -> int:
    """Return how many changes the index has not seen, though no crawl runs beside which it would see them.

    Where there is no index, it has seen none.
    """
    idle = [database for database in databases if not crawling_process(database)]
    return sum(
        changes_behind(folder, database) if is_there(folder := database.path.parent) else Feed(database).rows()
        for database in idle
    )


def changes_behind(folder: Path, database: CrawlDatabase) -> int:
    """Return how many changes of the crawl the index has not seen; 0 where there is no index that could be asked."""
    try:
        position = indexed_position(folder)
    except IndexFault:
        return 0
    return Feed(database).waiting(position) if position >= 0 else 0
