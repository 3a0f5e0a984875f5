"""Which addresses lead here? A redirect is kept by its source, so a target asks about those it has in mind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.ended.moved import MAX_HOPS
from crawldb.visited.lookup import find

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
