"""Which targets are on the blacklist, and which did people propose? Tables `block` and `block_proposal`.

An entry that a person made holds until a person lifts it. An entry of BLACKLIST_FILE holds as long as the file has it.
A proposal comes from the form of the policy page. It is open until its target is on the blacklist or a person declines
it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from urls.blacklist import Blacklist, Target, TargetKind
from urls.records import CanonicalUrl

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase

PERSON, FILE = "person", "file"  # who put an entry there


@dataclass(frozen=True, slots=True)
class BlockEntry:
    """A blocked target, the reason, since when (seconds since the epoch), and who blocked it."""

    target: Target
    reason: str
    at: float
    origin: str


def blacklist(database: CrawlDatabase) -> Blacklist:
    """Return the blacklist as it is now."""
    rows = database.connection.execute("SELECT kind, target, reason FROM block").fetchall()
    return Blacklist(
        {target: reason for kind, target, reason in rows if kind == TargetKind.SITE},
        {target: reason for kind, target, reason in rows if kind == TargetKind.URL},
        {target: reason for kind, target, reason in rows if kind == TargetKind.PATTERN},
    )


def entries(database: CrawlDatabase) -> dict[Target, tuple[str, str]]:
    """Return the reason of each entry, and who put it there."""
    return {entry.target: (entry.reason, entry.origin) for entry in listed(database)}


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


@dataclass(frozen=True, slots=True)
class BlockProposal:
    """A target to block, the reason, whom to reply to, and when it was last proposed (seconds since the epoch)."""

    target: Target
    reason: str
    contact: str
    at: float
    times: int = 1


def propose(database: CrawlDatabase, target: Target, reason: str, contact: str) -> None:
    """Keep a proposal, within the caller's transaction; of two for one target the newer words stay."""
    database.connection.execute(
        "INSERT INTO block_proposal (target, kind, reason, contact, at) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (target) DO UPDATE SET reason = excluded.reason, contact = excluded.contact, at = excluded.at, "
        "times = times + 1, declined_at = NULL",
        (target.name, target.kind, reason, contact, time.time()),
    )


def decline(database: CrawlDatabase, target: Target) -> bool:
    """Close a proposal, within the caller's transaction; return whether one was open."""
    if target not in {proposal.target for proposal in open_proposals(database)}:
        return False
    database.connection.execute(
        "UPDATE block_proposal SET declined_at = ? WHERE target = ?", (time.time(), target.name)
    )
    return True


def open_proposals(database: CrawlDatabase) -> list[BlockProposal]:
    """Return the proposals without a decision, oldest first."""
    rows = database.connection.execute(
        "SELECT kind, target, reason, contact, at, times FROM block_proposal "
        "WHERE declined_at IS NULL ORDER BY at, target"
    ).fetchall()
    blocked = blacklist(database) if rows else None
    found = [BlockProposal(Target(TargetKind(kind), name), *rest) for kind, name, *rest in rows]
    return [each for each in found if blocked is not None and not _is_blocked(blocked, each.target)]


def _is_blocked(blocked: Blacklist, target: Target) -> bool:
    if target.kind is TargetKind.SITE:
        return target.name in blocked.sites
    return blocked.refusal(CanonicalUrl(target.name)) is not None
