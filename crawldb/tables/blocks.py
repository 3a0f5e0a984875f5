"""What is on the blacklist? Table `block`: a site, a URL or a pattern each, with its reason and who put it there.

An entry of a person holds until that person lifts it; one of BLACKLIST_FILE holds as long as the file has it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from urls.blacklist import Blacklist, Target, TargetKind

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

PERSON, FILE = "person", "file"  # who put an entry there


@dataclass(frozen=True, slots=True)
class BlockEntry:
    """What is blocked, why, since when (seconds since the epoch), and who put it there."""

    target: Target
    reason: str
    at: float
    origin: str


def blacklist(database: CrawlDatabase) -> Blacklist:
    """Return the blacklist as it now stands."""
    rows = database.connection.execute("SELECT kind, target, reason FROM block").fetchall()
    return Blacklist(
        {target: reason for kind, target, reason in rows if kind == TargetKind.SITE},
        {target: reason for kind, target, reason in rows if kind == TargetKind.URL},
        {target: reason for kind, target, reason in rows if kind == TargetKind.PATTERN},
    )


def entries(database: CrawlDatabase) -> dict[Target, tuple[str, str]]:
    """Return the reason of each entry, and who put it there."""
    rows = database.connection.execute("SELECT kind, target, reason, origin FROM block").fetchall()
    return {Target(TargetKind(kind), name): (reason, origin) for kind, name, reason, origin in rows}


def listed(database: CrawlDatabase) -> list[BlockEntry]:
    """Return all entries, in the order in which they came."""
    rows = database.connection.execute("SELECT kind, target, reason, at, origin FROM block ORDER BY at, target")
    return [BlockEntry(Target(TargetKind(kind), name), reason, at, origin) for kind, name, reason, at, origin in rows]


def put(database: CrawlDatabase, target: Target, reason: str, origin: str) -> None:
    """Put an entry on the blacklist, within the caller's transaction."""
    database.connection.execute(
        "INSERT OR REPLACE INTO block (target, kind, reason, at, origin) VALUES (?, ?, ?, ?, ?)",
        (target.name, target.kind, reason, time.time(), origin),
    )


def lift(database: CrawlDatabase, target: Target) -> bool:
    """Take an entry off the blacklist, within the caller's transaction; return whether it was there."""
    return database.connection.execute("DELETE FROM block WHERE target = ?", (target.name,)).rowcount > 0


def standing_requests(database: CrawlDatabase) -> tuple[object, ...]:
    """Return what differs as soon as a person blocks, submits or releases something, or switches an option."""
    row: tuple[object, ...] = database.connection.execute(
        "SELECT (SELECT count(*) FROM block), (SELECT max(at) FROM block), (SELECT times FROM option_change), "
        "(SELECT count(*) FROM url WHERE seed = 1), (SELECT count(*) FROM exemption)"
    ).fetchone()
    return row
