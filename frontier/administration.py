"""What was asked for on the admin page? Each action has a row of its own in the journal, written before it is done.

So nothing is ever done without one; what then came of it stands in the rows of the action itself, as after a command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.tables.journal import Journal
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawldb.database import CrawlDatabase
    from crawldb.tables.journal import JournalEntry


def note_admin(databases: Sequence[CrawlDatabase], what: str, address: str) -> None:
    """Write down, in each part, what somebody at `address` asked for."""
    for database in databases:
        with database.transaction():
            Journal(database).write(None, Rule.ADMIN, f"admin, from {address}: {what}")


def admin_notes(database: CrawlDatabase, limit: int) -> list[JournalEntry]:
    """Return the newest of these rows, newest first."""
    return Journal(database).latest(limit, Rule.ADMIN)
