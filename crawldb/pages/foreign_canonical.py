"""Does a page stand aside for one of another part, which it names as its canonical address (RFC 6596)?

Its own part knows that address and no more. Whether the page there is in the index is asked of all parts together
(by a job over all parts) and noted here, so that it still holds when the page is read again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.pages.copies import apply_canonical, come_back, is_indexed, is_shown_as_canonical, stand_aside
from crawldb.visited import find
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from crawldb.database import CrawlDatabase
    from crawldb.tables.journal import Journal


def note_named(database: CrawlDatabase, url: int, target: str | None) -> None:
    """Keep which address of another part a page names now, or none, within the caller's transaction."""
    database.connection.execute("DELETE FROM foreign_canonical WHERE url = ? AND target IS NOT ?", (url, target))
    if target is not None:
        database.connection.execute(
            "INSERT OR IGNORE INTO foreign_canonical (url, target) VALUES (?, ?)", (url, target)
        )


def stands_elsewhere(database: CrawlDatabase, url: str) -> str | None:
    """Return the page of another part for which that of a URL stands aside, by all that is known here; or None."""
    sql = "SELECT target FROM foreign_canonical WHERE url = ? AND stands"
    found = database.value(sql, find(database.connection, url))
    return None if found is None else str(found)


def named_elsewhere(database: CrawlDatabase) -> dict[int, tuple[str, bool]]:
    """Return by page which page of another part it names, and whether that one was known to stand."""
    rows = database.connection.execute("SELECT url, target, stands FROM foreign_canonical JOIN page USING (url)")
    return {url: (target, bool(stands)) for url, target, stands in rows}


def those_shown(database: CrawlDatabase, targets: Collection[str]) -> set[str]:
    """Return the addresses whose pages are in the index and name nobody else: others stand aside for them."""
    numbers = {target: find(database.connection, target) for target in targets}
    return {
        target for target, number in numbers.items() if number is not None and is_shown_as_canonical(database, number)
    }


def follow(database: CrawlDatabase, journal: Journal, stands: Mapping[int, bool]) -> list[int]:
    """Let pages stand aside for those of other parts that stand now, or come back from those that do not any longer.

    Return the ids of the pages that came into the index or left it by this, within the caller's transaction.
    """
    changed: list[int] = []
    for url, aside in stands.items():
        database.connection.execute("UPDATE foreign_canonical SET stands = ? WHERE url = ?", (aside, url))
        refusals = str(database.value("SELECT refusals FROM page WHERE url = ?", url))
        if aside and is_indexed(database, url):
            target = database.value("SELECT target FROM foreign_canonical WHERE url = ?", url)
            changed += [url, *stand_aside(database, journal, url, str(target))]
        elif not aside and refusals.startswith(f'[["{Rule.CANONICAL}"'):
            changed.append(url)
            come_back(database, journal, url, refusals)
    for url in tuple(changed):
        changed += apply_canonical(database, journal, url)
    return changed
