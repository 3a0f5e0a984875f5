"""Where does a redirect lead, and which addresses lead here? Column `url.moved_to`, followed in either direction.

A redirect is kept by its source. So a target asks about those sources that it has in mind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.visited import find
from urls.records import MAX_HOPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawldb.database import CrawlDatabase

_CHAIN = (
    "WITH RECURSIVE hop (id, number) AS (SELECT moved_to, 1 FROM url WHERE id = ? "
    "UNION ALL SELECT moved_to, number + 1 FROM hop JOIN url USING (id) WHERE number < ?) "
    "SELECT 1 FROM hop WHERE id = ?"
)


def led_to(database: CrawlDatabase, target: str, sources: Iterable[str]) -> Iterator[str]:
    """Give those of `sources` (canonical URLs) that redirect to `target`, at once or by way of others."""
    for source in sources:
        ids = find(database.connection, source), find(database.connection, target)
        if None not in ids and database.value(_CHAIN, ids[0], MAX_HOPS, ids[1]) is not None:
            yield source


def leads_back(database: CrawlDatabase, target: int, url: int) -> bool:
    """Return whether the redirects from `target` on come to `url` again."""
    here: object = target
    for _ in range(MAX_HOPS + 1):
        if here == url:
            return True
        here = database.value("SELECT moved_to FROM url WHERE id = ?", here)
    return False
