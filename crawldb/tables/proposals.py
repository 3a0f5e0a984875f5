"""What did the owners of sites ask to be blocked? Table `block_proposal`: a site or a URL each, until a person decides.

A proposal is open until its target is on the blacklist, whoever put it there, or a person has declined it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawldb.tables.blocks import blacklist
from urls.blacklist import Target, TargetKind
from urls.records import CanonicalUrl

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from urls.blacklist import Blacklist


@dataclass(frozen=True, slots=True)
class BlockProposal:
    """What is to be blocked, why, whom to answer, and when (seconds since the epoch) it was asked for last."""

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
    """Return the proposals on which nobody has decided, oldest first."""
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
