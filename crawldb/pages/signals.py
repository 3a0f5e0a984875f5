"""What is kept of a page to compare it with others, and which signals of spoofing came of that?"""

from __future__ import annotations

import json
from dataclasses import fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from pages.content.keyword_stuffing import tokens
from urls.signals import Disguise, Signal, SignalName, strongest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from crawldb.database import CrawlDatabase
    from urls.records import Page

THIN_CHARS = 2_000  # of a text, in which its words are counted
_values = attrgetter(*(field.name for field in fields(Disguise)))


def note_trait(connection: sqlite3.Connection, url: int, page: Page) -> None:
    """Keep what of a page is compared, and what its markup hides, within the caller's transaction."""
    hidden = json.dumps(_values(page.disguise), ensure_ascii=False)
    row = (url, page.residue, len(tokens(page.text[:THIN_CHARS])), page.lead, hidden)
    connection.execute("INSERT OR REPLACE INTO trait VALUES (?, ?, ?, ?, ?)", row)


def with_trait(connection: sqlite3.Connection, url: int, page: Page) -> Page | None:
    """Return the record of a page with what `note_trait` kept of it; None where its body has to be read for that."""
    row = connection.execute("SELECT lead, disguise FROM trait WHERE url = ? AND disguise NOT NULL", (url,)).fetchone()
    return None if row is None else replace(page, lead=row[0], disguise=Disguise(*json.loads(row[1])))


def remove_signals(connection: sqlite3.Connection, url: int) -> None:
    """Forget the trait and the signals of a URL, within the caller's transaction."""
    connection.execute("DELETE FROM trait WHERE url = ?", (url,))
    connection.execute("DELETE FROM signal WHERE url = ?", (url,))


def signals_of(database: CrawlDatabase, url: int, own: Iterable[Signal]) -> tuple[Signal, ...]:
    """Return the signals of a URL: its `own`, and those that came of several pages."""
    rows = database.connection.execute("SELECT name, value, evidence FROM signal WHERE url = ? ORDER BY name", (url,))
    return strongest((*own, *(Signal(SignalName(name), value, evidence) for name, value, evidence in rows)))
