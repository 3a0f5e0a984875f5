"""Which runs and rounds were there, what did a run use, and what was planned? Tables `round`, `run` and `plan`.

A round is open until nothing is left to fetch; a run belongs to the round that is open when it begins. A run that was
killed, or found no room on its disk, can't write its end, so the next run writes it.

A plan is the estimate that a person saw before a run. The newest is kept, so plan and actual can be compared.
"""

from __future__ import annotations

import json
import math
import os
import resource
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from crawldb.database import stored_json
from crawldb.lock import noted_ending
from urls.schedule import Mode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crawldb.database import CrawlDatabase


# getrusage(2) counts in KiB on Linux and in bytes on macOS.
_UNIT = 1 if sys.platform == "darwin" else 1024
# Of a run that is at work, or was killed, the time up to its last request counts; a clock may have been set back.
END_OF_RUN = "coalesce(ended_at, (SELECT max(at) FROM fetch WHERE fetch.run = run.id), started_at)"
SECONDS_OF_RUN = f"max(0.0, {END_OF_RUN} - started_at)"


# How a run ended that had nothing left to do, one that wrote nothing of its end, and one that its disk cut short.
BY_ITSELF, KILLED, FULL_DISK = "finished", "killed", "disk full"


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the crawl, within one round; `resumed`: the round was open before."""

    id: int
    round: int
    resumed: bool
    same_policy: bool = True  # as the run before it; True for the first
    mode: Mode = Mode.ALL


def crawling_process(database: CrawlDatabase) -> int | None:
    """Return the number of the process that crawls into the folder now, or None. A killed one has left its row."""
    row = database.connection.execute("SELECT id, pid FROM run WHERE ended_at IS NULL ORDER BY id DESC LIMIT 1")
    run, pid = row.fetchone() or (0, 0)
    return pid if pid and is_process(pid) and not noted_ending(database.path.parent, run, pid) else None


def is_process(pid: int) -> bool:
    """Return whether there is a process with this number, our own or somebody else's."""
    try:
        os.kill(pid, 0)  # sends nothing: asks whether there is such a process
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # there is, and it is somebody else's
    return True


def latest_run(database: CrawlDatabase) -> Run:
    """Return the newest run, for what is done outside a run; a run of no number where there was none."""
    row = database.connection.execute("SELECT id, round FROM run ORDER BY id DESC LIMIT 1").fetchone()
    number, round_ = row or (0, 0)
    return Run(number, round_, resumed=True)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run, with times in seconds since the epoch. `ended_at` is None until its end is written."""

    run: int
    round: int
    pid: int
    started_at: float
    ended_at: float | None
    ending: str | None  # None: it works, or nothing is known of its end
    waiting: int  # URLs that had to wait when it ended


def newest_run_record(database: CrawlDatabase, run: int | None = None) -> RunRecord | None:
    """Return the record of the newest run, or of `run`; None where there is none."""
    row = database.connection.execute(
        "SELECT id, round, pid, started_at, ended_at, ending, waiting FROM run WHERE ?1 IS NULL OR id = ?1 "
        "ORDER BY id DESC LIMIT 1",
        (run,),
    ).fetchone()
    if row is None:
        return None
    found = RunRecord(*row)
    return found if found.ending else replace(found, ending=noted_ending(database.path.parent, found.run, found.pid))


def run_of_process(database: CrawlDatabase, pid: int, after: int) -> int | None:
    """Return the first run after run `after` that a process made; None where it has made none."""
    return database.count("SELECT min(id) FROM run WHERE pid = ? AND id > ?", pid, after) or None


def runs_counted(database: CrawlDatabase) -> int:
    """Return how many runs there were."""
    return database.count("SELECT count(*) FROM run")


def latest_start(database: CrawlDatabase) -> float:
    """Return when the newest run began, in whole seconds since the epoch; 0 where there is none."""
    return database.count("SELECT max(started_at) FROM run")


def newest_ids(database: CrawlDatabase) -> tuple[int, int]:
    """Return the ids of the newest round and of the newest run; 0 where there is none."""
    return database.count("SELECT max(id) FROM round"), database.count("SELECT max(id) FROM run")


def open_round(database: CrawlDatabase) -> int | None:
    """Return the id of the open round, or None."""
    return database.count("SELECT id FROM round WHERE closed_at IS NULL") or None


def begin_round(database: CrawlDatabase, now: float, *, continues: bool = False) -> int:
    """Open a round, within the caller's transaction; return its id.

    With `continues` a part of a divided crawl comes back for what is new, and the whole crawl is still in its round.
    """
    sql = "INSERT INTO round (opened_at, continues) VALUES (?, ? AND EXISTS (SELECT 1 FROM round))"
    return int(database.connection.execute(sql, (now, continues)).lastrowid or 0)


def close_round(database: CrawlDatabase, now: float, *, opened_until: float = math.inf) -> None:
    """Close the open round, within the caller's transaction, if it was opened by the time `opened_until`."""
    database.connection.execute(
        "UPDATE round SET closed_at = ? WHERE closed_at IS NULL AND opened_at <= ?", (now, opened_until)
    )


def opened_by(database: CrawlDatabase, now: float) -> None:
    """Let the open round be opened now at the latest, within the caller's transaction: the clock was set back since."""
    database.connection.execute("UPDATE round SET opened_at = ?1 WHERE closed_at IS NULL AND opened_at > ?1", (now,))


@dataclass(frozen=True, slots=True)
class Manners:
    """How a run presents itself to servers, and its pace, by the names of the settings; times are in seconds."""

    product: str
    contact: str
    bot_url: str
    download_delay: float
    max_crawl_delay: float
    max_host_rest: float
    concurrent_requests_per_domain: int


_MANNERS = ", ".join(Manners.__slots__)


def note_manners(database: CrawlDatabase, run: int, manners: Manners) -> None:
    """Keep them, within the caller's transaction."""
    values = (run, *(getattr(manners, name) for name in Manners.__slots__))
    places = ", ".join("?" * len(values))
    database.connection.execute(f"INSERT INTO manners (run, {_MANNERS}) VALUES ({places})", values)


def latest_manners(databases: Iterable[CrawlDatabase]) -> Manners | None:
    """Return those of the newest run in any part of a crawl; None where no run has noted any."""
    sql = f"SELECT started_at, {_MANNERS} FROM manners JOIN run ON run.id = manners.run ORDER BY run.id DESC LIMIT 1"
    rows = [row for database in databases for row in database.connection.execute(sql)]
    return Manners(*max(rows)[1:]) if rows else None


def enter_run(database: CrawlDatabase, round_: int, policy: str, now: float) -> tuple[int, bool]:
    """Enter a run of this process; return its id, and whether the run before it had the same policy."""
    before = database.value("SELECT policy FROM run ORDER BY id DESC LIMIT 1")
    cursor = database.connection.execute(
        "INSERT INTO run (round, pid, policy, started_at) VALUES (?, ?, ?, ?)", (round_, os.getpid(), policy, now)
    )
    return int(cursor.lastrowid or 0), before in {None, policy}


def bury_unended_runs(database: CrawlDatabase) -> None:
    """Write down how and when runs without an end did end: only one runs at a time, and another begins now."""
    for run, pid in database.connection.execute("SELECT id, pid FROM run WHERE ended_at IS NULL").fetchall():
        ending = noted_ending(database.path.parent, run, pid) or KILLED
        database.connection.execute(f"UPDATE run SET ended_at = {END_OF_RUN}, ending = ? WHERE id = ?", (ending, run))


def end_of_run(database: CrawlDatabase, run: int, ending: str, *, waiting: int, now: float) -> None:
    """Write down how a run ended, and how many URLs had to wait."""
    sql = "UPDATE run SET ended_at = ?, ending = ?, waiting = ? WHERE id = ?"
    database.connection.execute(sql, (now, ending, waiting, run))


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes of memory at the peak, of the process that fetches and of the index writer; bytes received."""

    peak_memory: int = 0
    index_memory: int = 0
    received: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Return what several runs used, one after the other: memory is given back between them."""
        return Usage(
            max(self.peak_memory, other.peak_memory),
            max(self.index_memory, other.index_memory),
            self.received + other.received,
        )


def peak_of_this_process() -> int:
    """Return the most memory in bytes that this process has held since it began."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


def peak_of_children() -> int:
    """Return the most memory in bytes that any child process has held which has ended and was waited for."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * _UNIT


def note_usage(database: CrawlDatabase, run: int, used: Usage) -> None:
    """Store what a run used in its row; a larger earlier value stays. In one transaction."""
    with database.transaction() as connection:
        connection.execute(
            "UPDATE run SET peak_memory = max(peak_memory, ?), index_memory = max(index_memory, ?), "
            "received = max(received, ?) WHERE id = ?",
            (used.peak_memory, used.index_memory, used.received, run),
        )


def usage_of_round(database: CrawlDatabase, round_: int) -> Usage:
    """Return what the runs of a round have used together."""
    rows = database.connection.execute(
        "SELECT peak_memory, index_memory, received FROM run WHERE round = ?", (round_,)
    ).fetchall()
    return sum((Usage(*row) for row in rows), Usage())


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan: made at `at` (seconds since the epoch), from what run `run` of round `round` had measured."""

    at: float
    run: int
    round: int
    estimate: Mapping[str, Any]  # extensions/plan/forecast.py, as_dict


def write_plan(database: CrawlDatabase, run: int, estimate: Mapping[str, Any]) -> None:
    """Keep a plan, in one transaction."""
    with database.transaction() as connection:
        connection.execute(
            "INSERT INTO plan (at, run, estimate) VALUES (?, ?, ?)", (time.time(), run, json.dumps(estimate))
        )


def newest_plan(database: CrawlDatabase) -> StoredPlan | None:
    """Return the newest plan, or None where none was ever made."""
    row = database.connection.execute(
        "SELECT at, run, run.round, estimate FROM plan JOIN run ON run.id = plan.run ORDER BY plan.id DESC LIMIT 1"
    ).fetchone()
    if row is None:
        return None
    at, run, round_, estimate = row
    return StoredPlan(at, run, round_, stored_json(estimate, dict))


def is_census(database: CrawlDatabase) -> bool:
    """Return whether a census was taken here: then the words of its pages are in no table."""
    return database.value("SELECT 1 FROM census LIMIT 1") is not None
