"""Which of two addresses is shown, where a page names another one as its canonical address? The one that is named.

The page is then a copy by its own word (RFC 6596). It stands aside while the page that it names is in the index and
names no third one: so a circle or a chain never hides all of its pages. When that one goes, the page comes back.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crawldb.tables.copies import release

if TYPE_CHECKING:
    from crawldb.database import CrawlDatabase
    from crawldb.tables.journal import Journal

CANONICAL = "canonical"
_WORDS = "it names {} as its canonical address"


def reason(target: str) -> str:
    """Return why a page stands aside for `target`."""
    return _WORDS.format(target)


def stands(database: CrawlDatabase, target: int) -> bool:
    """Return whether others stand aside for a page: it is in the index, and names nobody else."""
    return database.value("SELECT 1 FROM page WHERE url = ? AND refusals = '[]' AND canonical IS NULL", target) == 1


def settle(database: CrawlDatabase, journal: Journal, target: int) -> list[int]:
    """Let the pages that name `target` stand aside for it, or come back if it does not stand (any longer).

    Return the ids of the pages that came into the index or left it by this, within the caller's transaction.
    """
    aside = stands(database, target)
    rows = database.connection.execute(
        "SELECT url, refusals FROM page WHERE canonical = ? AND "
        + ("refusals = '[]'" if aside else "refusals LIKE '[[\"canonical\"%'"),
        (target,),
    ).fetchall()
    changed: list[int] = []
    for url, refusals in rows:
        changed += [url, *(_stand_aside(database, journal, url, target) if aside else [])]
        if not aside:
            _come_back(database, journal, url, refusals)
    return changed


def _stand_aside(database: CrawlDatabase, journal: Journal, url: int, target: int) -> list[int]:
    connection = database.connection
    why = reason(str(database.value("SELECT url FROM url WHERE id = ?", target)))
    refusals = json.dumps([[CANONICAL, why]], ensure_ascii=False)
    connection.execute("UPDATE page SET refusals = ? WHERE url = ?", (refusals, url))
    connection.execute("DELETE FROM body WHERE url = ?", (url,))
    journal.write(url, CANONICAL, why)
    # Copies of a page that says what the target says are copies of the target now.
    connection.execute(
        "UPDATE page SET duplicate_of = :target WHERE duplicate_of = :url "
        "AND fingerprint = (SELECT fingerprint FROM page WHERE url = :target)",
        {"target": target, "url": url},
    )
    return release(database, journal, url)


def _come_back(database: CrawlDatabase, journal: Journal, url: int, refusals: str) -> None:
    left = [refusal for refusal in json.loads(refusals) if refusal[0] != CANONICAL]
    # Without validators the next fetch brings the whole page, with the body that was let go.
    database.connection.execute(
        "UPDATE page SET refusals = ?, etag = '', last_modified = '' WHERE url = ?",
        (json.dumps(left, ensure_ascii=False), url),
    )
    journal.write(url, "released", "the page that it names as its canonical address is not in the index any longer")
